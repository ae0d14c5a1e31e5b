#pragma once

#include <dunlin/types.hpp>

namespace dunlin::layout {

constexpr Index stress_block = 32;  ///< vertices that meet others together

/// Vertices that meet.
struct StressBlock {
    float* at;                    ///< dim x 32 coordinates
    const float* free = nullptr;  ///< of 32, 1: moves, 0: is pinned; null: all move
};

/// All pairs of two blocks move. distances[t * 32 + i]: of a's i and b's i + t, round and round; 0: there is no such
/// pair. Where one of a pair is pinned, the other goes all of the way.
void meet_blocks(const StressBlock& a, const StressBlock& b, int dim, const float* distances, float eta);

/// All pairs within a block, whose distances come as if it met itself.
void meet_itself(const StressBlock& a, int dim, const float* distances, float eta);

}  // namespace dunlin::layout
