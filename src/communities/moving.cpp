// SPDX-License-Identifier: Apache-2.0
#include "communities/moving.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "math/at.hpp"
#include "math/rng.hpp"
#include "progress/cancel.hpp"

namespace dunlin::communities {

namespace {

constexpr Offset flags_grain = 16384, vertices_grain = 256;

template <class T>
void add_atomically(T& value, T term) {
    std::atomic_ref(value).fetch_add(term, std::memory_order_relaxed);
}

void raise(std::atomic<bool>& flag) { flag.store(true, std::memory_order_relaxed); }

}  // namespace

void LocalMoving::begin(const Level& level, const Objective& objective, std::vector<Index>& community) {
    level_ = &level;
    objective_ = objective;
    community_ = &community;
    const std::size_t n = community.size();
    totals_.assign(n, 0);
    sizes_.assign(n, 0);
    active_.assign(n, 1);
    class_.resize(n);
    order_.resize(n);
    next_free_ = 0;
    for (std::size_t v = 0; v < n; ++v) {
        totals_[at(community[v])] += level.masses[v];
        ++sizes_[at(community[v])];
    }
}

Index LocalMoving::best_community(Index v, LinkSums& links) const {
    const Level& level = *level_;
    const std::vector<Index>& community = *community_;
    for (Offset e = level.offsets[at(v)]; e < level.offsets[at(v) + 1]; ++e)
        links.add(community[at(level.targets[at(e)])], level.weights[at(e)]);

    const Index own = community[at(v)];
    const Weight mass = level.masses[at(v)];
    const bool single = sizes_[at(own)] == 1;
    Index best = stay;
    Wide most = objective_.gain(links[own], mass, totals_[at(own)] - mass);
    if (!single && most < 0) {
        most = 0;
        best = alone;
    }
    for (const Index c : links.near()) {
        // Two single vertices would change places
        if (c == own || (single && c > own && sizes_[at(c)] == 1)) continue;
        const Wide gain = objective_.gain(links[c], mass, totals_[at(c)]);
        if (gain > most || (gain == most && c < best)) {
            most = gain;
            best = c;
        }
    }
    links.clear();
    return best;
}

/// Lists the active vertices in order_, ascending in each class.
void LocalMoving::list_active(std::uint64_t seed, int round) {
    const auto n = std::ssize(active_);
    const Offset blocks = (n + flags_grain - 1) / flags_grain;
    block_offsets_.assign(at(blocks), std::vector<Offset>(classes));
    cpu_.blocks(n, flags_grain, [&](Offset begin, Offset end, int) {
        auto& counts = block_offsets_[at(begin / flags_grain)];
        for (Offset v = begin; v < end; ++v) {
            if (active_[at(v)] == 0) continue;
            const std::uint64_t bits =
                math::random_bits(seed, static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(round));
            class_[at(v)] = static_cast<std::uint8_t>(bits % classes);
            ++counts[class_[at(v)]];
        }
    });
    class_offsets_.assign(classes + 1, 0);
    Offset place = 0;
    for (std::size_t c = 0; c < classes; ++c) {
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
    add_atomically(totals_[at(own)], -mass);
    add_atomically(totals_[at(to)], mass);
    add_atomically(sizes_[at(own)], Index{-1});
    add_atomically(sizes_[at(to)], Index{1});
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
    const auto n = static_cast<Index>(sizes_.size());
    Index seen = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (choices_[i] != alone) continue;
        while (seen < n && sizes_[at(next_free_)] > 0) {
            next_free_ = next_free_ + 1 < n ? next_free_ + 1 : 0;
            ++seen;
        }
        if (seen >= n) {
            choices_[i] = stay;
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
            const Index v = members[at(i)];
            active_[at(v)] = 0;
            const Index choice = choices_[at(i)] = best_community(v, sums_[at(worker)]);
            if (choice != stay) raise(some_moved_);
            if (choice == alone) raise(some_alone_);
        }
    });
    if (!some_moved_) return false;
    if (some_alone_) give_own_communities(members);
    const auto each_mover = [&](const auto& act) {
        cpu_.each(
            count,
            [&](Offset i) {
                if (choices_[at(i)] != stay) act(members[at(i)], choices_[at(i)]);
            },
            4 * vertices_grain);
    };
    each_mover([&](Index v, Index to) { move(v, to); });
    each_mover([&](Index v, Index) { activate_neighbors(v); });
    return true;
}

void LocalMoving::run(const Level& level, const Objective& objective, std::uint64_t seed,
                      std::vector<Index>& community) {
    begin(level, objective, community);
    for (int round = 0; round < most_rounds; ++round) {
        list_active(seed, round);
        bool moved = false;
        for (std::size_t c = 0; c < classes; ++c) {
            const Offset first = class_offsets_[c], count = class_offsets_[c + 1] - first;
            if (move_class({order_.data() + first, at(count)})) moved = true;
        }
        if (!moved) break;
    }
}

bool LocalMoving::polish(const Level& level, const Objective& objective, std::vector<Index>& community) {
    begin(level, objective, community);
    bool any = false;
    for (bool moved = true; moved;) {
        moved = false;
        for (Index v = 0; v < level.size(); ++v) {
            if (v % 1024 == 0) progress::cancellation_point();
            choices_.assign(1, best_community(v, sums_.front()));
            if (choices_[0] == alone) give_own_communities({&v, 1});
            if (choices_[0] == stay) continue;
            move(v, choices_[0]);
            moved = any = true;
        }
    }
    return any;
}

}  // namespace dunlin::communities
