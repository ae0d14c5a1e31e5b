// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "communities/level.hpp"
#include "communities/objective.hpp"
#include "math/hd.hpp"
#include "math/rng.hpp"

/// What a vertex decides by, the same on both devices.
namespace dunlin::communities {

constexpr int move_classes = 8;       ///< of local moving: those of a class move at the same time
constexpr int most_move_rounds = 50;  ///< of local moving at a level
constexpr int star_rounds = 12;       ///< of refinement; at most the bits of bits_of_rounds

DUNLIN_HD inline int class_of(std::uint64_t seed, Offset v, int round) {
    const std::uint64_t bits =
        math::random_bits(seed, static_cast<std::uint64_t>(v), static_cast<std::uint64_t>(round));
    return static_cast<int>(bits % move_classes);
}

/// A bit for each round of refinement: whether a single vertex moves or stays.
DUNLIN_HD inline std::uint16_t bits_of_rounds(std::uint64_t seed, Offset v) {
    return static_cast<std::uint16_t>(math::random_bits(seed, static_cast<std::uint64_t>(v)));
}
DUNLIN_HD inline bool moves_in_round(std::uint16_t bits, int round) { return (bits >> round & 1) != 0; }

/// A community or part to join, where the gain is greatest, of equals the one of the least number: the order of offers
/// does not matter.
struct BestGroup {
    static constexpr Index stay = -1, alone = -2;  ///< instead of a group

    Wide gain = 0;
    Index group = stay;

    DUNLIN_HD void offer(Index other, Wide gain_there) {
        if (gain_there < gain || (gain_there == gain && other >= group)) return;
        gain = gain_there;
        group = other;
    }
};

struct alignas(16) CommunitySums {
    Weight mass = 0;
    Index size = 0;  ///< vertices of the level
};

/// A vertex in local moving.
struct Mover {
    PartitionObjective objective;
    Index own;  ///< its community
    Weight mass;
    bool single;  ///< alone in it

    /// What offers have to exceed: that it stays, or is better alone.
    [[nodiscard]] DUNLIN_HD BestGroup without_move(Weight to_own, Weight mass_of_own) const {
        const Wide gain = objective.gain(to_own, mass, mass_of_own - mass);
        if (!single && gain < 0) return {0, BestGroup::alone};
        return {gain, BestGroup::stay};
    }
    DUNLIN_HD void offer(BestGroup& best, Index community, Weight to, const CommunitySums& sums) const {
        // Two single vertices would change places
        if (community == own || (single && community > own && sums.size == 1)) return;
        best.offer(community, objective.gain(to, mass, sums.mass));
    }
};

/// What a link to a member of the part that a vertex has joined in this round takes from the part's links to the rest
/// of its community: it counts from both ends, and one to a vertex that joined at the same time from the other end by
/// itself. `joined`: the round in which the member joined, from 1.
DUNLIN_HD inline Weight closed_link(int joined, int round, Weight weight) {
    return joined == round + 1 ? weight : 2 * weight;
}

}  // namespace dunlin::communities
