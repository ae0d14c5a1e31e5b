// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

/// Inner loops of the scores, compiled once per generation of processors (kernels_simd.cpp).
namespace dunlin::scores {

/// Distances of 6 x 16 pairs: total[r * stride + l] += sum over `cols` features c of |x_r[c] - panel[c * 16 + l]|,
/// squared unless `manhattan`. Every sum is in the order of c, so that equal points have equal distances.
constexpr int panel_rows = 6;
constexpr int panel_lanes = 16;
void panel_distances(const float* const* x, const float* panel, Index cols, bool manhattan, float* total, Index stride);

/// Numbers of distances below `bound` and equal to it.
struct Below {
    int less = 0, equal = 0;
};
Below count_below(const float* distance, int count, float bound);

/// Sums of q = |y_l - point| / steps_l and of q^2 over the points l of `count` with steps_l > 0, in double, and the
/// number of these. `column`: arrays of the coordinates.
struct RatioSums {
    double count = 0, q = 0, squares = 0;
};
RatioSums ratio_sums(const float* const* column, int dim, const double* point, const Index* steps, Index count);
RatioSums ratio_sums(const float* const* column, int dim, const double* point, const std::uint8_t* steps, Index count);

}  // namespace dunlin::scores
