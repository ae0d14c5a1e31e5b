// Invariances of maps, and maps that are known in closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include <dunlin/mds.hpp>

#include "math/rng.hpp"

namespace dunlin::mds {
namespace {

constexpr Index n = 240, cols = 5;
constexpr Method all_methods[] = {Method::dunlin,     Method::smacof,  Method::classical,
                                  Method::landmark,   Method::pivot,   Method::gpu_sf,
                                  Method::stochastic, Method::glimmer, Method::hybrid};

std::vector<float> random_values(Offset count) {
    std::vector<float> x;
    for (Offset k = 0; k < count; ++k)
        x.push_back(static_cast<float>(math::random_normal(4, static_cast<std::uint64_t>(k))));
    return x;
}

Dissimilarities points(std::vector<float> x) { return Dissimilarities::of_points(Matrix(n, cols, std::move(x))); }

double stress_of(const Dissimilarities& items, const Options& options) {
    return stress(items, place(items, options).map).normalized_stress.value;
}

/// One start only: which of several is best may depend on rounding, and so may the map, but hardly its stress.
Options from_one_start(Method method) {
    Options options{.method = method};
    if (method == Method::dunlin || method == Method::smacof) options.starts = 1;
    return options;
}

TEST(MdsInvariance, TheUnitOfThePointsIsThatOfTheMap) {
    const std::vector<float> x = random_values(Offset{n} * cols);
    for (const Method method : all_methods) {
        const Options options = from_one_start(method);
        const Result one = place(points(x), options);
        const double stress = options.starts ? stress_of(points(x), {.method = method}) : 0;
        for (const float unit : {128.0F, 1 / 128.0F}) {
            std::vector<float> scaled = x;
            for (float& value : scaled) value *= unit;
            if (options.starts) {
                EXPECT_NEAR(stress_of(points(scaled), {.method = method}), stress, 1e-4 * stress) << name_of(method);
            }
            const Result other = place(points(scaled), options);
            EXPECT_EQ(one.iterations, other.iterations) << name_of(method);
            for (std::size_t k = 0; k < one.map.coordinates.size(); ++k)
                ASSERT_NEAR(one.map.coordinates[k], other.map.coordinates[k] / unit, 2e-3F) << name_of(method) << k;
        }
    }
}

TEST(MdsInvariance, TinyAndHugeUnitsHaveTheSameStress) {
    const std::vector<float> x = random_values(Offset{n} * cols);
    for (const Method method : all_methods) {
        const double stress = stress_of(points(x), from_one_start(method));
        for (const float unit : {0x1p-40F, 0x1p-20F, 0x1p20F, 0x1p45F}) {
            std::vector<float> scaled = x;
            for (float& value : scaled) value *= unit;
            EXPECT_NEAR(stress_of(points(scaled), from_one_start(method)), stress, 1e-3 * stress)
                << name_of(method) << ", " << unit;
        }
    }
}

TEST(MdsInvariance, RotatedPointsHaveTheSameStress) {
    std::vector<float> x = random_values(Offset{n} * cols);
    const auto items = points(x);
    for (std::size_t i = 0; i < x.size(); i += cols) {
        for (const std::size_t axis : {0U, 1U, 3U}) {
            const float a = x[i + axis], b = x[i + axis + 1];
            x[i + axis] = 0.6F * a - 0.8F * b;
            x[i + axis + 1] = 0.8F * a + 0.6F * b;
        }
    }
    const auto turned = points(x);
    for (const Method method : {Method::smacof, Method::classical, Method::dunlin}) {
        const double before = stress_of(items, {.method = method});
        EXPECT_NEAR(stress_of(turned, {.method = method}), before, 0.005 * before) << name_of(method);
    }
}

TEST(MdsInvariance, TheOrderOfRowsHasNoEffect) {
    const std::vector<float> x = random_values(Offset{n} * cols);
    std::vector<float> turned;
    for (Index i = n; i-- > 0;) turned.insert(turned.end(), x.begin() + i * cols, x.begin() + (i + 1) * cols);
    for (const Method method : {Method::smacof, Method::classical}) {
        const Map one = place(points(x), {.method = method}).map, other = place(points(turned), {.method = method}).map;
        const double size = std::abs(static_cast<double>(one.view()(0, 0))) + 1;
        for (Index i = 0; i < n; ++i) {
            for (int c = 0; c < 2; ++c)
                EXPECT_NEAR(std::abs(one.view()(i, c)), std::abs(other.view()(n - 1 - i, c)), 0.02 * size)
                    << name_of(method);
        }
    }
    const double before = stress_of(points(x), {});
    EXPECT_NEAR(stress_of(points(turned), {}), before, 0.005 * before);
}

TEST(MdsInvariance, OnlyTheSeedChangesAMap) {
    const auto items = points(random_values(Offset{n} * cols));
    for (const Method method : {Method::dunlin, Method::gpu_sf, Method::glimmer, Method::hybrid}) {
        const auto with = [&](std::uint64_t seed) {
            return place(items, {.dim = 3, .method = method}, {.seed = seed}).map.coordinates;
        };
        EXPECT_EQ(with(5).size(), std::size_t{n} * 3);
        EXPECT_EQ(with(5), with(5)) << name_of(method);
        EXPECT_NE(with(5), with(6)) << name_of(method);
    }
}

/// |correlation| of two columns.
double likeness(const std::vector<double>& a, const std::vector<double>& b) {
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += a[i] * b[i];
        aa += a[i] * a[i];
        bb += b[i] * b[i];
    }
    return std::abs(ab) / std::sqrt(aa * bb);
}

TEST(MdsOracle, LeadingAxesAreFoundAmongNoise) {
    // Four columns with deviations of 15 to 6, and 26 of 1
    constexpr Index rows = 600, wide = 30;
    std::vector<float> x = random_values(Offset{rows} * wide);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t c = 0; c < 4; ++c) x[i * wide + c] *= 15.0F - 3.0F * static_cast<float>(c);
    }
    const auto items = Dissimilarities::of_points(Matrix(rows, wide, x));
    for (const Options& o :
         {Options{.dim = 4, .method = Method::classical}, Options{.dim = 4, .method = Method::dunlin},
          Options{.dim = 4, .method = Method::landmark, .landmarks = 100},
          Options{.dim = 4, .method = Method::pivot, .landmarks = 100}}) {
        const Map map = place(items, o).map;
        for (Index c = 0; c < 4; ++c) {
            std::vector<double> found, true_ones;
            for (Index i = 0; i < rows; ++i) {
                found.push_back(static_cast<double>(map.view()(i, c)));
                true_ones.push_back(static_cast<double>(x[static_cast<std::size_t>(i * wide + c)]));
            }
            const double mean = std::accumulate(true_ones.begin(), true_ones.end(), 0.0) / rows;
            for (double& value : true_ones) value -= mean;
            EXPECT_GT(likeness(found, true_ones), 0.9) << name_of(o.method) << c;
        }
    }
}

