// SPDX-License-Identifier: Apache-2.0
#include "communities/refinement.hpp"

#include <atomic>
#include <numeric>

#include "math/at.hpp"
#include "math/rng.hpp"

namespace dunlin::communities {

namespace {

constexpr Offset grain = 256;
constexpr Index none = -1;

void add_atomically(Weight& value, Weight term) { std::atomic_ref(value).fetch_add(term, std::memory_order_relaxed); }

}  // namespace

/// Mass of the community of v.
Weight StarRefinement::whole(Index v) const { return moving_->mass_of((*community_)[at(v)]); }

void StarRefinement::begin() {
    const WeightedLevel& level = *level_;
    const std::vector<Index>& community = *community_;
    const std::size_t n = community.size();
    masses_ = level.masses;
    cuts_.resize(n);
    random_.resize(n);
    grown_.assign(n, 0);
    candidates_.resize(n);
    moves_.resize(n);
    joined_.assign(n, 0);
    cpu_.each(
        level.size(),
        [&](Offset v) {
            Weight cut = 0;
            for (Offset e = level.offsets[at(v)]; e < level.offsets[at(v) + 1]; ++e) {
                if (community[at(level.targets[at(e)])] == community[at(v)]) cut += level.weights[at(e)];
            }
            cuts_[at(v)] = cut;
            random_[at(v)] = bits_of_rounds(seed_, v);
        },
        1024);
    single_.clear();
    for (Index v = 0; v < level.size(); ++v) {
        if (cuts_[at(v)] > 0 && objective_.is_well_connected(cuts_[at(v)], masses_[at(v)], whole(v)))
            single_.push_back(v);
    }
}

/// Lists the vertices that are still single, and of these the ones that move.
void StarRefinement::list_single(int round) {
    movers_.clear();
    std::size_t kept = 0;
    for (const Index v : single_) {
        if (joined_[at(v)] != 0 || grown_[at(v)] != 0) continue;
        single_[kept++] = v;
        if (moves_in_round(random_[at(v)], round)) movers_.push_back(v);
    }
    single_.resize(kept);
}

/// The parts that may be joined: well connected ones. Of the single ones only some stay in this round.
void StarRefinement::find_candidates(int round) {
    cpu_.each(level_->size(), [&](Offset p) {
        const auto part = static_cast<Index>(p);
        const bool grown =
            grown_[at(p)] != 0 && objective_.is_well_connected(cuts_[at(p)], masses_[at(p)], whole(part));
        candidates_[at(p)] = grown ? (*community_)[at(p)] : none;
    });
    for (const Index v : single_) {
        candidates_[at(v)] = (*community_)[at(v)];
        moves_[at(v)] = moves_in_round(random_[at(v)], round) ? 1 : 0;
    }
}

/// The part that v joins, or v: the best of all, if that stays in this round.
Index StarRefinement::best_part(Index v, LinkSums& links) const {
    const WeightedLevel& level = *level_;
    const Index own = (*community_)[at(v)];
    links.begin(level.degree(v));
    struct Candidate {
        Index part, community;
    };
    const auto candidate_at = [&](Index u) {
        const Index part = (*part_)[at(u)];
        return Candidate{part, candidates_[at(part)]};
    };
    each_link(level, v, candidate_at, [&](const Candidate& candidate, Weight weight) {
        if (candidate.community == own) links.add(candidate.part, weight);
    });
    BestGroup best;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const auto [part, weight] = links[i];
        best.offer(part, objective_.gain(weight, level.masses[at(v)], masses_[at(part)]));
    }
    if (best.group < 0) return v;
    return grown_[at(best.group)] != 0 || moves_[at(best.group)] == 0 ? best.group : v;
}

/// Links of v, which has joined a part in this round, that are no longer to the rest of the community: those to members
/// count from both ends, and those to others that join at the same time count from the other end by themselves.
Weight StarRefinement::closed_links(Index v, int round) const {
    const WeightedLevel& level = *level_;
    const std::vector<Index>& part = *part_;
    Weight closed = 0;
    for (Offset e = level.offsets[at(v)]; e < level.offsets[at(v) + 1]; ++e) {
        const Index u = level.targets[at(e)];
        if (part[at(u)] == part[at(v)]) closed += closed_link(joined_[at(u)], round, level.weights[at(e)]);
    }
    return closed;
}

void StarRefinement::join(int round) {
    const auto count = std::ssize(movers_);
    choices_.resize(movers_.size());
    cpu_.blocks(count, grain, [&](Offset begin, Offset end, int worker) {
        for (Offset i = begin; i < end; ++i) choices_[at(i)] = best_part(movers_[at(i)], sums_[at(worker)]);
    });
    const auto each_joined = [&](const auto& act) {
        cpu_.each(
            count,
            [&](Offset i) {
                if (choices_[at(i)] != movers_[at(i)]) act(movers_[at(i)], choices_[at(i)]);
            },
            4 * grain);
    };
    each_joined([&](Index v, Index to) {
        (*part_)[at(v)] = to;
        joined_[at(v)] = static_cast<std::uint8_t>(round + 1);
        std::atomic_ref(grown_[at(to)]).store(std::uint8_t{1}, std::memory_order_relaxed);
        add_atomically(masses_[at(to)], level_->masses[at(v)]);
    });
    // Only now, as parts of others that join at the same time are read
    each_joined([&](Index v, Index to) {
        // The cut of v itself is that of a single vertex: parts that v could have founded are gone
        add_atomically(cuts_[at(to)], cuts_[at(v)] - closed_links(v, round));
    });
}

void StarRefinement::run(const WeightedLevel& level, const PartitionObjective& objective, std::uint64_t seed,
                         const std::vector<Index>& community, const LocalMoving& moving, std::vector<Index>& part) {
    level_ = &level;
    objective_ = objective;
    seed_ = seed;
    community_ = &community;
    moving_ = &moving;
    part_ = &part;
    part.resize(community.size());
    std::iota(part.begin(), part.end(), Index{0});
    begin();
    for (int round = 0; round < star_rounds; ++round) {
        list_single(round);
        if (single_.empty()) break;
        find_candidates(round);
        join(round);
    }
}

}  // namespace dunlin::communities
