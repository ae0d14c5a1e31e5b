// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "math/rng.hpp"
#include "mds/smacof/disparities.hpp"

namespace dunlin::mds {
namespace {

constexpr Index n = 40;

/// Random symmetric matrix with entries between 1 and 2: far from any 2-D map.
std::vector<float> made(const auto& law) {
    std::vector<float> delta(static_cast<std::size_t>(n * n), 0.0F);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
            const double x = 1 + math::random_uniform(1, static_cast<std::uint64_t>(i * n + j));
            delta[static_cast<std::size_t>(i * n + j)] = delta[static_cast<std::size_t>(j * n + i)] =
                static_cast<float>(law(x));
        }
    }
    return delta;
}

Dissimilarities items_of(std::vector<float> delta) {
    return Dissimilarities::of_matrix(Matrix(n, n, std::move(delta)));
}

Map placed(const Dissimilarities& items, Transform transform, int iterations = 100, const Given& given = {}) {
    const Options o{.method = Method::smacof, .iterations = iterations, .tolerance = 0.0, .transform = transform};
    return place(items, o, {}, given).map;
}

bool same_bytes(const Map& a, const Map& b) {
    return std::memcmp(a.coordinates.data(), b.coordinates.data(), a.coordinates.size() * sizeof(float)) == 0;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-12) << k;
}

TEST(MdsNonmetric, ViolatorsArePooled) {
    std::vector<double> v{1, 3, 2, 4, 3, 5};
    make_monotone(v, {});
    expect_near(v, {1, 2.5, 2.5, 3.5, 3.5, 5});
    std::vector<double> falling{6, 3, 0};
    make_monotone(falling, {});
    expect_near(falling, {3, 3, 3});
    std::vector<double> weighted{3, 1};
    make_monotone(weighted, std::vector<double>{1, 3});
    expect_near(weighted, {1.5, 1.5});
}

/// The fit to values at 1, 2, 3, in terms of what these are above `origin`.
FittedLine line_through(const std::vector<double>& values, bool through_origin, double origin = 0) {
    const std::vector<float> x{1, 2, 3};
    math::Vec<double, 3> moments;
    math::Vec<double, 2> products;
    for (Offset k = 0; k < 3; ++k) {
        moments += LineMoments{{x.data(), origin}, nullptr}(k);
        products += LineProducts{{x.data(), origin}, nullptr, values.data()}(k);
    }
    return fitted_line(moments, products, through_origin);
}

TEST(MdsNonmetric, LinesHaveCoefficientsOfAtLeastZero) {
    const auto expect_line = [](const FittedLine& line, double height, double slope) {
        EXPECT_NEAR(line.height, height, 1e-12);
        EXPECT_NEAR(line.slope, slope, 1e-12);
    };
    expect_line(line_through({3, 5, 7}, false), 1, 2);
    expect_line(line_through({3, 2, 1}, false), 2, 0);
    expect_line(line_through({0, 3, 6}, false), 0, 24.0 / 14);  // 3 x - 3 without the bound; sum x v / sum x^2 with it
    expect_line(line_through({3, 5, 7}, true), 0, 34.0 / 14);
    expect_line(line_through({0, 3, 6}, false, 1), 0, 3);        // above the least, 1: the line is 3 x - 3
    expect_line(line_through({0, 0, 1}, false, 1), 0, 2.0 / 5);  // -1/6 + x/2 without the bound
}

/// By convex hulls, the parallel algorithm.
std::vector<double> by_hulls(std::vector<double> values, const std::vector<double>& weights) {
    device::Cpu cpu(2);
    hull::make_monotone(cpu, {std::ssize(values), values.data(), weights.empty() ? nullptr : weights.data()});
    return values;
}

