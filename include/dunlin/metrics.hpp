#pragma once

#include <optional>

#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Honest scores of a map, anyone's. Each says in its docstring what is computed, by whose definition.
/// Neighbours in the map are always by Euclidean distance; no point is its own neighbour; equal distances go by id.
namespace dunlin::metrics {

/// A value, with its standard error when it was sampled.
struct Score {
    double value = 0;
    double se = 0;  ///< 0: exact
};

struct Options {
    neighbors::Metric metric = neighbors::Metric::euclidean;  ///< distance between two points of the data
    Index exact_rows = 20000;    ///< up to this many rows the ranks of every row's neighbours are looked at
    Index exact_votes = 100000;  ///< up to this many rows every row's vote is counted: that needs no data, only the map
    Index sample = 2000;         ///< beyond, this many rows, drawn by the run's seed without replacement
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit("metric", o.metric, "distance between two points of the data");
    visit("exact-rows", o.exact_rows, "up to this many rows, trustworthiness and preservation look at every row");
    visit("exact-votes", o.exact_votes, "up to this many rows, label_accuracy looks at every row");
    visit("sample", o.sample, "beyond, this many rows are looked at");
}

/// KL(P, Q) = sum p_ij log(p_ij / q_ij) with q_ij = (1 + |y_i - y_j|^2)^-1 / Z, Z over all ordered pairs i != j.
/// Z is over all pairs, summed in double, up to 250,000 points and estimated beyond, from as many sampled rows as that
/// sum would take time for (31 billion / n, at least options.sample).
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

/// All scores at once, the same to the bit as one by one, in one pass over the data: the ranks in the data of a row's
/// 15 nearest in the map give trustworthiness and both preservations. What is not there is given empty (a graph of no
/// vertices, no points, no labels). A stop leaves out the scores not yet computed.
/// Throws Error{bad_input} if the sizes differ.
DUNLIN_API Scores judge(const Map& map, MatrixView<const float> points, const Graph& affinities, const Labels& labels,
                        const Options& options = {}, const Run& run = {});

}  // namespace dunlin::metrics
