// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/options.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Scores of a map, made by Dunlin or by another program. Each docstring has the definition and its source.
/// Neighbors in the map use Euclidean distance; a point is not its own neighbor; ties are broken by id.
/// Scores of maps of points run on the CPU or on a GPU (Run::device). automatic takes the GPU if there is one and the
/// work is large. Both use the same rows and agree: ranks are the same, kl has the digits of float32 sums. Scores of
/// drawings run on the CPU. device cuda is an error for them.
namespace dunlin::scores {

/// A value with its standard error.
struct Score {
    double value = 0;
    double se = 0;  ///< 0: not sampled
};

/// How many rows, pairs or edges the scores use. `sampled`: sample sizes from a table of n (docs/scores.md), the same
/// on every device, so that scores take a small part of the run's time. `full`: all of them. `none`: no score is
/// computed.
enum class Extent { sampled, full, none };
constexpr std::array<std::string_view, 3> names(Extent) { return {"sampled", "full", "none"}; }

/// Help text of `scores`, for every list of fields that has it.
constexpr std::string_view scores_help =
    "what the scores use: sampled: a sample of the rows, pairs and edges, with standard errors; full: all of them, "
    "which is slow; none: no scores that need another pass over the input";

struct Options {
    neighbors::Metric metric = neighbors::Metric::euclidean;  ///< distance between two points of the data
    Extent extent = Extent::sampled;
    // Override the sizes of the table if extent is `sampled`
    std::optional<Index> exact_rows = {};   ///< up to this many rows, scores of ranks use every row
    std::optional<Index> exact_votes = {};  ///< up to this many rows, label_accuracy uses every row
    std::optional<Index> sample =
        {};  ///< with more rows, the size of the sample, drawn without replacement by the run's seed
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    const auto sampled = when("scores", o.extent, {Extent::sampled});

