// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "kmeans/formulas.hpp"
#include "math/rng.hpp"

/// How starts are drawn, once for every device. A row's share is its weight times its squared distance to the nearest
/// of the centroids so far; shares are added as integers, so that sums and what is drawn by them have no order. A
/// spread knows all rows' shares; it has
///     void begin(Offset row)                               the first centroid: this row
///     void meet(const std::vector<Offset>& rows)           these rows are centroids too
///     void add(Index k, seed, int draws)                   the best of some rows drawn by their shares becomes one too
///     std::vector<Offset> draw_many(double, seed, round)   about so many rows, each on its own, ascending
///     std::vector<Offset> chosen()                         the rows of begin and add
namespace dunlin::kmeans {

/// sum + (x - c)^2 in float32, each operation rounded: the same bits on all devices.
DUNLIN_HD inline float far_square(float sum, float x, float c) {
#if defined(__CUDA_ARCH__)
    const float apart = __fsub_rn(x, c);
    return __fadd_rn(sum, __fmul_rn(apart, apart));
#else
    const float apart = x - c;
    return sum + apart * apart;
#endif
}

/// `nearest`: a squared distance.
DUNLIN_HD inline double d2_weight_of(double weight, float nearest) { return weight * static_cast<double>(nearest); }

/// Where u in [0, 1) of the sum of all shares is reached; the row drawn is the first whose running sum exceeds it.
DUNLIN_HD inline Sum target_of(double u, Sum sum) {
    const auto target = static_cast<Sum>(u * static_cast<double>(sum));
    return target < sum ? target : sum - 1;
}
/// The row drawn where no row has a share: all are equally likely.
DUNLIN_HD inline Offset any_row(double u, Offset rows) {
    const auto row = static_cast<Offset>(u * static_cast<double>(rows));
    return row < rows ? row : rows - 1;
}
/// A number in [0, 1) for draw `draw` of centroid k.
DUNLIN_HD inline double draw_number(std::uint64_t seed, Index k, int draw) {
    return math::random_uniform(seed, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(draw));
}
/// Whether a row is one of about `wanted` drawn on their own, by their shares of `sum`.
DUNLIN_HD inline bool is_drawn(double wanted, Sum weight, Sum sum, std::uint64_t seed, Offset row, int round) {
    const double u = math::random_uniform(seed, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(round));
    return u * static_cast<double>(sum) < wanted * static_cast<double>(weight);
}

/// Draws at each step, of which the one that lowers the sum most is kept.
inline int draws_of(Index clusters) { return 2 + static_cast<int>(std::log(static_cast<double>(clusters))); }

/// k-means++ from this first row. Every draw begins with a cancellation point.
template <class Sampler>
std::vector<Offset> plus_plus(Sampler& sampler, Offset first, Index clusters, std::uint64_t seed, const Run& run) {
    device::ProgressReporter reporter(run, "start", clusters);
    sampler.begin(first);
    for (Index k = 1; k < clusters; ++k) {
        device::cancellation_point();
        sampler.add(k, seed, draws_of(clusters));
        reporter.tick(k + 1);
    }
    return sampler.chosen();
}

/// Rounds of k-means|| and how many rows one is to draw.
constexpr int parallel_rounds = 5;
inline double draws_per_round(Index clusters) { return 0.5 * clusters + 2; }

/// More candidates than k-means|| ever draws: rows are drawn on their own, so that their number varies by its root.
inline Offset most_candidates(Index clusters) {
    const double expected = 1 + parallel_rounds * draws_per_round(clusters);
    return static_cast<Offset>(expected + 8 * std::sqrt(expected));
}

/// The candidates of k-means||: this first row and five rounds of about half as many rows as clusters.
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
