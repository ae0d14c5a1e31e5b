// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

/// Sums over the columns of two rows, in double unless stated otherwise. The order of additions depends only on the
/// number of columns.
namespace dunlin::distance {

double squared_difference(const float* x, const float* y, Index cols);
double absolute_difference(const float* x, const float* y, Index cols);
float squared_difference_in_floats(const float* x, const float* y, Index cols);
double inner_product(const float* x, const float* y, Index cols);

/// sum ((x_c - mean_x) * scale_x - (y_c - mean_y) * scale_y)^2
struct Affine {
    double mean, scale;
};
double squared_difference(const float* x, Affine of_x, const float* y, Affine of_y, Index cols);

/// True if no value is NaN or infinite.
bool all_finite(const float* x, Index cols);

/// Value statistics of rows.
struct RowStatistics {
    float least = 3.4e38F, most = -3.4e38F;
    bool whole = true;
};
void count_row(const float* x, Index cols, RowStatistics& census);

/// out_c = ((x_c - of_x.mean) * of_x.scale - middle_c) * scale, clamped to +-limit
void move_to_frame(const float* x, Affine of_x, const double* middle, double scale, double limit, Index cols,
                   float* out);

}  // namespace dunlin::distance
