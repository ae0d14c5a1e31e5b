// SPDX-License-Identifier: Apache-2.0
#include "communities/moving.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "math/at.hpp"
#include "math/rng.hpp"
#include "progress/cancel.hpp"

namespace dunlin::communities {

namespace {

constexpr Offset flags_grain = 16384, vertices_grain = 256, ahead = 4;

template <class T>
void add_atomically(T& value, T term) {
    std::atomic_ref(value).fetch_add(term, std::memory_order_relaxed);
}

void raise(std::atomic<bool>& flag) { flag.store(true, std::memory_order_relaxed); }

}  // namespace

void LocalMoving::begin(const WeightedLevel& level, const PartitionObjective& objective,
                        std::vector<Index>& community) {
    level_ = &level;
    objective_ = objective;
    community_ = &community;
    const std::size_t n = community.size();
    communities_.assign(n, {});
    active_.assign(n, 1);
    class_.resize(n);
    choices_.resize(std::max<std::size_t>(choices_.size(), 1));
    order_.resize(n);
    next_free_ = 0;
    for (std::size_t v = 0; v < n; ++v) {
        communities_[at(community[v])].mass += level.masses[v];
        ++communities_[at(community[v])].size;
    }
}

Index LocalMoving::best_community(Index v, LinkSums& links) const {
    const WeightedLevel& level = *level_;
    const std::vector<Index>& community = *community_;
    links.begin(level.degree(v));
    const auto community_of = [&](Index u) { return community[at(u)]; };
    each_link(level, v, community_of, [&](Index c, Weight weight) {
        if (links.add(c, weight)) __builtin_prefetch(&communities_[at(c)]);
    });

    const Index own = community[at(v)];
    const CommunitySums& whole = communities_[at(own)];
    const Mover mover{objective_, own, level.masses[at(v)], whole.size == 1};
    BestGroup best = mover.without_move(links.of(own), whole.mass);
    for (std::size_t i = 0; i < links.size(); ++i)
        mover.offer(best, links[i].community, links[i].weight, communities_[at(links[i].community)]);
    return best.group;
}

/// Lists the active vertices in order_, ascending in each class.
void LocalMoving::list_active(std::uint64_t seed, int round) {
    const auto n = std::ssize(active_);
    const Offset blocks = (n + flags_grain - 1) / flags_grain;
    block_offsets_.assign(at(blocks), std::vector<Offset>(move_classes));
    cpu_.blocks(n, flags_grain, [&](Offset begin, Offset end, int) {
        auto& counts = block_offsets_[at(begin / flags_grain)];
        for (Offset v = begin; v < end; ++v) {
            if (active_[at(v)] == 0) continue;
            class_[at(v)] = static_cast<std::uint8_t>(class_of(seed, v, round));
            ++counts[class_[at(v)]];
        }
    });
    class_offsets_.assign(move_classes + 1, 0);
    Offset place = 0;
    for (std::size_t c = 0; c < move_classes; ++c) {
        for (auto& counts : block_offsets_) place += std::exchange(counts[c], place);
        class_offsets_[c + 1] = place;
    }
    cpu_.blocks(n, flags_grain, [&](Offset begin, Offset end, int) {
        auto& next = block_offsets_[at(begin / flags_grain)];
        for (Offset v = begin; v < end; ++v) {
            if (active_[at(v)] != 0) order_[at(next[class_[at(v)]]++)] = static_cast<Index>(v);
        }
    });
}

void LocalMoving::move(Index v, Index to) {
    Index& own = (*community_)[at(v)];
    const Weight mass = level_->masses[at(v)];
    add_atomically(communities_[at(own)].mass, -mass);
    add_atomically(communities_[at(to)].mass, mass);
    add_atomically(communities_[at(own)].size, Index{-1});
    add_atomically(communities_[at(to)].size, Index{1});
    own = to;
}

void LocalMoving::activate_neighbors(Index v) {
    const std::vector<Index>& community = *community_;
    for (Offset e = level_->offsets[at(v)]; e < level_->offsets[at(v) + 1]; ++e) {
        const Index u = level_->targets[at(e)];
        if (community[at(u)] != community[at(v)])
            std::atomic_ref(active_[at(u)]).store(std::uint8_t{1}, std::memory_order_relaxed);
    }
}

/// Chooses an empty community for each vertex that is better alone. As several leave one community, these may be too
/// few: the others stay active.
void LocalMoving::give_own_communities(std::span<const Index> members) {
    const auto n = level_->size();
    Index seen = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (choices_[i] != BestGroup::alone) continue;
        while (seen < n && communities_[at(next_free_)].size > 0) {
            next_free_ = next_free_ + 1 < n ? next_free_ + 1 : 0;
            ++seen;
        }
        if (seen >= n) {
            choices_[i] = BestGroup::stay;
            active_[at(members[i])] = 1;
            continue;
        }
        choices_[i] = next_free_;
        next_free_ = next_free_ + 1 < n ? next_free_ + 1 : 0;
        ++seen;
    }
}

