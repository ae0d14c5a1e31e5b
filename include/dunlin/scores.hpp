// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string_view>

#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Honest scores of a map, anyone's. Each says in its docstring what is computed, by whose definition.
/// Neighbors in the map are always by Euclidean distance; no point is its own neighbor; equal distances go by id.
namespace dunlin::scores {

/// A value, with its standard error when it was sampled.
struct Score {
    double value = 0;
    double se = 0;  ///< 0: exact
};

/// How many rows, pairs or edges the scores of a map use. `sampled`: by a table of n (docs/scores.md,
/// docs/graph-scores.md), the same on every device, so that scores take a small share of the time of the map; `full`:
/// all of them; `none`: no score is computed.
enum class Extent { sampled, full, none };
constexpr std::array<std::string_view, 3> names(Extent) { return {"sampled", "full", "none"}; }

/// What --scores means, for every list that has it.
constexpr std::string_view scores_help =
    "how much of the input the scores use: sampled: rows, pairs and edges by a table of its size, with standard "
    "errors; "
    "full: all of them, which takes long; none: no scores that need another look at the input";

struct Options {
    neighbors::Metric metric = neighbors::Metric::euclidean;  ///< distance between two points of the data
    Extent extent = Extent::sampled;
    // Sizes in place of the table's, where extent is `sampled`
    std::optional<Index> exact_rows = {};   ///< up to this many rows, trustworthiness and preservation use every row
    std::optional<Index> exact_votes = {};  ///< up to this many rows, label_accuracy uses every row
    std::optional<Index> sample = {};       ///< beyond, this many rows, drawn by the run's seed without replacement
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    const auto sampled = when("scores", o.extent, {Extent::sampled});

