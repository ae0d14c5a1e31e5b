// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

/// Estimates of means over all pairs of n items, from m sampled items and their pairs with all items.
///
/// The term of a pair is mean + a_i + a_j + e_ij (Hoeffding 1948). The mean over the rows of the sample has the error
/// mean(a); the mean over the pairs within the sample has the error 2 mean(a) + mean(e). Twice the first minus the
/// second cancels a: its standard deviation is sd(e) sqrt(2) / m, in place of sd(a) / sqrt(m). The result is the
/// combination of the first and the corrected estimate with the least variance; their errors are uncorrelated.
namespace dunlin::scores {

/// Maximum sample size: the m x m terms of a larger one take too much memory.
constexpr Index max_pair_sample = 4096;

/// K means, and the standard error of a linearized score that is a function of them.
template <std::size_t K>
struct PairMeans {
    std::array<double, K> means{};
    double se = 0;
};

namespace pair_means_detail {

template <std::size_t K>
double along(const std::array<double, K>& gradient, const std::array<double, K>& terms) {
    double sum = 0;
    for (std::size_t k = 0; k < K; ++k) sum += gradient[k] * terms[k];
    return sum;
}

/// Variances of the two estimates of one mean.
struct Variances {
    double rows = 0;   ///< of the mean over rows
    double cross = 0;  ///< of the corrected mean
};

/// row[i]: mean of item i's terms with all others; term(i, j): term of two sampled items; mean: the corrected mean.
template <class Term>
Variances variances(std::span<const double> row, Index n, double mean, const Term& term) {
    const auto m = static_cast<double>(row.size());
    const double left = 1 - m / n;               // finite population
    const double whole = (n - 1.0) / (n - 2.0);  // a row has no pair with itself, hence less of its a
    double row_mean = 0, squares = 0, rest = 0;
    for (const double r : row) row_mean += r / m;
    for (std::size_t i = 0; i < row.size(); ++i) {
        squares += (row[i] - row_mean) * (row[i] - row_mean);
        for (std::size_t j = 0; j < i; ++j) {
            const double e = term(i, j) - mean - (row[i] + row[j] - 2 * mean) * whole;
            rest += e * e;
        }
    }
    const double pairs = m * (m - 1) / 2;
    return {squares / (m - 1) / m * left, rest / pairs / pairs * left * left};
}

}  // namespace pair_means_detail

/// rows: sums of each sampled item's terms with all n - 1 others; pair(i, j): terms of sampled items i and j,
/// symmetric; gradient(means): derivatives of the score. Requires 3 <= rows.size() < n.
template <std::size_t K, class Pair, class Gradient>
PairMeans<K> pair_means(std::span<const std::array<double, K>> rows, Index n, const Pair& pair,
                        const Gradient& gradient) {
    using pair_means_detail::along;
    const auto m = static_cast<double>(rows.size());
    std::array<double, K> by_rows{}, among{}, corrected{};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t k = 0; k < K; ++k) by_rows[k] += rows[i][k] / m / (n - 1);
        for (std::size_t j = 0; j < i; ++j) {
            const std::array<double, K> terms = pair(i, j);
            for (std::size_t k = 0; k < K; ++k) among[k] += terms[k];
        }
    }
    const double twice = 2 * (n - 1.0) / n;  // cancels a for n items
    for (std::size_t k = 0; k < K; ++k) corrected[k] = twice * by_rows[k] - (twice - 1) * among[k] / (m * (m - 1) / 2);

    const std::array<double, K> slope = gradient(by_rows);
    std::vector<double> row(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) row[i] = along(slope, rows[i]) / (n - 1);
    const auto [plain, cross] =
        pair_means_detail::variances(std::span<const double>(row), n, along(slope, corrected),
                                     [&](std::size_t i, std::size_t j) { return along(slope, pair(i, j)); });
    PairMeans<K> found;
    const double share = plain + cross > 0 ? plain / (plain + cross) : 1;  // weight of the corrected estimate
    for (std::size_t k = 0; k < K; ++k) found.means[k] = (1 - share) * by_rows[k] + share * corrected[k];
    found.se = std::sqrt(share * cross);
    return found;
}

}  // namespace dunlin::scores
