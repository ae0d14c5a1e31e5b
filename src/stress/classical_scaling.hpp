// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

/// Classical scaling and its relatives: the dense part, on the host, in double. Matrices are symmetric; an axis whose
/// eigenvalue is not above 0 is 0.
namespace dunlin::stress {

/// Classical scaling (Torgerson 1952): eigenvectors times the roots of their eigenvalues, of -1/2 J D^2 J with J = I -
/// 1/n; n x dim. delta: n x n.
std::vector<float> classical_scaling(std::span<const float> delta, Index n, int dim);

/// D^2 v of all n items; v and the result: n x width, column-major.
using SquaresTimes = std::function<std::vector<double>(const std::vector<double>& v, Index width)>;

/// Approximate classical scaling by block Krylov iteration (Musco and Musco 2015).
std::vector<float> classical_scaling_by_krylov(const SquaresTimes& squares_times, Index n, int dim);

/// Distance-based triangulation (de Silva and Tenenbaum 2004): an item's coordinates are -1/2 (its squared
/// dissimilarities to the landmarks - mean) axes.
struct Triangulation {
    std::vector<double> mean;  ///< count
    std::vector<double> axes;  ///< count x dim
};
/// From classical scaling of the landmarks; delta: count x count.
Triangulation triangulation_of(std::span<const float> delta, Index count, int dim);

/// Pivot MDS (Brandes and Pich 2007): coordinates of n items are C times these axes, count x dim. gram: C'C, count x
/// count, of C, n x count, doubly centered.
std::vector<double> pivot_axes(std::vector<double> gram, Index count, int dim, Index n);

}  // namespace dunlin::stress
