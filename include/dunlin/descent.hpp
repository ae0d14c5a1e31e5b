// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/types.hpp>

/// Choices, options and results common to the neighbor embeddings (t-SNE, UMAP, PaCMAP).
namespace dunlin::descent {

/// How repulsion between all pairs is summed. automatic: by a measured crossover in n; on a CPU, above 1,000 points,
/// adaptive: tree or grid by the span of the map, chosen again every 50 iterations. drawn: in maps of more than 3
/// dimensions, the repulsion of random points, drawn anew in each iteration, in place of that of all.
enum class Repulsion { automatic, exact, tree, grid, adaptive, drawn };
constexpr std::array<std::string_view, 6> names(Repulsion) {
    return {"auto", "exact", "tree", "grid", "adaptive", "drawn"};
}

/// Most dimensions of a map of UMAP and PaCMAP.
constexpr int most_dimensions = 64;

/// spectral: a Laplacian eigenmap of the edges (Belkin and Niyogi 2003); components of a disconnected graph begin where
/// their principal coordinates are.
enum class Start { pca, random, spectral };
constexpr std::array<std::string_view, 3> names(Start) { return {"pca", "random", "spectral"}; }

/// Continuation of a map of some points as a map of all. fixed: the given points keep their places. grow: all move.
enum class Continuation { fixed, grow };
constexpr std::array<std::string_view, 2> names(Continuation) { return {"fixed", "grow"}; }

/// Given results of stages; null: to be computed.
struct Given {
    /// n rows, weights are distances, in any order, no point its own neighbor. With an option k the nearest k of them
    /// are read (PaCMAP chooses k among all); a row that has fewer is an error
    const Graph* neighbors = nullptr;
    /// Initial map of n points, used as it is, or scaled if it is far wider than maps are
    /// (EmbeddingResult::start_scale)
    const Map* start = nullptr;
    bool keeps_start = false;  ///< do not scale the start. Starts with fixed points are never scaled
    /// For each point whether it keeps the coordinates of its start, to the bit. Needs a start. Empty: all points move.
    std::span<const std::uint8_t> fixed = {};
    Graph* found = nullptr;          ///< takes the lists of neighbors that a search finds
    const Labels* labels = nullptr;  ///< classes of the points, for UMAP with labels_weight; < 0: unknown
    /// For t-SNE and UMAP, n x n, NaN: missing (neighbors::search_matrix): neighbors are searched in it, and the points
    /// are read for the start alone
    const Matrix* dissimilarities = nullptr;
    // For t-SNE
    const Graph* affinities = nullptr;          ///< n rows, in place of neighbors (tsne::joint_affinities)
    std::span<const float> point_weights = {};  ///< > 0, share of each point in the affinities. Empty: 1 each
    const Map* anchors = nullptr;               ///< where springs draw points; a row of NaN: no spring
};

/// The graph that is given in place of a search, or null.
inline const Graph* given_graph(const Given& given) {
    return given.affinities != nullptr ? given.affinities : given.neighbors;
}

/// Part of all results: options.search is the search method that ran, search_recall its estimated recall.
template <class Options>
struct EmbeddingResult : Outcome<Options> {
    Map map;
    Offset strays = 0;  ///< grid on a GPU: how often a point outside the grid was clamped to its border; usually 0
    double search_recall = 1, search_recall_se = 0;
    double start_scale = 1;  ///< factor by which a given start was scaled around its center
};

/// The reason for which a given start was scaled, as a sentence without a subject: "scaled by ...".
DUNLIN_API std::string start_note(double start_scale);

// Fields that the options of several methods have, for their lists `fields`.

/// search, recall.
template <class Visit, class Options>
void recall_fields(Visit&& visit, Options& o) {
    using enum neighbors::Method;
    visit(field("neighbors", o.search, "neighbor search, or a graph file from dunlin neighbors").or_file());
    visit(field("recall", o.recall, "target recall of an approximate search: fraction of the true neighbors found")
              .above(0)
              .at_most(1)
              .read(when("neighbors", o.search, {automatic, approximate}))
              .otherwise(neighbors::default_recall));
}

/// pca, metric, search, recall.
template <class Visit, class Options>
void search_fields(Visit&& visit, Options& o) {
    visit(field("pca", o.pca, "reduce points of more columns to this many principal components")
              .at_least(1)
              .by_rule("all columns"));
    visit(field("metric", o.metric, "distance between two points; not inner-product"));
    recall_fields(visit, o);
}

/// least_gain, longest_step: of a descent with gains.
template <class Visit, class Options>
void step_fields(Visit&& visit, Options& o) {
    visit(field("least-gain", o.least_gain, "lower bound of the gains").at_least(0));
    visit(field("longest-step", o.longest_step, "maximum step of a point per iteration, in map units; 0: no bound")
              .at_least(0)
              .may_change());
}

/// Default distance of the grid's nodes in 1-D and 2-D, in 3-D, and both as text.
struct DefaultSpacing {
    float plane, space;
    std::string_view text;
};

/// repulsion, theta, spacing.
template <class Visit, class Options>
void repulsion_fields(Visit&& visit, Options& o, const DefaultSpacing& spacing) {
    const auto repulsion = [&](std::initializer_list<Repulsion> values) {
        return when("repulsion", o.repulsion, values);
    };
    visit(field("repulsion", o.repulsion,
                "algorithm of the repulsion; adaptive: tree or grid, depending on the span of the map; drawn: in more "
                "than 3 dimensions"));
    visit(field("theta", o.theta, "accuracy of the tree: maximum ratio of cell side to distance")
              .at_least(0)
              .read(repulsion({Repulsion::tree, Repulsion::adaptive}))
              .otherwise(0.5F)
              .may_change());
    visit(field("spacing", o.spacing, "maximum distance between grid nodes, in map units")
              .above(0)
              .read(repulsion({Repulsion::grid, Repulsion::adaptive}))
              .otherwise(spacing.plane)
              .otherwise(spacing.space, when("dim 3", o.dim == 3))
              .by_rule(spacing.text));
}

/// draws: of methods whose maps may have more than 3 dimensions.
template <class Visit, class Options>
void draws_field(Visit&& visit, Options& o, Index draws) {
    visit(field("draws", o.draws, "points drawn per point and iteration, whose repulsion stands for that of all")
              .at_least(1)
              .read(when("repulsion", o.repulsion, {Repulsion::automatic, Repulsion::drawn}))
              .read(when("maps have more than 3 dimensions", o.dim > 3))
              .otherwise(draws));
}

}  // namespace dunlin::descent
