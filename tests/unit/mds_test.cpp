// SPDX-License-Identifier: Apache-2.0
#include <dunlin/mds.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include <dunlin/error.hpp>

#include "cases/cases.hpp"
#include "math/rng.hpp"
#include "mds/input/source.hpp"
#include "mds/sgd/group.hpp"
#include "mds/smacof/kernels.hpp"
#include "refusal.hpp"

namespace dunlin::mds {
namespace {

/// Methods that find a flat map exactly, and methods that approximate it.
constexpr Method exact_methods[] = {Method::dunlin, Method::smacof, Method::classical, Method::landmark, Method::pivot};
constexpr Method all_methods[] = {Method::dunlin,     Method::smacof,  Method::classical,
                                  Method::landmark,   Method::pivot,   Method::gpu_sf,
                                  Method::stochastic, Method::glimmer, Method::hybrid};
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

Dissimilarities matrix_of(Index n, std::vector<float> values) {
    return Dissimilarities::of_matrix(Matrix(n, n, std::move(values)));
}

/// Borg and Groenen 2005, table 8.1 (p. 154).
Dissimilarities four_items() { return matrix_of(4, {0, 5, 3, 4, 5, 0, 2, 2, 3, 2, 0, 1, 4, 2, 1, 0}); }
Map four_places() { return {2, {-.266F, -.539F, .451F, .252F, .016F, -.238F, -.200F, .524F}}; }

std::vector<float> random_values(Offset count, std::uint64_t seed = 1) {
    std::vector<float> values;
    for (Offset k = 0; k < count; ++k)
        values.push_back(static_cast<float>(math::random_normal(seed, static_cast<std::uint64_t>(k))));
    return values;
}

Dissimilarities random_points(Index n, Index cols, const PointOptions& options = {}) {
    return Dissimilarities::of_points(Matrix(n, cols, random_values(Offset{n} * cols)), options);
}

/// Distances of random points as a matrix.
std::vector<float> random_distances(Index n, Index cols) {
    const std::vector<float> x = random_values(Offset{n} * cols);
    std::vector<float> d;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            double sum = 0;
            for (Index c = 0; c < cols; ++c) {
                const auto a = static_cast<std::size_t>(i * cols + c), b = static_cast<std::size_t>(j * cols + c);
                sum += std::pow(static_cast<double>(x[a]) - static_cast<double>(x[b]), 2);
            }
            d.push_back(static_cast<float>(std::sqrt(sum)));
        }
    }
    return d;
}

/// sum (d - delta)^2 / sum delta^2 by its definition.
double slow_stress(Index n, const std::vector<float>& delta, const Map& map) {
    double errors = 0, squares = 0;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
            double d2 = 0;
            for (int c = 0; c < map.dim; ++c)
                d2 += std::pow(static_cast<double>(map.view()(i, c)) - static_cast<double>(map.view()(j, c)), 2);
            const auto wanted = static_cast<double>(delta[static_cast<std::size_t>(i * n + j)]);
            errors += std::pow(std::sqrt(d2) - wanted, 2);
            squares += wanted * wanted;
        }
    }
    return errors / squares;
}

bool same_bytes(const Map& a, const Map& b) {
    return a.coordinates.size() == b.coordinates.size() &&
           std::memcmp(a.coordinates.data(), b.coordinates.data(), a.coordinates.size() * sizeof(float)) == 0;
}

TEST(Mds, OneGuttmanTransformAgreesWithTheBook) {
    const Map start = four_places();
    const Result r =
        place(four_items(), {.method = Method::smacof, .iterations = 1, .tolerance = 0.0}, {}, {.start = &start});
    const float book[] = {-1.415F, -2.471F, 1.633F, 1.107F, .249F, -.067F, -.468F, 1.431F};
    for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(r.map.coordinates[k], book[k], 1.5e-3) << k;
}

TEST(Mds, StressIsItsDefinition) {
    const Index n = 70;
    const std::vector<float> delta = random_distances(n, 5);
    const Map map{3, random_values(Offset{n} * 3, 2)};
    const Stress s = stress(matrix_of(n, delta), map);
    const double expected = slow_stress(n, delta, map);
    EXPECT_NEAR(s.normalized_stress.value, expected, 1e-6 * expected);
    EXPECT_EQ(s.normalized_stress.se, 0);
    EXPECT_LT(s.scaled_stress1.value, s.stress1.value);
    EXPECT_NEAR(s.map_normalized_stress.value, s.stress1.value * s.stress1.value, 1e-12);
}

