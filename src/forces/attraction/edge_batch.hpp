// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

namespace dunlin::forces {

/// A batch of edges of one vertex: `size` targets and their weights p. from: position of the vertex; y: all positions
/// (n x D).
struct EdgeBatch {
    const Index* targets;
    const float* weights;
    Offset size;
    const float* from;
    const float* y;
};

/// Number of terms that are added in float before their sum is added in double.
inline constexpr Offset float_terms = 2048;

/// Adds sum p q (from - y_j) over the batch to sum[0 .. D).
template <int D>
void attract_batch(const EdgeBatch& batch, double* sum);

/// Returns sum p log(p / q) over the batch.
template <int D>
double batch_cost(const EdgeBatch& batch);

/// attract_batch with AVX-512 intrinsics: a gather loads x and y at once.
template <int D>
void attract_batch_avx512(const EdgeBatch& batch, double* sum);

/// Whether this build has attract_batch_avx512 and this processor can run it.
bool has_avx512();

}  // namespace dunlin::forces