    visit(field("metric", o.metric, "distance between two points of the data; not inner-product"));
    visit(field("scores", o.extent, scores_help));
    visit(field("exact-rows", o.exact_rows, "up to this many rows, scores of ranks use every row")
              .at_least(0)
              .read(sampled)
              .by_rule("by a table of n"));
    visit(field("exact-votes", o.exact_votes, "up to this many rows, label_accuracy uses every row")
              .at_least(0)
              .read(sampled)
              .by_rule("by a table of n"));
    visit(field("sample", o.sample, "size of the sample if there are more rows")
              .at_least(1)
              .read(sampled)
              .by_rule("by a table of n"));
}

/// Sizes of `dunlin score`: every row up to 20,000 (label_accuracy: 100,000), else a sample of 2,000.
constexpr Options thorough(neighbors::Metric metric = neighbors::Metric::euclidean) {
    return {.metric = metric, .exact_rows = 20000, .exact_votes = 100000, .sample = 2000};
}

/// KL(P, Q) = sum p_ij log(p_ij / q_ij) with q_ij = (1 + |y_i - y_j|^2)^-1 / Z, Z over all ordered pairs i != j.
/// Up to 250,000 points Z is the sum over all pairs, in double. Beyond, it is estimated from a sample of
/// max(2,000, 31 billion / n) rows, which takes as long as the largest exact sum.
/// Throws Error{bad_input} if the sizes differ, for fewer than 2 points, or a map of more than 3 dimensions.
DUNLIN_API Score kl(const Graph& affinities, const Map& map, const Options& options = {}, const Run& run = {});

/// Venna and Kaski 2001: 1 - 2 / (n k (2n - 3k - 1)) * sum_i sum_{j in U_k(i)} (r(i, j) - k). U_k(i) has the points
/// among the k nearest in the map but not in the data; r is their rank in the data.
/// Throws Error{bad_input} if the sizes differ or unless 1 <= k < n / 2.
DUNLIN_API Score trustworthiness(MatrixView<const float> points, const Map& map, Index k = 12,
                                 const Options& options = {}, const Run& run = {});

/// Mean fraction of a point's k nearest in the data that are among its k nearest in the map.
/// Throws Error{bad_input} if the sizes differ or unless 1 <= k < n.
DUNLIN_API Score preservation(MatrixView<const float> points, const Map& map, Index k, const Options& options = {},
                              const Run& run = {});

/// Leave-one-out accuracy of the k-nearest-neighbor classifier in the map of the points that have a label, as if there
/// were no others; of several labels with most votes, that of the nearest point wins. NaN for at most k such points.
/// Throws Error{bad_input} if the sizes differ or unless 1 <= k < n.
DUNLIN_API Score label_accuracy(const Map& map, const Labels& labels, Index k = 10, const Options& options = {},
                                const Run& run = {});

/// Trustworthiness with the roles of data and map exchanged (Venna and Kaski 2001): r is the rank in the map of a point
/// among the k nearest in the data. Penalizes neighbors that were torn apart.
/// Throws Error{bad_input} if the sizes differ or unless 1 <= k < n / 2.
DUNLIN_API Score continuity(MatrixView<const float> points, const Map& map, Index k = 12, const Options& options = {},
                            const Run& run = {});

/// R_NX(K) = ((n - 1) Q(K) - K) / (n - 1 - K), Q(K) the mean share of a point's K nearest in the data that are among
/// its K nearest in the map: 1 is perfect, 0 is that of random places.
struct Rnx {
    Score auc;                  ///< sum of R_NX(K) / K over the sum of 1 / K, K = 1 .. n - 2
    std::vector<double> curve;  ///< R_NX(K) at [K - 1]
};

/// Lee, Peluffo-Ordonez and Verleysen 2015: the neighbors kept at all scales.
/// Throws Error{bad_input} if the sizes differ or for fewer than 3 points.
DUNLIN_API Rnx rnx(MatrixView<const float> points, const Map& map, const Options& options = {}, const Run& run = {});

/// Pearson's correlation of the log radii of points in the data and in the map (den-SNE, Narayan, Berger and Cho 2021).
/// The squared radius of a point is the mean squared distance to its k nearest, in the data and in the map each. Points
/// with k coincident neighbors have no log radius and are omitted. NaN if fewer than 3 are left, or if all radii are
/// equal. Throws Error{bad_input} if the sizes differ or unless 1 <= k < n.
DUNLIN_API Score density_correlation(MatrixView<const float> points, const Map& map, Index k = 15,
                                     const Options& options = {}, const Run& run = {});

/// Spearman's correlation of the distances of all pairs of 1,000 random points (Kobak and Berens 2019, CPD). NaN if all
/// distances are equal in the data or in the map. Extent::full uses 4,000 points.
/// Throws Error{bad_input} if the sizes differ or for fewer than 3 points.
DUNLIN_API Score distance_correlation(MatrixView<const float> points, const Map& map, const Options& options = {},
                                      const Run& run = {});

/// Share of min(5 n, 100,000) random triplets (i, j, k) with d(i, j) < d(i, k) in both the data and the map or in
/// neither (Wang, Huang, Rudin and Shaposhnik 2021). 0.5 is that of random places.
/// Throws Error{bad_input} if the sizes differ or for fewer than 3 points.
DUNLIN_API Score triplets(MatrixView<const float> points, const Map& map, const Options& options = {},
                          const Run& run = {});

/// preservation with k = 4 of the means of the classes in the data and in the map (Kobak and Berens 2019, KNC). Points
/// without a label are in no class.
/// Throws Error{bad_input} if the sizes differ or for fewer than 6 classes.
DUNLIN_API Score centroid_neighbors(MatrixView<const float> points, const Map& map, const Labels& labels,
                                    const Options& options = {}, const Run& run = {});

/// distance_correlation of the means of the classes. Throws Error{bad_input} if the sizes differ or for fewer than 3
/// classes.
DUNLIN_API Score centroid_correlation(MatrixView<const float> points, const Map& map, const Labels& labels,
                                      const Options& options = {}, const Run& run = {});

/// Share of the pairs of distances between the medians of the classes (column by column) that are ordered alike in the
/// data and in the map: d_p > d_q on both sides, or on neither, p before q in the order of the pairs (i, j < i). The
/// centroid triplets of PaCMAP's evaluation (Wang, Huang, Rudin and Shaposhnik 2021). Of more than 200 classes, 200
/// random ones; Extent::full uses all. Throws Error{bad_input} if the sizes differ or for fewer than 3 classes.
DUNLIN_API Score centroid_triplets(MatrixView<const float> points, const Map& map, const Labels& labels,
                                   const Options& options = {}, const Run& run = {});

/// Scores of a map in reports. Empty: its input was not given, or the map has too few points or classes.
struct Scores {
    std::optional<Score> kl;
    std::optional<Score> trustworthiness;  ///< k = 12
    std::optional<Score> continuity;       ///< k = 12
    std::optional<Score> preservation_10;
    std::optional<Score> preservation_15;
    std::optional<Score> rnx_auc;
    std::optional<Score> density_correlation;  ///< k = 15
    std::optional<Score> distance_correlation;
    std::optional<Score> triplets;
    std::optional<Score> label_accuracy;  ///< k = 10
    std::optional<Score> centroid_neighbors;
    std::optional<Score> centroid_correlation;
    std::optional<Score> centroid_triplets;
    std::vector<double> rnx_curve;  ///< as Rnx::curve
    Device device = Device::cpu;    ///< where they were computed
    std::uint64_t gpu_memory = 0;   ///< peak GPU memory in bytes
};

/// Calls visit(name, score) for all scores, in the order of reports.
template <class Visit>
void each_score(const Scores& scores, const Visit& visit) {
    visit("kl", scores.kl);
    visit("trustworthiness", scores.trustworthiness);
    visit("continuity", scores.continuity);
    visit("preservation_10", scores.preservation_10);
    visit("preservation_15", scores.preservation_15);
    visit("rnx_auc", scores.rnx_auc);
    visit("density_correlation", scores.density_correlation);
    visit("distance_correlation", scores.distance_correlation);
    visit("triplets", scores.triplets);
    visit("label_accuracy", scores.label_accuracy);
    visit("centroid_neighbors", scores.centroid_neighbors);
    visit("centroid_correlation", scores.centroid_correlation);
    visit("centroid_triplets", scores.centroid_triplets);
}

/// Computes all scores, bit for bit as the separate functions do. One pass over the data serves all scores that use the
/// same rows; if preservation uses more rows, their nearest in the data are searched. Pass an empty argument for an
/// input that does not exist (a graph without vertices, no points, no labels). A stop omits the scores not yet
/// computed; Extent::none omits all. Throws Error{bad_input} if the sizes differ.
DUNLIN_API Scores evaluate(const Map& map, MatrixView<const float> points, const Graph& affinities,
                           const Labels& labels, const Options& options = {}, const Run& run = {});

/// Evaluates several maps of the same points, one Scores per map. Computes once what depends on the data alone.
DUNLIN_API std::vector<Scores> evaluate(std::span<const Map> maps, MatrixView<const float> points,
                                        const Graph& affinities, const Labels& labels, const Options& options = {},
                                        const Run& run = {});

// Scores of drawings. Graphs are undirected and simple: every edge is listed in both directions, without self-loops and
// duplicates. E is the number of edges, each counted once; y_i is the position of vertex i.

/// Options of the scores of a drawing.
struct LayoutOptions {
    bool lengths = false;  ///< weights are ideal lengths of edges; else every length is 1
    Extent extent = Extent::sampled;
    // Override the sizes of the table if extent is `sampled`
    std::optional<Index> exact_sources = {};        ///< up to this many vertices, scaled_stress uses all pairs; beyond,
                                                    ///< as many sources as 2^28 steps along edges allow, at least 64
    std::optional<Offset> exact_edges = {};         ///< up to this many edges, every crossing is counted
    std::optional<Index> exact_neighborhoods = {};  ///< up to this many vertices, neighborhood_preservation uses all
    std::optional<Index> exact_angles = {};         ///< up to this many vertices, min_angle uses all
};

template <class Visit>
void fields(Visit&& visit, LayoutOptions& o) {
    const auto sampled = when("scores", o.extent, {Extent::sampled});

    visit(field("lengths", o.lengths, "weights are ideal lengths of edges; else every length is 1"));
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

/// Sizes of `dunlin score`.
constexpr LayoutOptions thorough_layout(bool lengths = false) {
    return {.lengths = lengths,
            .exact_sources = 20000,
            .exact_edges = 100000,
            .exact_neighborhoods = 100000,
            .exact_angles = std::numeric_limits<Index>::max()};
}

/// Mean over pairs i != j of (s r_ij - d_ij)^2 / d_ij^2. r is the distance in the map, d the length of a shortest path,
/// and s = sum(r / d) / sum((r / d)^2) the scale that minimizes it (Ahmed, Erten, Kobourov et al. 2024,
/// arXiv 2408.04688; weights d^-2 as in Gansner, Koren and North 2004). Pairs without a path are omitted. 0 is best;
/// all vertices in one point give 1. Sampled: the pairs of random sources with all vertices, corrected by the pairs
/// among the sources (src/scores/pair_means.hpp); the standard error is that of the linearized ratio. Throws
/// Error{bad_input} if the sizes differ, if there is no edge, or if a length is not finite and > 0.
DUNLIN_API Score scaled_stress(const Graph& graph, const Map& map, const LayoutOptions& options = {},
                               const Run& run = {});

/// Mean over vertices with an edge of the Jaccard index |N and K| / |N or K|. N has a vertex's neighbors in the graph,
/// K as many nearest points in the map (Kruiger et al. 2017, r = 1; NP1 of Zhong et al. 2023, t-FDP). 1 is best.
/// The mean over all choices of K among equal distances. Sampled: a random sample of the vertices.
/// Throws Error{bad_input} if the sizes differ or if there is no edge.
DUNLIN_API Score neighborhood_preservation(const Graph& graph, const Map& map, const LayoutOptions& options = {},
                                           const Run& run = {});

/// Coefficient of variation of the lengths of edges in the map; with options.lengths, of their ratios to the ideal
/// lengths. 0 is best; NaN if all edges have zero length.
/// Throws Error{bad_input} if the sizes differ or if there is no edge.
DUNLIN_API Score edge_length_cv(const Graph& graph, const Map& map, const LayoutOptions& options = {},
                                const Run& run = {});

/// Number of pairs of edges without a common end that intersect as closed segments; touching counts. The test is exact
/// for the map's floats. Sampled: E (E - 1) / 2 times the fraction of crossing pairs among 3,000 random edges; all
/// crossings are counted if the sample predicts fewer than 8 per edge and few edges are near each other.
/// Throws Error{bad_input} if the sizes differ, if there is no edge, or for a map that is not 2-D.
DUNLIN_API Score crossings(const Graph& graph, const Map& map, const LayoutOptions& options = {}, const Run& run = {});

/// Mean over vertices of degree >= 2 of the smallest angle between two of their edges, divided by its upper bound
/// 360 degrees / degree (greadability's angular resolution, Dunne and Shneiderman 2009; MA of t-FDP). 1 is best. An
/// edge of zero length gives an angle of 0. The score is 1 if no vertex has two edges. Sampled: a random sample of the
/// vertices.
/// Throws Error{bad_input} if the sizes differ, if there is no edge, or for a map that is not 2-D.
DUNLIN_API Score min_angle(const Graph& graph, const Map& map, const LayoutOptions& options = {}, const Run& run = {});

/// Scores of a drawing in reports. Empty: the graph has no edge, or the map is not 2-D.
struct LayoutScores {
    std::optional<Score> scaled_stress;
    std::optional<Score> neighborhood_preservation;
    std::optional<Score> edge_length_cv;
    std::optional<Score> crossings;  ///< of 2-D maps
    std::optional<Score> min_angle;  ///< of 2-D maps
};

/// Computes all of them. A stop omits the scores not yet computed; Extent::none omits all. Throws Error{bad_input} if
/// the sizes differ.
DUNLIN_API LayoutScores evaluate(const Graph& graph, const Map& map, const LayoutOptions& options = {},
                                 const Run& run = {});

}  // namespace dunlin::scores