    visit(field("metric", o.metric, "distance between two points of the data"));
    visit(field("scores", o.extent, scores_help));
    visit(field("exact-rows", o.exact_rows, "up to this many rows, trustworthiness and preservation use every row")
              .at_least(0)
              .read(sampled)
              .by_rule("by a table of n"));
    visit(field("exact-votes", o.exact_votes, "up to this many rows, label_accuracy uses every row")
              .at_least(0)
              .read(sampled)
              .by_rule("by a table of n"));
    visit(field("sample", o.sample, "beyond, this many rows are used")
              .at_least(1)
              .read(sampled)
              .by_rule("by a table of n"));
}

/// The sizes of `dunlin score`: every row up to 20,000 (label_accuracy: 100,000), 2,000 rows beyond.
constexpr Options thorough(neighbors::Metric metric = neighbors::Metric::euclidean) {
    return {.metric = metric, .exact_rows = 20000, .exact_votes = 100000, .sample = 2000};
}

/// KL(P, Q) = sum p_ij log(p_ij / q_ij) with q_ij = (1 + |y_i - y_j|^2)^-1 / Z, Z over all ordered pairs i != j.
/// Z is over all pairs, summed in double, up to 250,000 points and estimated beyond, from as many sampled rows as that
/// sum would take time for (31 billion / n, at least 2,000).
/// Throws Error{bad_input} if the sizes differ, for fewer than 2 points, or a map that is not 2-D or 3-D.
DUNLIN_API Score kl(const Graph& affinities, const Map& map, const Options& options = {}, const Run& run = {});

/// Venna and Kaski 2001: 1 - 2 / (n k (2n - 3k - 1)) * sum_i sum_{j in U_k(i)} (r(i, j) - k), where U_k(i) are points
/// among the k nearest in the map but not in the data and r their rank in the data.
/// Throws Error{bad_input} if the sizes differ or unless 1 <= k < n / 2.
DUNLIN_API Score trustworthiness(MatrixView<const float> points, const Map& map, Index k = 12,
                                 const Options& options = {}, const Run& run = {});

/// Mean share of a point's k nearest in the data that are among its k nearest in the map.
/// Throws Error{bad_input} if the sizes differ or unless 1 <= k < n.
DUNLIN_API Score preservation(MatrixView<const float> points, const Map& map, Index k, const Options& options = {},
                              const Run& run = {});

/// Share of points whose label is the vote of their k nearest in the map, leaving the point out; votes that tie go to
/// the smallest label id.
/// Throws Error{bad_input} if the sizes differ or unless 1 <= k < n.
DUNLIN_API Score label_accuracy(const Map& map, const Labels& labels, Index k = 10, const Options& options = {},
                                const Run& run = {});

/// The scores a map is reported with. Empty: what it needs was not given, or the map has too few points for its k.
struct Scores {
    std::optional<Score> kl;
    std::optional<Score> trustworthiness;  ///< k = 12
    std::optional<Score> preservation_10;
    std::optional<Score> preservation_15;
    std::optional<Score> label_accuracy;  ///< k = 10
};

/// All scores at once, the same to the bit as one by one. Where trustworthiness and preservation use the same rows, one
/// pass over the data ranks the 15 nearest in the map of each and gives both; where preservation uses more rows, their
/// nearest in the data are searched for. What is not there is given empty (a graph of no vertices, no points, no
/// labels). A stop leaves out the scores not yet computed. Extent::none computes none.
/// Throws Error{bad_input} if the sizes differ.
DUNLIN_API Scores judge(const Map& map, MatrixView<const float> points, const Graph& affinities, const Labels& labels,
                        const Options& options = {}, const Run& run = {});

// A drawing of a graph. Graphs here are undirected and simple: every edge is listed in both directions, no edge joins a
// vertex with itself and none is listed twice. E is the number of edges, each counted once; y_i is a place in the map.

/// How the scores of a drawing are computed.
struct LayoutOptions {
    bool lengths = false;  ///< the weights are lengths of edges; else every edge is 1 long
    Extent extent = Extent::sampled;
    // Sizes in place of the table's, where extent is `sampled`
    std::optional<Index> exact_sources = {};        ///< up to this many vertices, scaled_stress uses all pairs; beyond,
                                                    ///< as many sources as 2^28 steps along edges allow, at least 64
    std::optional<Offset> exact_edges = {};         ///< up to this many edges, every crossing is counted
    std::optional<Index> exact_neighborhoods = {};  ///< up to this many vertices, neighborhood_preservation uses all
    std::optional<Index> exact_angles = {};         ///< up to this many vertices, min_angle uses all
};

template <class Visit>
void fields(Visit&& visit, LayoutOptions& o) {
    const auto sampled = when("scores", o.extent, {Extent::sampled});

    visit(field("lengths", o.lengths, "the weights of edges are their lengths; else every edge is 1 long"));
    visit(field("scores", o.extent, scores_help));
    visit(field("exact-sources", o.exact_sources, "up to this many vertices, scaled_stress uses all pairs")
              .at_least(0)
              .read(sampled)
              .by_rule("by a table of n"));
    visit(field("exact-edges", o.exact_edges, "up to this many edges, every crossing is counted")
              .at_least(0)
              .read(sampled)
              .by_rule("by a table of n"));
    visit(field("exact-neighborhoods", o.exact_neighborhoods,
                "up to this many vertices, neighborhood_preservation uses all of them")
              .at_least(0)
              .read(sampled)
              .by_rule("by a table of n"));
    visit(field("exact-angles", o.exact_angles, "up to this many vertices, min_angle uses all of them")
              .at_least(0)
              .read(sampled)
              .by_rule("by a table of n"));
}

/// The sizes of `dunlin score`.
constexpr LayoutOptions thorough_layout(bool lengths = false) {
    return {.lengths = lengths,
            .exact_sources = 20000,
            .exact_edges = 100000,
            .exact_neighborhoods = 100000,
            .exact_angles = std::numeric_limits<Index>::max()};
}

/// Mean over pairs i != j of (s r_ij - d_ij)^2 / d_ij^2, where r is the distance in the map, d the length of a shortest
/// path, and s = sum(r / d) / sum((r / d)^2) the scale that makes it least (Ahmed, Erten, Kobourov et al. 2024,
/// arXiv 2408.04688; weights d^-2 as in Gansner, Koren and North 2004). Pairs without a path are left out. 0 is best,
/// 1 is a map in one point. Sampled: the pairs of sources drawn by the run's seed with all vertices, corrected by their
/// pairs with each other (src/scores/two_way.hpp); the standard error is that of the ratio, linearized.
/// Throws Error{bad_input} if the sizes differ, if there is no edge, or if a length is not finite and > 0.
DUNLIN_API Score scaled_stress(const Graph& graph, const Map& map, const LayoutOptions& options = {},
                               const Run& run = {});

/// Mean over vertices with an edge of |N and K| / |N or K|, where N are a vertex's neighbors in the graph and K the
/// same number of nearest points in the map (Kruiger et al. 2017, r = 1; NP1 of Zhong et al. 2023, t-FDP). 1 is best.
/// Sampled: of vertices drawn by the run's seed.
/// Throws Error{bad_input} if the sizes differ or if there is no edge.
DUNLIN_API Score neighborhood_preservation(const Graph& graph, const Map& map, const LayoutOptions& options = {},
                                           const Run& run = {});

/// Standard deviation of the lengths of edges in the map, over their mean; with options.lengths, of their lengths in
/// the map over those wanted. 0 is best; also 0 where all edges have no length.
/// Throws Error{bad_input} if the sizes differ or if there is no edge.
DUNLIN_API Score edge_length_cv(const Graph& graph, const Map& map, const LayoutOptions& options = {},
                                const Run& run = {});

/// How many pairs of edges without a common end meet, as closed straight segments: also where one only touches the
/// other. Whether they do is decided exactly, from the map's floats. Sampled: E (E - 1) / 2 times the share of
/// crossings among the pairs of 3,000 edges drawn by the run's seed; every crossing is counted where that share
/// promises fewer than 8 an edge and few edges are near each other. Throws Error{bad_input} if the sizes differ, if
/// there is no edge, or for a map that is not 2-D.
DUNLIN_API Score crossings(const Graph& graph, const Map& map, const LayoutOptions& options = {}, const Run& run = {});

/// Mean over vertices of degree >= 2 of the smallest angle between two of their edges, over 360 degrees / degree, the
/// largest that it can be (greadability's angular resolution, Dunne and Shneiderman 2009; MA of t-FDP). 1 is best. An
/// edge without length makes an angle of 0. Where no vertex has two edges it is 1. Sampled: of vertices drawn by the
/// run's seed.
/// Throws Error{bad_input} if the sizes differ, if there is no edge, or for a map that is not 2-D.
DUNLIN_API Score min_angle(const Graph& graph, const Map& map, const LayoutOptions& options = {}, const Run& run = {});

/// The scores a drawing is reported with. Empty: the graph has no edge, or the map is not flat.
struct LayoutScores {
    std::optional<Score> scaled_stress;
    std::optional<Score> neighborhood_preservation;
    std::optional<Score> edge_length_cv;
    std::optional<Score> crossings;  ///< of 2-D maps
    std::optional<Score> min_angle;  ///< of 2-D maps
};

/// All of them. A stop leaves out the scores not yet computed, Extent::none all. Throws Error{bad_input} if the sizes
/// differ.
DUNLIN_API LayoutScores judge(const Graph& graph, const Map& map, const LayoutOptions& options = {},
                              const Run& run = {});

}  // namespace dunlin::scores
