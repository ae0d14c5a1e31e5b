// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "stress/terms.hpp"

namespace dunlin::layout {

constexpr Index stress_block = 32;  ///< vertices of a block

/// stress::pair_step at the learning rate eta / distance^2; 0 for a distance of 0, which marks a pair that no path
/// joins.
DUNLIN_HD inline float step_of_pair(float d2, float distance, float eta) {
    const float rate = distance > 0 ? stress::capped_rate(stress::inverse_square(distance, eta)) : 0.0F;
    return stress::pair_step(d2, distance, rate);
}

/// Factor of a vertex's step: 0 if it is pinned, 2 if only the other one is, else 1. free: 1, pinned: 0.
DUNLIN_HD inline float pinned_factor(float own_free, float other_free) { return own_free * (2 - other_free); }

/// The round in which slot i of one block is paired with slot j of another: (j - i) mod 32.
DUNLIN_HD inline Index round_of(Offset i, Offset j) { return static_cast<Index>((j - i) & (stress_block - 1)); }

/// The vertices of a block.
struct StressBlock {
    float* at;                    ///< dim x 32 coordinates
    const float* free = nullptr;  ///< 32 numbers, 1: moves, 0: is pinned; null: all move
};

/// One SGD step of each pair of two blocks, in 32 rounds: round t pairs slot i of a with slot i + t (mod 32) of b.
/// distances[t * 32 + i]: of that pair; 0: no path joins it.
void step_blocks(const StressBlock& a, const StressBlock& b, int dim, const float* distances, float eta);

/// One SGD step of each pair within a block, in 31 rounds: round t pairs i with i ^ t (exclusive or). distances: as for
/// two blocks.
void step_within(const StressBlock& a, int dim, const float* distances, float eta);

}  // namespace dunlin::layout
