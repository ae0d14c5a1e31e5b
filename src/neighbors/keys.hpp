#pragma once

#include <dunlin/types.hpp>

/// Sums over the columns of two rows, in double; the order of the additions is fixed by the number of columns.
namespace dunlin::neighbors {

double squared_difference(const float* x, const float* y, Index cols);
double absolute_difference(const float* x, const float* y, Index cols);

/// sum ((x_c - mean_x) * scale_x - (y_c - mean_y) * scale_y)^2
struct Affine {
    double mean, scale;
};
double squared_difference(const float* x, Affine of_x, const float* y, Affine of_y, Index cols);

/// True if every value is neither NaN nor infinite.
bool all_finite(const float* x, Index cols);

}  // namespace dunlin::neighbors
