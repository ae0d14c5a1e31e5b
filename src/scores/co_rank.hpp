// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <dunlin/scores.hpp>

#include "math/hd.hpp"
#include "scores/pair_distances.hpp"

/// The co-ranking matrix of sampled rows (Lee and Verleysen 2009): the ranks of all points by their distance from a
/// row, in the data and in a map. Ties are broken by id; a row itself has no rank.
namespace dunlin::scores {

/// Co-ranking of one map. Ranks begin at 1. k = nearest.
struct CoRanking {
    Index n = 0;
    std::vector<Index> data_ranks;  ///< rows x nearest: ranks in the data of the given neighbors in the map
    std::vector<Index> map_ranks;   ///< rows x nearest: ranks in the map of the row's nearest in the data
    std::vector<double> rnx_auc;    ///< a row's share of the score: its mean is the score
    std::vector<Offset> kept;       ///< kept[m - 1]: pairs whose larger rank is m, over all rows
    std::vector<double> data_radius, map_radius;  ///< mean squared distances to the nearest; the unit is arbitrary
};

/// Square of a distance, in double, where it is exact, from its value as PairDistances have it: that of euclidean is
/// the square, those of the other metrics are the distance.
DUNLIN_HD inline double square_of(float value, neighbors::Metric metric) {
    const auto wide = static_cast<double>(value);
    return metric == neighbors::Metric::euclidean ? wide : wide * wide;
}

/// Ranks all points from every row in the data, once, and in every map. Of each map, neighbors[m] has the `nearest`
/// points of every row. Requires n >= 3 and 1 <= nearest < n. Throws Error{out_of_memory}.
std::vector<CoRanking> co_rank(device::Cpu& cpu, const Run& run, PairDistances& distances, std::span<const Map> maps,
                               std::span<const Index> rows, std::span<const std::vector<Index>> neighbors,
                               Index nearest);

/// Weights of pairs by their larger rank m, at [m - 1], in units of rnx_unit: a row's value is the sum of its pairs'
/// weights minus 1. Integers, so that sums do not depend on their order; a row's is at most 2.
std::vector<std::int64_t> rnx_weights(Index n);
constexpr double rnx_unit = 0x1p-61;

/// R_NX(K) for K = 1 .. n - 2: ((n - 1) Q(K) - K) / (n - 1 - K), Q(K) the mean share of a row's K nearest that is kept.
std::vector<double> rnx_curve(const CoRanking& ranking);

}  // namespace dunlin::scores
