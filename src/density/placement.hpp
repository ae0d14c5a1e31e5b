// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <dunlin/density.hpp>

#include "forces/grid/shape.hpp"
#include "math/vec.hpp"

namespace dunlin::density {

/// What the default bandwidth and the grid need to know of the points. It does not depend on their order.
struct Survey {
    std::array<float, 3> least{}, most{};         ///< bounding box
    std::array<double, 3> variance{};             ///< along each axis; only for the default bandwidth
    std::array<double, 3> interquartile_range{};  ///< along each axis; only for the default bandwidth
};

/// Moments of an axis are summed in whole numbers, of 2^-16 of its length.
using Moments = math::Vec<std::int64_t, 2>;  ///< sum and sum of squares
constexpr double moment_steps = 65535;
double variance_of(const Moments& sums, Index n, double length);

/// Ranks of the quartiles of n values, by the nearest rank.
inline std::array<Offset, 2> quartile_ranks(Index n) { return {(Offset{n} + 3) / 4 - 1, (3 * Offset{n} + 3) / 4 - 1}; }

/// Silverman's rule (1986, 4.14 and 4.15) times a half; 0 if the points are equal.
double default_bandwidth(const Survey& survey, Index n, int dim);

/// Nodes by which a point's spline is centered beyond the corner of its cell.
constexpr int spline_center = (forces::grid_order - 2) / 2;

/// Where the grid lies, and the kernel on it.
struct Placement {
    int dim = 2;
    std::array<Index, 3> nodes{1, 1, 1};
    double bandwidth = 0;
    double spacing = 0;
    std::array<float, 3> corner{};  ///< coordinates of cell 0, whose points have their splines at nodes 0 .. 5
    std::vector<float> taps;        ///< kernel at 0, 1, .. nodes; all points lie this many nodes within the grid

    [[nodiscard]] int radius() const { return static_cast<int>(taps.size()) - 1; }
    [[nodiscard]] Offset size() const { return Offset{nodes[0]} * nodes[1] * nodes[2]; }
    /// A field on this grid, without values.
    [[nodiscard]] ScalarField field() const;
};

/// Settles options.bandwidth and options.nodes and places the grid. Throws Error{bad_input} for a bandwidth that the
/// grid or float32 does not resolve.
Placement place(Options& options, const Survey& survey, Index n, int dim);

/// Nodes per axis, of options.nodes or the default.
Index nodes_of(const Options& options, int dim);

/// Weights at 0, 1, .., radius nodes of the filter that turns splines into Gaussians of standard deviation `sigma`
/// nodes: the inverse transform of exp(-sigma^2 k^2 / 2) / (sin(k / 2) / (k / 2))^P over [-pi, pi]. Their sum over both
/// sides is 1 up to rounding.
std::vector<float> gaussian_taps(double sigma, int radius);

/// Sum over both sides.
double sum_of_taps(const std::vector<float>& taps);

/// Percentages of a list "10,25,50". Throws Error{bad_input} unless they ascend within (0, 100].
std::vector<double> percentages_of(const std::string& list);

}  // namespace dunlin::density
