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

/// Adds sum p q (from - y_j) over the batch to sum[0 .. D): the attraction of t-SNE.
template <int D>
void attract_batch(const EdgeBatch& batch, double* sum);

/// Returns the sum of law.cost over the batch.
template <int D, class Law>
double batch_cost(const EdgeBatch& batch, const Law& law);

// Attraction of other laws, in three passes over a few thousand edges: squared lengths, edge by edge; weights, which
// take most of the time and are contiguous whatever the lengths of rows; sums, row by row.

/// r2[e] = |from - y_j|^2 of the edges of the batch.
template <int D>
void squared_lengths(const EdgeBatch& batch, float* r2);

/// weights[e] = law.attraction(p[e], weights[e]), given squared lengths.
template <class Law>
void weigh(const Law& law, const float* p, float* weights, Offset size);

/// Adds sum weights[e] (from - y_j) over the batch to sum[0 .. D).
template <int D>
void pull_batch(const EdgeBatch& batch, double* sum);

/// attract_batch with AVX-512 intrinsics: a gather loads x and y at once.
template <int D>
void attract_batch_avx512(const EdgeBatch& batch, double* sum);

/// Whether this build has attract_batch_avx512 and this processor can run it.
bool has_avx512();

}  // namespace dunlin::forces
