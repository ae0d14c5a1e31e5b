// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/types.hpp>
#include <dunlin/umap.hpp>

/// Rows of data for places in a map of UMAP.
namespace dunlin::umap {

/// nearest and steps are free; the others must be those with which the map was made.
struct InverseOptions {
    std::optional<Index> k = {};  ///< neighbors of a point, the point itself counted; default 15, or all that are given
    float min_dist = Options{}.min_dist, spread = Options{}.spread;
    std::optional<float> a = {}, b = {};  ///< default: fitted to min_dist and spread
    float local_connectivity = Options{}.local_connectivity;
    neighbors::Method search = neighbors::Method::automatic;
    std::optional<double> recall = {};  ///< of the neighbors an approximate search finds; default 0.99
    Index nearest = 15;                 ///< nearest points of the map, whose rows are mixed
    int steps = 20;                     ///< of L-BFGS
};

template <class Visit>
void fields(Visit&& visit, InverseOptions& o) {
    visit(field("k", o.k, "neighbors per point of the map, the point itself counted")
              .at_least(2)
              .by_rule("15; of given neighbors all"));
    curve_fields(visit, o);
    visit(field("local-connectivity", o.local_connectivity,
                "nearest neighbors of a point that are members in full; a fraction interpolates")
              .at_least(0));
    descent::recall_fields(visit, o);
    visit(field("nearest", o.nearest, "nearest points of the map, whose rows are mixed").at_least(1).at_most(1000));
    visit(field("steps", o.steps, "most steps by which a mixture is improved; 0: weighted means").at_least(0));
}

/// Stages: "neighbors", "inverse".
struct InverseResult : Outcome<InverseOptions> {
    Matrix rows;                   ///< a row per place, of as many columns as the points; no rows if cancelled
    std::vector<float> distance;   ///< of each place to the nearest point of the map
    double neighbor_distance = 0;  ///< median distance of a point of the map to its nearest one in the map
};

/// The row of data that belongs to each place y in the map of `points`. It minimizes the cross entropy of its
/// memberships to the rows x_j of the places y_j that are nearest to y, w_j = exp(-max(0, |x - x_j| - rho_j) /
/// sigma_j), with v_j = 1 / (1 + a |y - y_j|^2b) fixed:
///   f(x) = - sum_j [v_j log w_j + (1 - v_j) log((e + 1 - w_j) / (e + 1))], e = 0.001,
/// from the mean of the x_j, weighted by v_j, by L-BFGS. All x are affine combinations of the x_j. rho_j and sigma_j
/// are those of x_j in the data (local_scale). A row depends on the map, its points and the options, never on other
/// places or threads. Distances are euclidean. given: neighbors of the points, or a state of them. Throws
/// Error{bad_input}, with the row where there is one, for NaN or infinity, other numbers of rows or dimensions, a state
/// of other points or of principal components, another metric than euclidean; Error{out_of_memory}. Runs on a CPU; the
/// search for the neighbors of the points also on a GPU.
DUNLIN_API InverseResult invert(MatrixView<const float> points, const Map& map, const Map& places,
                                const InverseOptions& options = {}, const Run& run = {},
                                const placement::Given& given = {});

}  // namespace dunlin::umap
