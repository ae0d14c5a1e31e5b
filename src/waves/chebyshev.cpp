// SPDX-License-Identifier: Apache-2.0
#include "waves/chebyshev.hpp"

#include "math/at.hpp"

namespace dunlin::waves {

namespace {

/// T_j, its first and its second derivative at w0, for j = 0 .. s.
struct Polynomials {
    double w0;
    std::vector<double> t, first, second;

    explicit Polynomials(int s) : w0(1 + 2.0 / 13 / s / s), t{1, w0}, first{0, 1}, second{0, 0} {
        for (std::size_t j = 2; j <= at(s); ++j) {
            t.push_back(2 * w0 * t[j - 1] - t[j - 2]);
            first.push_back(2 * t[j - 1] + 2 * w0 * first[j - 1] - first[j - 2]);
            second.push_back(4 * first[j - 1] + 2 * w0 * second[j - 1] - second[j - 2]);
        }
    }
    [[nodiscard]] double w1() const { return first.back() / second.back(); }
    /// b_0 = b_1 = b_2.
    [[nodiscard]] double b(std::size_t j) const {
        const std::size_t i = j < 2 ? 2 : j;
        return second[i] / (first[i] * first[i]);
    }
};

}  // namespace

std::vector<ChebyshevStage> chebyshev_stages(int s) {
    const Polynomials p(s);
    const double w1 = p.w1();
    std::vector<ChebyshevStage> stages{{.mu = 0, .nu = 0, .mu_rate = p.b(1) * w1, .first_rate = 0}};
    for (std::size_t j = 2; j <= at(s); ++j) {
        const double ratio = p.b(j) / p.b(j - 1), mu_rate = 2 * ratio * w1;
        const double a = 1 - p.b(j - 1) * p.t[j - 1];
        stages.push_back(
            {.mu = 2 * ratio * p.w0, .nu = -p.b(j) / p.b(j - 2), .mu_rate = mu_rate, .first_rate = -a * mu_rate});
    }
    return stages;
}

double chebyshev_extent(int s) {
    const Polynomials p(s);
    return (p.w0 + 1) / p.w1();
}

int chebyshev_count(double extent) {
    int s = 2;
    while (s < max_chebyshev_stages && chebyshev_extent(s) < extent) ++s;
    return s;
}

}  // namespace dunlin::waves