TEST(MdsNonmetric, HullsPoolTheSameViolators) {
    for (const std::size_t count : {0U, 1U, 2U, 31U, 32U, 33U, 63U, 64U, 65U, 1000U, 70001U}) {
        for (const double rise : {-1.0, 0.0, 1e-4, 0.01, 1.0}) {
            std::vector<double> values, weights;
            for (std::size_t k = 0; k < count; ++k) {
                values.push_back(10 + rise * static_cast<double>(k) + math::random_uniform(4, k));
                weights.push_back(0.1 + math::random_uniform(5, k));
            }
            for (const std::vector<double>& w : {std::vector<double>{}, weights}) {
                std::vector<double> expected = values;
                make_monotone(expected, w);
                const std::vector<double> found = by_hulls(values, w);
                for (std::size_t k = 0; k < count; ++k)
                    ASSERT_NEAR(found[k], expected[k], 1e-9 * std::abs(expected[k]))
                        << count << ' ' << rise << ' ' << k;
            }
        }
    }
    // A low last value pools all before it, a high first value all after it
    std::vector<double> low(5000), high(5000);
    for (std::size_t k = 0; k < low.size(); ++k) low[k] = high[k] = static_cast<double>(k);
    low.back() = -1e9;
    high.front() = 1e9;
    for (const std::vector<double>& values : {low, high}) {
        std::vector<double> expected = values;
        make_monotone(expected, {});
        EXPECT_NEAR(expected.front(), expected.back(), 1e-6);
        for (const double fitted : by_hulls(values, {})) ASSERT_NEAR(fitted, expected.front(), 1e-6);
    }
}

TEST(MdsNonmetric, PairsAreCountedByRows) {
    Offset k = 0;
    for (Index i = 1; i < 300; ++i) {
        for (Index j = 0; j < i; ++j, ++k) {
            ASSERT_EQ(pair_at(k).i, i);
            ASSERT_EQ(pair_at(k).j, j);
        }
    }
    for (const Offset i : {Offset{65536}, Offset{1000000}, Offset{2000000000}}) {
        EXPECT_EQ(pair_at(i * (i - 1) / 2 - 1).i, i - 1);
        EXPECT_EQ(pair_at(i * (i - 1) / 2).i, i);
        EXPECT_EQ(pair_at(i * (i - 1) / 2).j, 0);
    }
}

TEST(MdsNonmetric, OrdinalDependsOnTheOrderOnly) {
    const Map one = placed(items_of(made([](double x) { return x; })), Transform::ordinal);
    EXPECT_TRUE(same_bytes(one, placed(items_of(made([](double x) { return std::exp(2 * x); })), Transform::ordinal)));
    EXPECT_FALSE(same_bytes(one, placed(items_of(made([](double x) { return 3 - x; })), Transform::ordinal)));
}

TEST(MdsNonmetric, IntervalIsInvariantToLinearFunctions) {
    const auto items = items_of(made([](double x) { return x; }));
    const auto shifted = items_of(made([](double x) { return 10 * x - 5; }));
    const auto stress = [](const Dissimilarities& of) {
        return transformed_stress1(of, placed(of, Transform::interval, 3000), Transform::interval);
    };
    EXPECT_NEAR(stress(items), stress(shifted), 0.02 * stress(items));
}

/// 2 d + 7 of points in the plane: the points, without stress. A line bounded by the origin has some.
TEST(MdsNonmetric, IntervalFindsAnAdditiveConstant) {
    Map points{2, {}};
    for (std::uint64_t k = 0; k < 2 * n; ++k)
        points.coordinates.push_back(static_cast<float>(math::random_uniform(3, k)));
    std::vector<float> delta(static_cast<std::size_t>(n * n), 0.0F);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            const float* y = points.coordinates.data();
            if (i != j)
                delta[static_cast<std::size_t>(i * n + j)] =
                    static_cast<float>(2 * distance<double>(y + Offset{2} * i, y + Offset{2} * j, 2) + 7);
        }
    }
    const auto items = items_of(delta);
    EXPECT_LT(transformed_stress1(items, points, Transform::interval), 1e-6);
    EXPECT_GT(transformed_stress1(items, points, Transform::interval_bounded), 0.1);
    const Result found = place(items, {.transform = Transform::interval});
    EXPECT_EQ(found.options.method, Method::smacof);
    EXPECT_LT(transformed_stress1(items, found.map, Transform::interval), 1e-3);
    EXPECT_GT(transformed_stress1(items, placed(items, Transform::interval_bounded), Transform::interval_bounded), 0.1);
}