/// Returns true if any of them moved.
bool LocalMoving::move_class(std::span<const Index> members) {
    const auto count = std::ssize(members);
    choices_.resize(std::max(choices_.size(), members.size()));
    some_alone_ = some_moved_ = false;
    cpu_.blocks(count, vertices_grain, [&](Offset begin, Offset end, int worker) {
        for (Offset i = begin; i < end; ++i) {
            // Rows of a class are not one after the other in memory
            if (i + 3 * ahead < end) __builtin_prefetch(level_->offsets.data() + members[at(i + 3 * ahead)]);
            if (i + 2 * ahead < end) level_->prefetch(members[at(i + 2 * ahead)]);
            if (i + ahead < end) level_->prefetch_of_targets(members[at(i + ahead)], *community_);
            const Index v = members[at(i)];
            active_[at(v)] = 0;
            const Index choice = choices_[at(i)] = best_community(v, sums_[at(worker)]);
            if (choice != BestGroup::stay) raise(some_moved_);
            if (choice == BestGroup::alone) raise(some_alone_);
        }
    });
    if (!some_moved_) return false;
    if (some_alone_) give_own_communities(members);
    const auto each_mover = [&](const auto& act) {
        cpu_.each(
            count,
            [&](Offset i) {
                if (choices_[at(i)] != BestGroup::stay) act(members[at(i)], choices_[at(i)]);
            },
            4 * vertices_grain);
    };
    each_mover([&](Index v, Index to) { move(v, to); });
    each_mover([&](Index v, Index) { activate_neighbors(v); });
    return true;
}

/// Moves the active vertices one after the other, in random order, until none is active; each move raises the quality.
/// Returns true if any moved.
bool LocalMoving::move_in_turn(std::uint64_t seed) {
    bool any = false;
    std::vector<std::pair<std::uint64_t, Index>> order;
    for (std::uint64_t round = 0;; ++round) {
        order.clear();
        for (Index v = 0; v < level_->size(); ++v) {
            if (active_[at(v)] != 0)
                order.emplace_back(math::random_bits(seed, static_cast<std::uint64_t>(v), round), v);
        }
        if (order.empty()) return any;
        std::sort(order.begin(), order.end());
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i % 256 == 0) progress::cancellation_point();
            const Index v = order[i].second;
            active_[at(v)] = 0;
            choices_[0] = best_community(v, sums_.front());
            if (choices_[0] == BestGroup::alone) give_own_communities({&v, 1});
            if (choices_[0] == BestGroup::stay) continue;
            move(v, choices_[0]);
            activate_neighbors(v);
            any = true;
        }
    }
}

void LocalMoving::run(const WeightedLevel& level, const PartitionObjective& objective, std::uint64_t seed,
                      std::vector<Index>& community) {
    begin(level, objective, community);
    for (int round = 0; round < most_move_rounds; ++round) {
        list_active(seed, round);
        bool moved = false;
        for (std::size_t c = 0; c < move_classes; ++c) {
            const Offset first = class_offsets_[c], count = class_offsets_[c + 1] - first;
            if (move_class({order_.data() + first, at(count)})) moved = true;
        }
        if (!moved) break;
    }
}

void LocalMoving::polish(const WeightedLevel& level, const PartitionObjective& objective, std::uint64_t seed,
                         std::vector<Index>& community) {
    begin(level, objective, community);
    while (move_in_turn(seed)) active_.assign(active_.size(), 1);
}

}  // namespace dunlin::communities
