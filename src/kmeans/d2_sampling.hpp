// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kmeans/formulas.hpp"
#include "math/rng.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

/// D^2 sampling of initial centroids (Arthur and Vassilvitskii 2007; Bahmani et al. 2012), once for all devices. The
/// D^2 weight of a row is its weight times its squared distance to the nearest centroid so far. D^2 weights are added
/// as integers, so that sums and draws do not depend on the order. A sampler has the D^2 weights of all rows and
///     void begin(Offset row)                               makes this row the first centroid
///     void update(const std::vector<Offset>& rows)         adds these rows as centroids
///     void add(Index k, seed, int draws)                   draws rows by D^2 weight, adds the best one as a centroid
///     std::vector<Offset> draw_many(double, seed, round)   draws about so many rows independently; ascending
///     std::vector<Offset> chosen()                         the rows of begin and add
namespace dunlin::kmeans {

/// sum + (x - c)^2 in float32, each operation rounded: the same bits on all devices.
DUNLIN_HD inline float add_float_square(float sum, float x, float c) {
#if defined(__CUDA_ARCH__)
    const float difference = __fsub_rn(x, c);
    return __fadd_rn(sum, __fmul_rn(difference, difference));
#else
    const float difference = x - c;
    return sum + difference * difference;
#endif
}

/// `nearest`: a squared distance.
DUNLIN_HD inline double d2_weight_of(double weight, float nearest) { return weight * static_cast<double>(nearest); }

/// Target u * sum for u in [0, 1); the row drawn is the first whose running sum of D^2 weights exceeds it.
DUNLIN_HD inline Sum target_of(double u, Sum sum) {
    const auto target = static_cast<Sum>(u * static_cast<double>(sum));
    return target < sum ? target : sum - 1;
}
/// The row drawn if all D^2 weights are 0: all rows are equally likely.
DUNLIN_HD inline Offset any_row(double u, Offset rows) {
    const auto row = static_cast<Offset>(u * static_cast<double>(rows));
    return row < rows ? row : rows - 1;
}
/// Random number in [0, 1) for draw `draw` of centroid k.
DUNLIN_HD inline double draw_number(std::uint64_t seed, Index k, int draw) {
    return math::random_uniform(seed, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(draw));
}
/// Whether a row is one of about `wanted` rows drawn independently, with probability proportional to weight / sum.
DUNLIN_HD inline bool is_drawn(double wanted, Sum weight, Sum sum, std::uint64_t seed, Offset row, int round) {
    const double u = math::random_uniform(seed, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(round));
    return u * static_cast<double>(sum) < wanted * static_cast<double>(weight);
}

/// Draws at each step of k-means++, of which the one that lowers the sum of D^2 weights most is kept.
inline int draws_of(Index clusters) { return 2 + static_cast<int>(std::log(static_cast<double>(clusters))); }

/// k-means++ from this first row: exactly `clusters` rows, since every add chooses one, also where all D^2 weights are
/// 0. Each step begins with a cancellation point.
template <class Sampler>
std::vector<Offset> plus_plus(Sampler& sampler, Offset first, Index clusters, std::uint64_t seed, const Run& run) {
    progress::ProgressReporter reporter(run, "start", clusters);
    sampler.begin(first);
    for (Index k = 1; k < clusters; ++k) {
        progress::cancellation_point();
        sampler.add(k, seed, draws_of(clusters));
        reporter.tick(k + 1);
    }
    return sampler.chosen();
}

/// Rounds of k-means|| and the expected number of rows drawn in one.
constexpr int parallel_rounds = 5;
inline double draws_per_round(Index clusters) { return 0.5 * clusters + 2; }

/// Upper bound of the candidates of k-means||: rows are drawn independently, so the standard deviation of their number
/// is at most the root of its expectation, and the bound is 8 of these above it.
inline Offset most_candidates(Index clusters) {
    const double expected = 1 + parallel_rounds * draws_per_round(clusters);
    return static_cast<Offset>(expected + 8 * std::sqrt(expected));
}

/// The candidates of k-means||: this first row, and in each of five rounds about half as many rows as clusters.
template <class Sampler>
std::vector<Offset> parallel_candidates(Sampler& sampler, Offset first, Index clusters, std::uint64_t seed) {
    sampler.begin(first);
    std::vector<Offset> candidates = sampler.chosen();
    sampler.update(candidates);
    for (int round = 1; round <= parallel_rounds; ++round) {
        const std::vector<Offset> drawn = sampler.draw_many(draws_per_round(clusters), seed, round);
        if (drawn.empty()) continue;
        sampler.update(drawn);
        candidates.insert(candidates.end(), drawn.begin(), drawn.end());
    }
    return candidates;
}

}  // namespace dunlin::kmeans
