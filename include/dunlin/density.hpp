// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/scalar_field.hpp>
#include <dunlin/types.hpp>

/// Kernel density estimates of maps on a grid, their highest-density regions, contours and peaks.
namespace dunlin::density {

constexpr Index fewest_nodes = 64, most_nodes = 8192, most_nodes_3d = 1024;

struct Options {
    std::optional<double> bandwidth = {};
    std::optional<Index> nodes = {};
    std::string bands = "10,25,50,75,90,95,99";
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("bandwidth", o.bandwidth,
                "standard deviation of the Gaussian kernel in units of the map, at least 2 distances between nodes")
              .above(0)
              .by_rule("half of Silverman's rule"));
    visit(field("nodes", o.nodes, "nodes of the grid along its longest side")
              .at_least(fewest_nodes)
              .at_most(most_nodes)
              .by_rule("1024, in 3-D 128"));
    visit(field("bands", o.bands, "percentages of the points that the highest-density regions hold, ascending"));
}

/// Optional inputs; empty: none.
struct Given {
    /// A number for each point; NaN: missing, left out of `mean`. Throws Error{bad_input} for infinity, or another
    /// number of values.
    std::span<const double> values = {};
};

/// A superlevel set: where the field is at least `level`. It is the smallest one that holds `percentage` percent of the
/// points (highest-density region, Hyndman 1996), with the field linear in each simplex of Kuhn's triangulation.
struct Band {
    double percentage = 0;
    double level = 0;
    Offset points = 0;  ///< number of points inside; more than the percentage only if values are equal
};

/// Stages: "bandwidth", "spread", "convolve", "bands". Stopped::converged, or cancelled with an empty field.
struct Result : Outcome<Options> {
    ScalarField field;        ///< points per unit area (3-D: volume)
    std::vector<Band> bands;  ///< of `field`, those of options.bands
    double mass = 0;          ///< sum of the field times the area of a cell: the number of points

    // Only with given values
    ScalarField mean;              ///< kernel-weighted mean of the values (Nadaraya 1964, Watson 1964)
    std::vector<Band> mean_bands;  ///< of `mean`, among the points that have a value
    Offset missing = 0;            ///< number of points without a value
};

/// Density of the points of a map of 2 or 3 dimensions: the sum of Gaussians of standard deviation h at its points, on
/// a grid that reaches beyond them as far as the Gaussians (6 h, where they are cut off). Points are spread to the
/// nodes by B-splines in whole numbers of 2^-20; the Gaussian is convolved axis by axis with the splines' blur divided
/// out. The field is at least 0, its mass is the number of points to 1e-6, and it equals the sum at each node to 1e-4
/// of its largest value; the same map gives the same bytes for any number of threads, and on each device in any order
/// of its points. Default bandwidth: half of Silverman's rule, h = s (4 / (n (d + 2)))^(1 / (d + 4)) / 2, where s^2 is
/// the mean over the axes of the smaller of the variance and (interquartile range / 1.349)^2 (the variance where the
/// latter is 0), and at least 2 distances between nodes; 1 if all points are equal. No points: a field without nodes.
/// Throws Error{bad_input} for a coordinate or a value that is not finite (with its row), a bandwidth below 2 distances
/// between nodes, a map whose span leaves the range of float32, or bands that are not ascending percentages;
/// Error{out_of_memory}.
DUNLIN_API Result estimate(const Map& map, const Options& options = {}, const Run& run = {}, const Given& given = {});
/// Overload for a map given as a view. Does not copy the rows.
DUNLIN_API Result estimate(MatrixView<const float> map, const Options& options = {}, const Run& run = {},
                           const Given& given = {});

/// A closed polygon; the field is larger on its left side: counterclockwise around peaks, clockwise around hollows.
struct Contour {
    std::vector<std::array<double, 2>> points;  ///< coordinates; the last point is joined to the first
};

/// The contours of a level of a 2-D field, by marching triangles: squares of nodes are halved along (0, 0) - (1, 1),
/// the field is linear in each half. Nodes with a value equal to the level are above it; nodes that are NaN, and
/// everything outside of the grid, are below it. Contours are ordered by their first node. Throws Error{bad_input} for
/// a field that is not 2-D, or a level that is not finite.
DUNLIN_API std::vector<Contour> contours(const ScalarField& field, double level, const Run& run = {});

/// A local maximum of a field.
struct Peak {
    Offset node = 0;                   ///< number of its node
    std::array<double, 3> position{};  ///< of the node
    double height = 0;                 ///< value there
    double prominence = 0;             ///< height above the highest saddle that leads to a higher peak
};

/// The maxima of a field by falling prominence (0-dimensional persistence). Nodes are neighbors if an edge of Kuhn's
/// triangulation joins them. The highest maximum has its height above 0, as has every one that no path of positive
/// values joins to a higher one. Of equal neighbors the first is the maximum. Maxima of less than `least_prominence`
/// are left out.
DUNLIN_API std::vector<Peak> peaks(const ScalarField& field, double least_prominence = 0, const Run& run = {});

}  // namespace dunlin::density
