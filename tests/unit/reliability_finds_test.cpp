// SPDX-License-Identifier: Apache-2.0
// What the diagnostics have to find: unreliable points that are known because they were made so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <dunlin/reliability.hpp>
#include <dunlin/tsne.hpp>

#include "cases/maps.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"

namespace dunlin::reliability {
namespace {

/// Two Gaussians of width 1, their centers `apart` along the first axis.
Matrix two_gaussians(Index n, Index columns, double apart, std::uint64_t seed) {
    std::vector<float> values = made::cloud(n, columns, 1, seed);
    for (Index i = 0; i < n; ++i)
        values[at(Offset{i} * columns)] += static_cast<float>((i % 2 == 0 ? 0.5 : -0.5) * apart);
    return {n, columns, std::move(values)};
}

double mean_where(const std::vector<float>& values, const auto& holds) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i]) || !holds(i)) continue;
        sum += static_cast<double>(values[i]);
        ++count;
    }
    return sum / count;
}

/// Mean perturbation of the points between two overlapping Gaussians over that of the points in their cores.
double perturbation_between(std::uint64_t seed) {
    const Matrix points = two_gaussians(400, 2, 4, seed);
    const Map map = tsne::embed(points.view(), {.perplexity = 60, .iterations = 750}).map;
    const Result found = evaluate(map, points.view(), {.perplexity = 60, .perturb = true, .length = 0.5F});
    const auto x = [&](std::size_t i) { return std::abs(points.view()(static_cast<Index>(i), 0)); };
    const auto mean = [&](const auto& holds) { return mean_where(found.columns.perturbation, holds); };
    return mean([&](std::size_t i) { return x(i) < 0.5F; }) /
           mean([&](std::size_t i) { return std::abs(x(i) - 2) < 0.5F; });
}

// A single map may hold the points between the Gaussians firmly, and whether it does depends on rounding: of 11 draws
// the ratio was 1.2 to 5.5, in the median 2.7
TEST(ReliabilityFinds, PointsBetweenTwoOverlappingGaussiansByPerturbation) {
    std::vector<double> ratios;
    for (std::uint64_t seed = 1; seed <= 9; ++seed) ratios.push_back(perturbation_between(seed));
    std::sort(ratios.begin(), ratios.end());
    EXPECT_GT(ratios[4], 1.5) << ::testing::PrintToString(ratios);
}

TEST(ReliabilityFinds, CracksOfAUniformSquareBySingularity) {
    // t-SNE breaks a square into patches; along the cracks between them positions are barely held, and neighbors are
    // lost
    const Index n = 2000;
    const Matrix points(n, 2, made::scattered(n, 2, 1));
    const Map map =
        tsne::embed(points.view(), {.perplexity = 10, .start = tsne::Start::random, .iterations = 1500}).map;
    const Result found = evaluate(map, points.view(), {.perplexity = 10});
    std::vector<float> sorted = found.columns.singularity;
    std::sort(sorted.begin(), sorted.end());
    const float high = sorted[at(n - n / 10)];
    const double lost = mean_where(found.columns.lost, [](std::size_t) { return true; });
    EXPECT_GT(mean_where(found.columns.lost, [&](std::size_t i) { return found.columns.singularity[i] >= high; }),
              1.5 * lost);
}

/// Ten clusters in 8 dimensions.
Matrix ten_clusters(Index n) {
    std::vector<float> values = made::cloud(n, 8, 1, 5);
    for (Index i = 0; i < n; ++i) {
        for (Index c = 0; c < 8; ++c)
            values[at(Offset{i} * 8 + c)] += static_cast<float>(6 * math::random_normal(17, at(i % 10), at(c)));
    }
    return {n, 8, std::move(values)};
}

double distance_between(const Map& a, const Map& b, Index i) {
    double square = 0;
    for (int c = 0; c < a.dim; ++c) {
        const double d = static_cast<double>(a.view()(i, c)) - static_cast<double>(b.view()(i, c));
        square += d * d;
    }
    return std::sqrt(square);
}