TEST(Mds, ScaledStressDoesNotDependOnTheScale) {
    const auto items = random_points(50, 4);
    Map map{2, random_values(100, 3)};
    const double before = stress(items, map).scaled_stress1.value;
    for (float& y : map.coordinates) y *= 37;
    EXPECT_NEAR(stress(items, map).scaled_stress1.value, before, 1e-6);
}

TEST(Mds, ASampleOfOneIsRefused) {
    const auto items = Dissimilarities::of_matrix(Matrix(3, 3, {0, 1, 2, 1, 0, 1, 2, 1, 0}));
    const Map line{1, {0, 1, 2}};
    EXPECT_THROW(stress(items, line, {.exact_rows = 2, .sample = 1}), Error);
    EXPECT_THROW(stress_per_point(items, line, {.exact_rows = -1, .sample = -5}), Error);
    EXPECT_EQ(stress(items, line, {.exact_rows = 3, .sample = 0}).normalized_stress.value, 0);
    EXPECT_EQ(stress(items, line, {.exact_rows = 0, .sample = 2}).normalized_stress.value, 0);
}

TEST(Mds, SampledStressIsWithinItsError) {
    const auto items = random_points(3000, 6);
    const Map map{2, random_values(6000, 4)};
    const double exact = stress(items, map).normalized_stress.value;
    const scores::Score sampled = stress(items, map, {.exact_rows = 100, .sample = 300}).normalized_stress;
    EXPECT_GT(sampled.se, 0);
    EXPECT_NEAR(sampled.value, exact, 4 * sampled.se);
}

TEST(Mds, PointsAndTheirMatrixAreTheSame) {
    const Index n = 100;
    const Map map{2, random_values(2 * Offset{n}, 5)};
    const double of_points = stress(random_points(n, 7), map).normalized_stress.value;
    const double of_matrix = stress(matrix_of(n, random_distances(n, 7)), map).normalized_stress.value;
    EXPECT_NEAR(of_points, of_matrix, 1e-6 * of_matrix);
}

TEST(Mds, SumsBetweenRowsAreThose) {
    for (const Index count : {0, 1, 15, 16, 17, 40}) {
        const std::vector<float> a = random_values(count, 7), b = random_values(count, 8);
        double squares = 0, sizes = 0;
        for (std::size_t k = 0; k < a.size(); ++k) {
            const double apart = static_cast<double>(a[k]) - static_cast<double>(b[k]);
            squares += apart * apart;
            sizes += std::abs(apart);
        }
        EXPECT_NEAR(sum_between(a.data(), b.data(), count, false), squares, 1e-5 * squares) << count;
        EXPECT_NEAR(sum_between(a.data(), b.data(), count, true), sizes, 1e-5 * sizes) << count;
    }
}

TEST(Mds, MetricsAreThoseOfTheirDefinition) {
    const Matrix two(2, 3, std::vector<float>{1, 2, 3, -1, 0, 5});  // differences 2, 2, -2
    const Map together{1, {0, 0}};
    const Map apart{1, {0, 1}};
    const auto delta_of = [&](neighbors::Metric metric) {
        // (1 - delta)^2 / delta^2 = s, with delta above 1 or below as `together` and `apart` say
        const auto items = Dissimilarities::of_points(two, {.metric = metric});
        const double root = std::sqrt(stress(items, apart).normalized_stress.value);
        EXPECT_NEAR(stress(items, together).normalized_stress.value, 1, 1e-6);
        return 1 / (1 - root);
    };
    EXPECT_NEAR(delta_of(neighbors::Metric::euclidean), std::sqrt(12.0), 1e-5);
    EXPECT_NEAR(delta_of(neighbors::Metric::manhattan), 6, 1e-5);
}

