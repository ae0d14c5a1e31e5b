// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

/// What spectral methods find on the host, once few numbers are left. An axis whose eigenvalue is not above 0 is 0.
namespace dunlin::mds {

/// Coordinates are -1/2 (squared dissimilarities to count items - mean) axes.
struct Triangulation {
    std::vector<double> mean;  ///< count
    std::vector<double> axes;  ///< count x dim
};
/// By classical scaling of these items; delta: count x count.
Triangulation triangulation_of(std::span<const float> delta, Index count, int dim);

/// count x dim: coordinates of n items are C times these. gram: C'C, count x count, for C, n x count, doubly centered.
std::vector<double> pivot_axes(std::vector<double> gram, Index count, int dim, Index n);

/// Torgerson 1952: v sqrt(lambda) of -1/2 J D^2 J, n x dim; delta: n x n.
std::vector<float> torgerson(std::span<const float> delta, Index n, int dim);

/// D^2 v of all n items; v and what comes back: n x width, by columns.
using SquaresTimes = std::function<std::vector<double>(const std::vector<double>& v, Index width)>;

/// The same by block Krylov iteration (Musco and Musco 2015).
std::vector<float> krylov(const SquaresTimes& squares_times, Index n, int dim);

}  // namespace dunlin::mds
