// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "math/exp.hpp"
#include "math/hd.hpp"

/// The formulas that find the width of a row's Gaussian. No loops, no launches: g++ and nvcc compile the same text.
namespace dunlin::tsne {

/// d = (x^2 - least^2) / most^2 for a distance x of a row, in the factored form, which does not cancel digits.
struct RowScale {
    double least, inverse_most;

    DUNLIN_HD double operator()(double x) const { return (x - least) * inverse_most * ((x + least) * inverse_most); }
};

/// Whether the distances of a row differ; if not, its affinities are equal.
DUNLIN_HD inline bool has_scale(double least, double most) { return most > least; }

/// Sums over a row for one beta of e = exp(-beta d), e d and e d^2; all d >= 0, and the least d is 0.
struct EntropySums {
    double e = 0, ed = 0, edd = 0;

    /// Entropy of e / sum(e) in nats, and its derivative with respect to log(beta).
    [[nodiscard]] DUNLIN_HD double entropy(double beta) const { return std::log(e) + beta * ed / e; }
    [[nodiscard]] DUNLIN_HD double slope(double beta) const {
        const double mean = ed / e, variance = edd / e - mean * mean;
        return variance > 0 ? -beta * beta * variance : 0;
    }
};

/// Newton's method in log(beta) inside a shrinking bracket; the entropy decreases with beta.
class BetaSearch {
public:
    static constexpr int most_steps = 64;

    DUNLIN_HD explicit BetaSearch(double entropy) : wanted_(entropy) {}

    [[nodiscard]] DUNLIN_HD double beta() const { return std::exp(log_beta_); }

    /// Whether the sums at beta() have the wanted entropy; if not, beta() becomes the next trial value.
    DUNLIN_HD bool found(const EntropySums& entropy_sums) {
        const double here = beta();
        const double excess = entropy_sums.entropy(here) - wanted_;
        if (std::abs(excess) < tolerance || high_ - low_ < 1e-9) return true;
        (excess > 0 ? low_ : high_) = log_beta_;
        const double slope = entropy_sums.slope(here);
        const double newton = slope < 0 ? log_beta_ - excess / slope : high_ + 1;
        log_beta_ = newton > low_ && newton < high_ ? newton : 0.5 * (low_ + high_);
        return false;
    }

private:
    static constexpr double tolerance = 1e-6;
    double wanted_, low_ = -40, high_ = 40, log_beta_ = 0;
};

/// Searches the beta that gives a row this entropy; sums_at(beta) computes the row's sums. Returns the last ones.
template <class SumsAt>
DUNLIN_HD EntropySums search_beta(double entropy, const SumsAt& sums_at) {
    BetaSearch search(entropy);
    EntropySums sums;
    for (int step = 0; step < BetaSearch::most_steps; ++step) {
        sums = sums_at(static_cast<float>(search.beta()));
        if (search.found(sums)) break;
    }
    return sums;
}

constexpr int most_perplexities = 8;

/// One row's affinities by several perplexities: p_j = sum over h of factor_h exp(-beta_h d_j), of the sum 1, with the
/// normalized squared distances d of RowScale over their mean, whose least is 0.
class GaussianSum {
public:
    /// Takes the Gaussian of one more perplexity; sum: of exp(-beta d) over the row.
    DUNLIN_HD void add(float beta, double sum) {
        beta_[count_] = beta;
        sum_[count_++] = sum;
    }
    /// The mean of the Gaussians, each of the sum 1.
    DUNLIN_HD void settle_as_mean() {
        for (int h = 0; h < count_; ++h) factor_[h] = static_cast<float>(1 / (sum_[h] * count_));
    }
    /// One density: the Gaussians of the squared distances themselves, times the roots of their precisions. `offset`:
    /// the least squared distance in the unit of d, by which the exponents differ.
    DUNLIN_HD void settle_as_mixture(double offset) {
        double largest = -std::numeric_limits<double>::infinity(), total = 0;
        for (int h = 0; h < count_; ++h) largest = fmax(largest, log_factor(h, offset));
        for (int h = 0; h < count_; ++h) total += std::exp(log_factor(h, offset) - largest) * sum_[h];
        for (int h = 0; h < count_; ++h)
            factor_[h] = static_cast<float>(std::exp(log_factor(h, offset) - largest) / total);
    }
    [[nodiscard]] DUNLIN_HD float at(float d) const {
        float p = 0;
        for (int h = 0; h < count_; ++h) p += factor_[h] * math::exp_of_negative(-beta_[h] * d);
        return p;
    }

private:
    [[nodiscard]] DUNLIN_HD double log_factor(int h, double offset) const {
        const auto beta = static_cast<double>(beta_[h]);
        return 0.5 * std::log(beta) - beta * offset;
    }
    float beta_[most_perplexities] = {}, factor_[most_perplexities] = {};
    double sum_[most_perplexities] = {};
    int count_ = 0;
};

/// The Gaussian of a point j over its neighbors, from which follows what its affinities would be with one more
/// neighbor.
struct RowGaussian {
    float rate = 0;   ///< beta_j; infinity: the limit, all weight on the nearest distance
    float least = 0;  ///< distance of the nearest neighbor
    float most = std::numeric_limits<float>::infinity();  ///< of the farthest neighbor of the list; infinity: no list
    float log_sum = -std::numeric_limits<float>::infinity();  ///< of exp(-beta_j (d^2 - least^2)) over the neighbors

    /// p_x|j = r / (s_j + r) of a point x at this distance, r = exp(-beta_j d^2) and s_j the sum over the neighbors.
    [[nodiscard]] DUNLIN_HD double of(double distance) const {
        const double near = static_cast<double>(least), excess = (distance - near) * (distance + near);
        const double exponent = excess == 0 ? 0 : static_cast<double>(rate) * excess;
        return 1 / (1 + std::exp(static_cast<double>(log_sum) + exponent));
    }
};

}  // namespace dunlin::tsne
