#pragma once

#include <dunlin/types.hpp>

namespace dunlin::layout {

constexpr Index stress_block = 32;  ///< vertices that meet others together

/// All pairs of two blocks move. a, b: dim x 32 coordinates; distances[t * 32 + i]: of a's i and b's i + t, round and
/// round; 0: there is no such pair.
void meet_blocks(float* a, float* b, int dim, const float* distances, float eta);

/// All pairs within a block, whose distances come as if it met itself.
void meet_itself(float* a, int dim, const float* distances, float eta);

}  // namespace dunlin::layout
