// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

namespace dunlin::forces {

/// A few edges of one vertex: `size` targets and their p, the vertex at `from`, all positions at y (n x D).
struct Spokes {
    const Index* targets;
    const float* weights;
    Offset size;
    const float* from;
    const float* y;
};

/// Terms that are added in float before they join a sum in double.
inline constexpr Offset float_terms = 2048;

/// Adds sum p q (from - y_j) over the spokes to sum[0 .. D).
template <int D>
void pull_spokes(const Spokes& spokes, double* sum);

/// Returns sum p log(p / q) over the spokes.
template <int D>
double spokes_cost(const Spokes& spokes);

/// pull_spokes written out for AVX-512, whose gathers fetch x and y at once.
template <int D>
void pull_spokes_avx512(const Spokes& spokes, double* sum);

/// Whether this build has pull_spokes_avx512 and this processor can run it.
bool has_avx512();

}  // namespace dunlin::forces