/// Rows 1 and 2 are zero (constant, for correlation).
TEST(Mds, ZeroRowsAreExactlyOneFromAllOthers) {
    const Index n = 70;
    device::Cpu cpu(1);
    for (const auto metric : {neighbors::Metric::cosine, neighbors::Metric::correlation}) {
        for (const Index cols : {2, 3, 20, 200}) {
            std::vector<float> x;
            for (Offset k = 0; k < Offset{n} * cols; ++k)
                x.push_back(k / cols == 1 || k / cols == 2 ? 0.0F : std::sin(static_cast<float>(k * k + 1)));
            const Source source(cpu, Dissimilarities::of_points(Matrix(n, cols, x), {.metric = metric}));
            std::vector<float> tile(std::size_t{n} + 15), scratch, pairs(group_pairs);
            source.tile(std::vector<Index>{1}, 0, n, tile.data(), n);
            std::vector<Index> group;
            for (Index i = 1; i <= group_size; ++i) group.push_back(i);
            source.group(group.data(), scratch, pairs.data());
            EXPECT_EQ(source.between(1, 2), 0);
            for (Index i = 0; i < n; ++i) {
                const float expected = i == 1 || i == 2 ? 0.0F : 1.0F;
                EXPECT_EQ(source.between(1, i), expected) << i;
                EXPECT_EQ(source.between(i, 1), expected) << i;
                EXPECT_EQ(tile[static_cast<std::size_t>(i)], expected) << i;
            }
            for (int round = 0; round < group_rounds; ++round)
                EXPECT_EQ(pairs[static_cast<std::size_t>(pair_index(0, round))], 1.0F) << round;
        }
    }
}

TEST(Mds, SmacofNeverRaisesStress) {
    const auto items = random_points(120, 10);
    double before = std::numeric_limits<double>::infinity();
    for (int iterations = 0; iterations < 40; ++iterations) {
        const Result r = place(items, {.method = Method::smacof, .start = Start::random, .iterations = iterations});
        const double now = stress(items, r.map).normalized_stress.value;
        EXPECT_LE(now, before * (1 + 1e-6)) << iterations;
        before = now;
    }
}

TEST(Mds, LongerStepsNeedFewerIterationsAndEveryMethodHasThem) {
    const auto items = random_points(60, 4);
    const auto place_with = [&](Method method, double step) {
        Options o{.method = method, .tolerance = {}, .step = step};
        if (method == Method::dunlin || method == Method::smacof) o.starts = 1;
        return place(items, o);
    };
    const Result one = place_with(Method::smacof, 1), long_steps = place_with(Method::smacof, 1.8);
    EXPECT_LT(long_steps.iterations, one.iterations);
    EXPECT_LT(stress(items, long_steps.map).normalized_stress.value,
              1.01 * stress(items, one.map).normalized_stress.value);
    const double simplex = simplex_stress(60, 2);
    for (const Method method : {Method::dunlin, Method::stochastic, Method::gpu_sf, Method::glimmer, Method::hybrid}) {
        SCOPED_TRACE(std::string(name_of(method)));
        const Result half = place_with(method, 0.5);
        EXPECT_NE(half.map.coordinates, place_with(method, 1).map.coordinates);
        for (const double step : {0.5, 2.0})
            EXPECT_LT(stress(items, place_with(method, step).map).normalized_stress.value, simplex);
    }
}

TEST(Mds, WeightedSmacofNeverRaisesItsStress) {
    const Index n = 60;
    const std::vector<float> delta = random_distances(n, 8);
    std::vector<float> w(delta.size());
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) w[static_cast<std::size_t>(i * n + j)] = static_cast<float>((i * j) % 5);
    }
    const Matrix weights(n, n, w);
    const auto items = matrix_of(n, delta);
    double before = std::numeric_limits<double>::infinity();
    for (int iterations = 0; iterations < 30; ++iterations) {
        const Result r = place(items, {.method = Method::smacof, .start = Start::random, .iterations = iterations}, {},
                               {.weights = &weights});
        double now = 0;
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < i; ++j) {
                const auto at = static_cast<std::size_t>(i * n + j);
                double d2 = 0;
                for (int c = 0; c < 2; ++c)
                    d2 +=
                        std::pow(static_cast<double>(r.map.view()(i, c)) - static_cast<double>(r.map.view()(j, c)), 2);
                now += static_cast<double>(w[at]) * std::pow(std::sqrt(d2) - static_cast<double>(delta[at]), 2);
            }
        }
        EXPECT_LE(now, before * (1 + 1e-6)) << iterations;
        before = now;
    }
}

