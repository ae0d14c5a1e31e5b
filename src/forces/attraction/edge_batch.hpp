// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

namespace dunlin::forces {

/// A few edges of one vertex: `size` targets and their p, the vertex at `from`, all positions at y (n x D).
struct EdgeBatch {
    const Index* targets;
    const float* weights;
    Offset size;
    const float* from;
    const float* y;
};

/// Terms that are added in float before they join a sum in double.
inline constexpr Offset float_terms = 2048;

/// Adds sum p q (from - y_j) over the batch to sum[0 .. D).
template <int D>
void attract_batch(const EdgeBatch& batch, double* sum);

/// Returns sum p log(p / q) over the batch.
template <int D>
double batch_cost(const EdgeBatch& batch);

/// attract_batch written out for AVX-512, whose gathers fetch x and y at once.
template <int D>
void attract_batch_avx512(const EdgeBatch& batch, double* sum);

/// Whether this build has attract_batch_avx512 and this processor can run it.
bool has_avx512();

}  // namespace dunlin::forces