TEST(MdsOracle, ASimplexOnACircle) {
    // Chords of k steps are 2 sin(pi k / m): their sum is 2 cot(pi / 2m), that of their squares 2m
    constexpr Index m = 400;
    std::vector<float> ones(std::size_t{m} * m, 1.0F);
    Map circle{2, {}};
    for (Index i = 0; i < m; ++i) {
        ones[static_cast<std::size_t>(i * (m + 1))] = 0;
        const double angle = 2 * std::numbers::pi * i / m;
        circle.coordinates.push_back(static_cast<float>(std::cos(angle)));
        circle.coordinates.push_back(static_cast<float>(std::sin(angle)));
    }
    const auto items = Dissimilarities::of_matrix(Matrix(m, m, std::move(ones)));
    const double sum = 2 / std::tan(std::numbers::pi / (2 * m));
    const double expected = 1 - sum * sum / (2.0 * m * (m - 1));  // 1 - 8 / pi^2 for many
    EXPECT_NEAR(std::pow(stress(items, circle).scaled_stress1.value, 2), expected, 1e-6);
    EXPECT_LT(simplex_stress(m, 2), expected);
    EXPECT_NEAR(simplex_stress(101, 3), 0.10333, 0.0005);
}

}  // namespace
}  // namespace dunlin::mds