TEST(Mds, FlatItemsAreFoundAgain) {
    const Index n = 40;
    std::vector<float> delta = random_distances(n, 2);
    for (const Method method : exact_methods) {
        const auto items = matrix_of(n, delta);
        EXPECT_LT(stress(items, place(items, {.method = method}).map).normalized_stress.value, cases::flat_stress)
            << name_of(method);
    }
    delta[1] = delta[static_cast<std::size_t>(n)] = nan;  // and with a missing pair
    const auto items = matrix_of(n, delta);
    EXPECT_EQ(items.missing(), 1);
    const Result r = place(items, {.method = Method::smacof, .iterations = 5000, .tolerance = 0.0});
    EXPECT_LT(stress(items, r.map).normalized_stress.value, cases::flat_stress);
}

TEST(Mds, SpringMethodsApproximateAFlatMap) {
    const auto items = random_points(1500, 2);
    for (const Method method : {Method::gpu_sf, Method::stochastic, Method::glimmer, Method::hybrid}) {
        const Options o{.method = method, .iterations = 400};
        EXPECT_LT(stress(items, place(items, o).map).normalized_stress.value, 1e-3) << name_of(method);
    }
    const Options published{.method = Method::glimmer, .until = Until::stress, .decimation = 8};
    EXPECT_LT(stress(items, place(items, published).map).normalized_stress.value, 1e-3);
    const Options by_buckets{.method = Method::hybrid, .until = Until::count, .parents = Parents::buckets};
    EXPECT_LT(stress(items, place(items, by_buckets).map).normalized_stress.value, 0.1);
}

TEST(Mds, SpringMethodsAcceptMissingPairs) {
    const Index n = 300;
    std::vector<float> delta = random_distances(n, 2);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
            if ((i + j) % 10 == 0)
                delta[static_cast<std::size_t>(i * n + j)] = delta[static_cast<std::size_t>(j * n + i)] = nan;
        }
    }
    const auto items = matrix_of(n, delta);
    for (const Method method : {Method::gpu_sf, Method::stochastic, Method::glimmer, Method::hybrid})
        EXPECT_LT(stress(items, place(items, {.method = method}).map).normalized_stress.value, 0.01) << name_of(method);
}

TEST(Mds, ManyItemsHaveTheEigenvectorsOfFew) {
    const Index n = 1100;  // above the threshold for Krylov's method
    std::vector<float> delta = random_distances(n, 2);
    const auto items = matrix_of(n, delta);
    EXPECT_LT(stress(items, place(items, {.method = Method::classical}).map).normalized_stress.value,
              cases::flat_stress);
}

TEST(Mds, TheSameBytesForAnyNumberOfThreads) {
    const auto items = random_points(700, 12);
    for (const Method method : all_methods) {
        const auto with = [&](int threads) { return place(items, {.method = method}, {.threads = threads}).map; };
        const Map one = with(1);
        EXPECT_TRUE(same_bytes(one, with(3))) << name_of(method);
    }
}

TEST(Mds, ZeroToThreeItems) {
    for (const Method method : all_methods) {
        for (Index n = 0; n <= 3; ++n) {
            const auto items = matrix_of(n, random_distances(n, 2));
            const Result r = place(items, {.method = method});
            ASSERT_EQ(r.map.size(), n) << name_of(method);
            EXPECT_LT(stress(items, r.map).normalized_stress.value, 1e-8) << name_of(method) << n;
        }
    }
}

TEST(Mds, CancelledMethodsWithoutIntermediateMapsReturnNone) {
    std::stop_source source;
    source.request_stop();
    const dunlin::Run run{.stop = source.get_token()};
    const auto items = random_points(3000, 5, {.metric = neighbors::Metric::manhattan});
    for (const Method method : {Method::classical, Method::landmark, Method::pivot}) {
        const Result r = place(items, {.method = method}, run);
        EXPECT_EQ(r.stopped, Stopped::cancelled) << name_of(method);
        EXPECT_EQ(r.map.size(), 0) << name_of(method);
    }
}

