// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "stress/terms.hpp"

namespace dunlin::layout {

constexpr Index stress_block = 32;  ///< vertices that meet others together

/// stress::pair_step at the learning rate eta / distance^2; distance 0: there is no such pair.
DUNLIN_HD inline float step_of_pair(float d2, float distance, float eta) {
    const float rate = distance > 0 ? stress::capped_rate(stress::inverse_square(distance, eta)) : 0.0F;
    return stress::pair_step(d2, distance, rate);
}

/// How often that share one takes, 1: it moves, 0: it is pinned; where one is pinned, the other goes all of the way.
DUNLIN_HD inline float part_of_move(float own_free, float other_free) { return own_free * (2 - other_free); }

/// By how many places of a block j is ahead of i, round and round.
DUNLIN_HD inline Index turn_of(Offset i, Offset j) { return static_cast<Index>((j - i) & (stress_block - 1)); }

/// Vertices that meet.
struct StressBlock {
    float* at;                    ///< dim x 32 coordinates
    const float* free = nullptr;  ///< of 32, 1: moves, 0: is pinned; null: all move
};

/// All pairs of two blocks move, in 32 turns, i of a with i + t of b. distances[t * 32 + i]: of a's i and b's i + t,
/// round and round; 0: there is no such pair.
void meet_blocks(const StressBlock& a, const StressBlock& b, int dim, const float* distances, float eta);

/// All pairs within a block, in 31 turns, i with i ^ t (exclusive or); distances are as if it met itself.
void meet_itself(const StressBlock& a, int dim, const float* distances, float eta);

}  // namespace dunlin::layout
