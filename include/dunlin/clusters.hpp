// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/group_tree.hpp>
#include <dunlin/linkage.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Density clusters (HDBSCAN; Campello, Moulavi and Sander 2013). With c(p) the distance of p to its k-th nearest
/// point, p counted, and the mutual reachability m(p, q) = max(c(p), c(q), d(p, q) / alpha), the components of the
/// pairs with m <= t form a hierarchy as t rises. Clusters are those of its groups of at least `min_size` points that
/// last longest; the other points are noise. Pairs of equal m join at once, so that the result does not depend on the
/// order of rows.
namespace dunlin::clusters {

/// eom: the groups with the greatest sum of stabilities (excess of mass). leaf: the groups that do not split.
enum class Selection { eom, leaf };
constexpr std::array<std::string_view, 2> names(Selection) { return {"eom", "leaf"}; }

/// exact: the minimum spanning tree of all pairs. graph: that of max(2 k, 32) neighbors of each point, whose components
/// are joined by their nearest pairs. automatic: exact up to 4 columns or n^2 * columns = 1e13, else graph.
enum class Method { automatic, exact, graph };
constexpr std::array<std::string_view, 3> names(Method) { return {"auto", "exact", "graph"}; }

struct Options {
    Index min_size = 10;
    std::optional<Index> min_samples = {};  ///< k
    std::optional<Index> max_size = {};
    neighbors::Metric metric = neighbors::Metric::euclidean;
    Method method = Method::automatic;
    Selection select = Selection::eom;
    double epsilon = 0;
    double alpha = 1;
    bool single = false;
    Index layers = 1;
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("min-size", o.min_size, "points that a cluster has at least").at_least(2));
    visit(field("min-samples", o.min_samples,
                "the core distance of a point is that to its nearest point of this number, itself counted")
              .at_least(1)
              .by_rule("min-size, at most the number of points"));
    visit(field("max-size", o.max_size, "larger clusters give way to those they split into")
              .at_least(1)
              .read(when("select", o.select, {Selection::eom})));
    visit(field("metric", o.metric, "distance between two points"));
    visit(field("method", o.method, "all pairs, neighbors only, or chosen by size"));
    visit(field("select", o.select, "most stable groups, or those that do not split"));
    visit(field("epsilon", o.epsilon, "distance below which clusters do not split").at_least(0));
    visit(field("alpha", o.alpha, "divides distances between two points, not core distances").above(0));
    visit(field("single", o.single, "all points may be one cluster"));
    visit(field("layers", o.layers, "layers of clusters, from coarse to fine; the finest are the clusters")
              .at_least(1)
              .at_most(100));
}

/// Labels of points that are no members of clusters.
constexpr Index noise = -1, infinite_row = -2, missing_row = -3;

/// Stages: "neighbors", "spanning", "tree".
struct Result : Outcome<Options> {
    /// Cluster of each point, numbered as the clusters' groups; -1: noise; -2: a value of its row is infinite; -3: one
    /// is NaN, or infinities of both signs. Rows that are not finite take no part.
    std::vector<Index> labels;
    /// 1 / level at which the point leaves its cluster over the largest of its points that are not in a smaller group,
    /// at most 1; 0: noise; NaN: label -3
    std::vector<double> strengths;
    std::vector<double> outlier_scores;  ///< GLOSH, from 0 to 1; NaN: not finite
    std::vector<double> core;            ///< core distances; NaN: not finite
    /// layers[0]: the clusters; then coarser ones, as many as Options::layers asks for and the tree has. With K
    /// clusters layer j of N, from the coarsest, has about K^(j / N) groups: those that a larger min_size would leave.
    /// Numbers of groups: those of the clusters, and the next ones for coarser groups, so that a number is one group in
    /// all layers.
    GroupTree tree;
    std::vector<Merge> linkage;  ///< of the points that take part, in their order
    Index clusters = 0;          ///< number of clusters
    bool exact = true;           ///< the spanning tree is that of all pairs
};

/// Clusters the rows of points. The result does not depend on the number of threads. Throws Error{bad_input} for no
/// rows, min_samples above the number of finite rows, inner products, and values so large that distances overflow;
/// Error{out_of_memory} before the run. If cancelled, returns no labels.
DUNLIN_API Result cluster(MatrixView<const float> points, const Options& options = {}, const Run& run = {});

/// Clusters items by a square matrix of their distances: symmetric up to rounding (the half above the diagonal counts),
/// none negative or NaN; infinite ones join at infinity. Options::metric and method are not read.
DUNLIN_API Result cluster_matrix(MatrixView<const float> distances, const Options& options = {}, const Run& run = {});

/// Clusters items by lists of neighbors with distances, such as neighbors::search makes: only listed pairs are joined,
/// and components meet at infinity. A pair counts for both of its items, whichever lists the other, and once, by the
/// smaller distance, if both do. A core distance is infinite where an item is in fewer than min_samples - 1 pairs.
/// Options::metric and method are not read. The result is not `exact`.
DUNLIN_API Result cluster_graph(const Graph& neighbors, const Options& options = {}, const Run& run = {});

/// Labels and strengths of new points.
struct Predicted {
    std::vector<Index> labels;
    std::vector<double> strengths;
};

/// A query that equals a point has its label and strength. Any other joins the tree at the point with the least mutual
/// reachability among its 2 k nearest, ties to the lower number, and is in the cluster that is there at this level.
/// `points` are those of the result. New points are placed on the CPU, wherever the clusters were found.
DUNLIN_API Predicted predict(const Result& result, MatrixView<const float> points, MatrixView<const float> queries,
                             const Run& run = {});

/// Random halves of the points by which stability is measured, and the value below which a cluster is not stable.
constexpr int half_samples = 20;
constexpr double stable_from = 0.6;

/// For each cluster of points the mean over random halves of the points of its largest Jaccard index with a cluster of
/// the half, found by the same options with half the sizes (Hennig 2007, by subsets): near 1 for clusters that any half
/// shows, below stable_from for those that hang on single points. NaN: no half has a point of it. Stage: "stability".
/// Takes about ten times as long as the clusters. If cancelled, returns nothing.
DUNLIN_API std::vector<double> stabilities(const Result& result, MatrixView<const float> points, const Run& run = {});

}  // namespace dunlin::clusters