TEST(Mds, ACancelledScoreIsNan) {
    std::stop_source source;
    source.request_stop();
    const dunlin::Run run{.stop = source.get_token()};
    const Dissimilarities items = four_items();
    EXPECT_TRUE(std::isnan(stress(items, four_places(), {}, run).normalized_stress.value));
    EXPECT_TRUE(std::isnan(transformed_stress1(items, four_places(), Transform::ordinal, nullptr, run)));
    EXPECT_TRUE(std::isnan(weighted_stress(items, four_places(), Matrix(4, 4, std::vector<float>(16, 1.0F)), run)));
    EXPECT_TRUE(stress_per_point(items, four_places(), {}, run).empty());
}

TEST(Mds, CoincidentItemsLieTogether) {
    const auto items = matrix_of(4, std::vector<float>(16, 0.0F));
    for (const Method method : all_methods) {
        const Result r = place(items, {.method = method});
        for (const float y : r.map.coordinates) EXPECT_NEAR(y, 0, 1e-4) << name_of(method);
    }
}

TEST(Mds, NormalizedColumnsSpanOne) {
    const Matrix points(3, 2, std::vector<float>{10, 5, 20, 5, 40, 5});
    const auto items = Dissimilarities::of_points(points, {.normalize = Normalize::minmax});
    EXPECT_FLOAT_EQ(items.values().view()(1, 0), 1.0F / 3);
    EXPECT_FLOAT_EQ(items.values().view()(2, 0), 1);
    EXPECT_FLOAT_EQ(items.values().view()(2, 1), 0);
}

TEST(Mds, SimplexStressIsThatOfMany) {
    EXPECT_NEAR(simplex_stress(101, 2), 0.16995, 0.0005);
    EXPECT_EQ(simplex_stress(3, 2), 0);
}

TEST(Mds, InvalidMatricesAreRefusedWithTheEntry) {
    EXPECT_NE(refusal([] { matrix_of(2, {0, 1, 2, 0}); }).find("(0, 1)"), std::string::npos);
    EXPECT_NE(refusal([] { matrix_of(2, {0, -1, -1, 0}); }).find("at least 0"), std::string::npos);
    EXPECT_NE(refusal([] { matrix_of(2, {0, 1, 1, 3}); }).find("(1, 1)"), std::string::npos);
    EXPECT_NE(refusal([] { matrix_of(2, {0, nan, 1, 0}); }).find("missing both ways"), std::string::npos);
    EXPECT_NE(refusal([] { matrix_of(2, {0, INFINITY, INFINITY, 0}); }).find("1e18"), std::string::npos);
    EXPECT_NE(refusal([] { Dissimilarities::of_matrix(Matrix(1, 2, std::vector<float>{0, 1})); }).find("1 rows"),
              std::string::npos);
    EXPECT_NE(refusal([] { Dissimilarities::of_points(Matrix(2, 1, std::vector<float>{0, nan})); }).find("row 1"),
              std::string::npos);
}

TEST(Mds, WhatAMethodIgnoresIsRefused) {
    const auto items = four_items();
    const Map start = four_places();
    EXPECT_THROW(place(items, {.method = Method::classical, .iterations = 3}), Error);
    EXPECT_THROW(place(items, {.method = Method::smacof, .landmarks = 3}), Error);
    EXPECT_THROW(place(items, {.method = Method::pivot}, {}, {.start = &start}), Error);
    EXPECT_THROW(place(items, {.method = Method::glimmer}, {}, {.start = &start}), Error);
    EXPECT_THROW(place(items, {.method = Method::glimmer, .tolerance = 1e-3}), Error);
    EXPECT_THROW(place(items, {.method = Method::gpu_sf, .decimation = 4}), Error);
    EXPECT_THROW(place(items, {.method = Method::gpu_sf, .random = 0}), Error);
    EXPECT_THROW(place(items, {.method = Method::stochastic, .parents = Parents::sorted}), Error);
    EXPECT_THROW(place(items, {.method = Method::smacof, .until = Until::count}), Error);
    const Matrix weights(4, 4, std::vector<float>(16, 1.0F));
    for (const Method method : all_methods) {
        if (method == Method::dunlin || method == Method::smacof) continue;
        EXPECT_THROW(place(items, {.method = method}, {}, {.weights = &weights}), Error) << name_of(method);
    }
    EXPECT_THROW(place(items, {.dim = 0}), Error);
    EXPECT_THROW(place(items, {}, {.device = Device::cuda}), Error);
}

}  // namespace
}  // namespace dunlin::mds
