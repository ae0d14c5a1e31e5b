// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

/// The scores of <dunlin/names.hpp>, one function each.
namespace dunlin::naming {

/// Counts of a word in a group, in its others, in their base, and the sums over all words.
struct CountsInBase {
    double group = 0, base = 0;          ///< y(x, c), y(x, base)
    double all_group = 0, all_base = 0;  ///< n(c), n(base)
};

/// Log-odds ratio of a word over its standard error, with a Dirichlet prior (Monroe, Colaresi and Quinn 2008, equations
/// 16, 21, 22). NaN if the group or its others have no words.
inline double contrast(const CountsInBase& w) {
    constexpr double most_prior = 500;
    const double all_others = w.all_base - w.all_group, others = w.base - w.group;
    if (!(w.all_group > 0) || !(all_others > 0)) return std::numeric_limits<double>::quiet_NaN();
    const double all_prior = std::min(w.all_base, most_prior), prior = all_prior * w.base / w.all_base;
    const auto log_odds = [&](double y, double n) { return std::log((y + prior) / (n + all_prior - y - prior)); };
    const double variance = 1 / (w.group + prior) + 1 / (others + prior);
    return (log_odds(w.group, w.all_group) - log_odds(others, all_others)) / std::sqrt(variance);
}

/// Term frequency in a class times the inverse frequency of the word in all classes (Grootendorst 2022).
inline double c_tf_idf(const CountsInBase& w, double classes) {
    return w.group / w.all_group * std::log(1 + std::floor(w.all_base / classes) / w.base);
}

inline double bm25(const CountsInBase& w, double classes) {
    const double mean = std::floor(w.all_base / classes);
    return w.group / w.all_group * std::log(1 + (mean - w.base + 0.5) / (w.base + 0.5));
}

/// What the test of Wilcoxon, Mann and Whitney says of n1 values among n.
struct RankTest {
    double z = 0, auc = 0.5;
};

/// ranks: sum of the mean ranks of the n1; ties: sum of t^3 - t over the sets of t equal ones among the n.
inline RankTest rank_test(double ranks, double n1, double n, double ties) {
    const double n2 = n - n1;
    if (!(n1 > 0) || !(n2 > 0)) return {};
    const double left = 1 - ties / (n * n * n - n);
    const double deviation = std::sqrt(std::max(left, 0.0) * n1 * n2 * (n + 1) / 12);
    const double above = ranks - n1 * (n + 1) / 2;
    return {deviation > 0 ? above / deviation : 0, 0.5 + above / (n1 * n2)};
}

/// Two-sided p of a standard normal value.
inline double two_sided(double z) { return std::erfc(std::abs(z) / std::numbers::sqrt2); }

/// Number, sum and sum of squares of values.
struct Moments {
    double count = 0, sum = 0, squares = 0;

    [[nodiscard]] double mean() const { return sum / count; }
    /// Sum of squared deviations from the mean.
    [[nodiscard]] double deviations() const { return std::max(squares - sum * sum / count, 0.0); }
    Moments operator-(const Moments& other) const {
        return {count - other.count, sum - other.sum, squares - other.squares};
    }
};

/// Difference of two means over their pooled standard deviation (Cohen's d); 0 for equal means.
inline double effect_size(const Moments& a, const Moments& b) {
    const double difference = a.mean() - b.mean();
    if (difference == 0) return 0;
    const double freedom = a.count + b.count - 2;
    return difference / std::sqrt((a.deviations() + b.deviations()) / std::max(freedom, 1.0));
}

/// log2 of the fold change of means of log(1 + x), as scanpy defines it.
inline double log2_fold(double mean, double mean_of_others) {
    constexpr double least = 1e-9;
    return std::log2((std::expm1(mean) + least) / (std::expm1(mean_of_others) + least));
}

}  // namespace dunlin::naming
