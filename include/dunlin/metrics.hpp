#pragma once

#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Honest scores of a map. Each says in its docstring what is computed, by whose definition.
namespace dunlin::metrics {

/// A value, with its standard error when it was sampled.
struct Score {
    double value = 0;
    double se = 0;  ///< 0: exact
};

struct Options {
    neighbors::Metric metric = neighbors::Metric::euclidean;
    Index exact_rows = 20000;  ///< up to this many rows every row is looked at
    Index sample = 2000;       ///< beyond, this many rows, drawn by the run's seed
};

/// KL(P, Q) = sum p_ij log(p_ij / q_ij) with q_ij = (1 + |y_i - y_j|^2)^-1 / Z, Z over all ordered pairs i != j.
/// Z is exact in double up to 250,000 points and estimated from sampled rows beyond.
/// Throws Error{bad_input} if the sizes differ.
DUNLIN_API Score kl(const Graph& affinities, const Map& map, const Options& options = {}, const Run& run = {});

/// Venna and Kaski 2001: 1 - 2 / (n k (2n - 3k - 1)) * sum_i sum_{j in U_k(i)} (r(i, j) - k), where U_k(i) are points
/// among the k nearest in the map but not in the data and r their rank in the data. Needs k < n / 2.
DUNLIN_API Score trustworthiness(MatrixView<const float> points, const Map& map, Index k = 12,
                                 const Options& options = {}, const Run& run = {});

/// Mean share of a point's k nearest in the data that are among its k nearest in the map.
DUNLIN_API Score preservation(MatrixView<const float> points, const Map& map, Index k, const Options& options = {},
                              const Run& run = {});

/// Share of points whose label is the vote of their k nearest in the map, leaving the point out; votes that tie go to
/// the smallest label id.
DUNLIN_API Score label_accuracy(const Map& map, const Labels& labels, Index k = 10, const Options& options = {},
                                const Run& run = {});

}  // namespace dunlin::metrics