TEST(MdsNonmetric, EqualDissimilaritiesHaveALevelLine) {
    const Map corners{2, {0, 0, 1, 0, 0.5F, std::sqrt(0.75F)}}, one_place{2, std::vector<float>(6, 1.0F)};
    const auto three = Dissimilarities::of_matrix(Matrix(3, 3, std::vector<float>{0, 1, 1, 1, 0, 1, 1, 1, 0}));
    EXPECT_NEAR(transformed_stress1(three, corners, Transform::interval), 0, 1e-6);
    EXPECT_EQ(transformed_stress1(three, one_place, Transform::interval), 1);
}

TEST(MdsNonmetric, MoreFreedomLowersStressAndStressNeverRises) {
    const auto items = items_of(made([](double x) { return x; }));
    double freer = std::numeric_limits<double>::infinity();
    using enum Transform;
    for (const Transform transform : {ratio, interval_bounded, interval, ordinal}) {
        double before = std::numeric_limits<double>::infinity();
        for (const int iterations : {0, 1, 2, 4, 8, 16, 32, 300}) {
            const double now = transformed_stress1(items, placed(items, transform, iterations), transform);
            EXPECT_LE(now, before * (1 + 1e-6)) << name_of(transform) << iterations;
            before = now;
        }
        EXPECT_LT(before, freer) << name_of(transform);
        freer = before;
    }
}

TEST(MdsNonmetric, TiesMayBeBroken) {
    const Map anywhere{1, std::vector<float>{0, 1, 5}};
    const auto three = Dissimilarities::of_matrix(Matrix(3, 3, std::vector<float>{0, 1, 1, 1, 0, 1, 1, 1, 0}));
    EXPECT_EQ(transformed_stress1(three, anywhere, Transform::ordinal), 0);
    EXPECT_GT(transformed_stress1(three, anywhere, Transform::interval), 0.1);
}

TEST(MdsNonmetric, StressEqualsItsDefinition) {
    const auto items = Dissimilarities::of_matrix(Matrix(3, 3, std::vector<float>{0, 1, 2, 1, 0, 3, 2, 3, 0}));
    const Map map{1, std::vector<float>{0, 3, 1}};  // distances 3, 1, 2 where 1, 2, 3 are wanted: fitted 2, 2, 2
    EXPECT_NEAR(transformed_stress1(items, map, Transform::ordinal), std::sqrt(2.0 / 14), 1e-12);
}

TEST(MdsNonmetric, APairOfWeightZeroIsMissing) {
    std::vector<float> delta = made([](double x) { return x; }), w(delta.size(), 1.0F);
    const auto all = items_of(delta);
    for (const std::size_t place : {std::size_t{5}, std::size_t{5} * n}) {
        delta[place] = std::numeric_limits<float>::quiet_NaN();
        w[place] = 0;
    }
    const Matrix weights(n, n, w);
    const auto some = items_of(delta);
    const Map without = placed(some, Transform::ordinal),
              unweighted = placed(all, Transform::ordinal, 100, {.weights = &weights});
    EXPECT_NEAR(transformed_stress1(some, without, Transform::ordinal),
                transformed_stress1(all, unweighted, Transform::ordinal, &weights), 1e-4);
}

TEST(MdsNonmetric, FewItemsAndOtherMethods) {
    for (Index few = 0; few <= 3; ++few) {
        std::vector<float> delta(static_cast<std::size_t>(few * few), 1.0F);
        for (Index i = 0; i < few; ++i) delta[static_cast<std::size_t>(i * (few + 1))] = 0;
        const auto items = Dissimilarities::of_matrix(Matrix(few, few, delta));
        EXPECT_EQ(placed(items, Transform::ordinal).size(), few);
    }
    const Options pivots{.method = Method::pivot, .transform = Transform::ordinal};
    EXPECT_THROW(place(items_of(made([](double x) { return x; })), pivots), Error);
}

}  // namespace
}  // namespace dunlin::mds