TEST(ReliabilityFinds, MovedPointsByHome) {
    for (const int dim : {1, 2, 3}) {
        const Index n = 1000;
        const Matrix points = ten_clusters(n);
        const Map map = tsne::embed(points.view(), {.dim = dim, .iterations = 1500}).map;
        const Result before = evaluate(map, points.view());
        // Every 50th point goes to a random place of the map's box
        const auto [low, high] = std::minmax_element(map.coordinates.begin(), map.coordinates.end());
        const double span = static_cast<double>(*high - *low);
        Map moved = map;
        for (Index i = 0; i < n; i += 50) {
            for (int c = 0; c < dim; ++c) {
                moved.coordinates[at(Offset{i} * dim + c)] =
                    *low + static_cast<float>(span * math::random_uniform(3, at(i), at(c)));
            }
        }
        const Result found = evaluate(moved, points.view());
        int far = 0, told = 0;
        for (Index i = 0; i < n; i += 50) {
            if (distance_between(map, moved, i) < 0.07 * span) continue;  // it is still at home
            ++far;
            told += static_cast<double>(found.columns.home[at(i)]) * found.summary.nn_distance > far_from_home * span;
        }
        EXPECT_GE(far, 14) << dim << "-D";
        EXPECT_GE(told, 0.95 * far) << dim << "-D";
        EXPECT_NEAR(found.summary.points_elsewhere->value, before.summary.points_elsewhere->value + 0.02, 0.02)
            << dim << "-D";
    }
}

TEST(ReliabilityFinds, NoStructureByNull) {
    const Index n = 1500;
    const Matrix noise(n, 10, made::cloud(n, 10, 1, 23));
    const Map map = tsne::embed(noise.view(), {}).map;
    const Result found = evaluate(map, noise.view(), {.null = true});
    // Distance to the uniform distribution (Kolmogorov-Smirnov); neighbors share their kl, so that it is larger than
    // for independent values
    std::vector<float> p = found.columns.null_p;
    std::sort(p.begin(), p.end());
    double distance = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        distance = std::max(distance, std::abs(static_cast<double>(p[i]) - static_cast<double>(i + 1) / n));
    EXPECT_LT(distance, 0.08);

    const Matrix clusters = two_gaussians(n, 10, 12, 11);
    std::vector<float> strong(clusters.view().data, clusters.view().data + clusters.view().size());
    for (Index i = 0; i < n; ++i) {
        for (Index c = 0; c < 10; ++c)
            strong[at(Offset{i} * 10 + c)] += static_cast<float>(8 * math::random_normal(29, at(i % 30), at(c)));
    }
    const MatrixView<const float> structured{strong.data(), n, 10};
    const Result other = evaluate(tsne::embed(structured, {}).map, structured, {.null = true});
    EXPECT_LT(mean_where(other.columns.null_p, [](std::size_t) { return true; }), 0.1);
}

TEST(ReliabilityFinds, UnstablePointsByTheBootstrap) {
    // Two clusters; a tenth of the points lies uniformly between them
    const Index n = 600;
    std::vector<float> values = made::cloud(n, 5, 1, 31);
    for (Index i = 0; i < n; ++i) {
        const bool loose = i % 10 == 0;
        for (Index c = 0; c < 5; ++c) {
            float& value = values[at(Offset{i} * 5 + c)];
            value = loose ? static_cast<float>(20 * math::random_uniform(37, at(i), at(c)) - 10)
                          : value + (c == 0 ? (i % 2 == 0 ? 8.0F : -8.0F) : 0.0F);
        }
    }
    const MatrixView<const float> points{values.data(), n, 5};
    const Result found = evaluate(tsne::embed(points, {}).map, points, {.bootstrap = 10});
    EXPECT_LT(mean_where(found.columns.stability, [](std::size_t i) { return i % 10 == 0; }),
              mean_where(found.columns.stability, [](std::size_t i) { return i % 10 != 0; }));
}

}  // namespace
}  // namespace dunlin::reliability
