// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/umap.hpp>

namespace dunlin::umap {

namespace {

constexpr int distances = 300;

/// Normal equations of a Gauss-Newton step in (log a, log b), and the sum of squares.
struct Fit {
    double squares = 0;
    std::array<double, 2> slope{};
    std::array<double, 3> curvature{};  // aa, ab, bb
};

Fit fit_at(double log_a, double log_b, double min_dist, double spread) {
    Fit fit;
    const double a = std::exp(log_a), b = std::exp(log_b);
    for (int i = 0; i < distances; ++i) {
        const double d = 3 * spread * i / (distances - 1);
        const double wanted = d < min_dist ? 1 : std::exp(-(d - min_dist) / spread);
        const double log_d = d > 0 ? std::log(d) : 0, u = d > 0 ? a * std::exp(2 * b * log_d) : 0;
        const double phi = 1 / (1 + u), residual = phi - wanted;
        const double by_a = -phi * phi * u, by_b = by_a * 2 * b * log_d;
        fit.squares += residual * residual;
        fit.slope[0] += by_a * residual;
        fit.slope[1] += by_b * residual;
        fit.curvature[0] += by_a * by_a;
        fit.curvature[1] += by_a * by_b;
        fit.curvature[2] += by_b * by_b;
    }
    return fit;
}

}  // namespace

Curve fit_curve(float min_dist, float spread) {
    if (!(min_dist >= 0 && min_dist <= spread && spread > 0 && std::isfinite(spread))) {
        throw Error(Fault::bad_input,
                    fmt::format("min-dist is {} and spread {}; min-dist must be at least 0 and at most spread, and "
                                "spread above 0",
                                min_dist, spread),
                    {.option = "min-dist"});
    }
    // Levenberg and Marquardt; the unit of length is spread, so that the start suits any
    const double least = static_cast<double>(min_dist) / static_cast<double>(spread);
    double log_a = 0, log_b = 0, damping = 1e-3;
    Fit fit = fit_at(log_a, log_b, least, 1);
    for (int step = 0; step < 200 && damping < 1e12; ++step) {
        const auto [aa, ab, bb] = fit.curvature;
        const double da = aa * (1 + damping), db = bb * (1 + damping), det = da * db - ab * ab;
        const double next_a = log_a - (db * fit.slope[0] - ab * fit.slope[1]) / det;
        const double next_b = log_b - (da * fit.slope[1] - ab * fit.slope[0]) / det;
        const Fit next = fit_at(next_a, next_b, least, 1);
        if (next.squares < fit.squares) {
            log_a = next_a, log_b = next_b, fit = next;
            damping /= 10;
        } else {
            damping *= 10;
        }
    }
    const double b = std::exp(log_b), a = std::exp(log_a) / std::pow(static_cast<double>(spread), 2 * b);
    return {static_cast<float>(a), static_cast<float>(b)};
}

}  // namespace dunlin::umap
