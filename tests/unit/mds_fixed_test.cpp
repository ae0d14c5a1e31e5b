// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "math/rng.hpp"

namespace dunlin::mds {
namespace {

constexpr Index n = 200;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

Matrix random_matrix(Index cols) {
    std::vector<float> x;
    for (Offset k = 0; k < Offset{n} * cols; ++k)
        x.push_back(static_cast<float>(math::random_normal(1, static_cast<std::uint64_t>(k))));
    return {n, cols, std::move(x)};
}

/// The map without every tenth point.
Map without_some(Map map) {
    for (Index i = 0; i < map.size(); i += 10) {
        for (int c = 0; c < map.dim; ++c) map.coordinates[static_cast<std::size_t>(i * map.dim + c)] = nan;
    }
    return map;
}

TEST(MdsFixed, RemovedPointsReturnAndTheOthersStay) {
    const Matrix flat = random_matrix(2);
    const auto items = Dissimilarities::of_points(flat);
    const auto view = flat.view();
    const Map whole{2, {view.data, view.data + view.rows * view.cols}}, some = without_some(whole);
    for (const Method method : {Method::dunlin, Method::smacof}) {
        const Map map = place(items, {.method = method}, {}, {.fixed = &some}).map;
        for (std::size_t k = 0; k < map.coordinates.size(); ++k) {
            if (std::isnan(some.coordinates[k])) {
                EXPECT_NEAR(map.coordinates[k], whole.coordinates[k], 1e-4) << name_of(method) << k;
            } else {
                EXPECT_EQ(map.coordinates[k], whole.coordinates[k]) << name_of(method) << k;
            }
        }
    }
}

TEST(MdsFixed, NewPointsAgreeWithAMapOfAllItems) {
    const auto items = Dissimilarities::of_points(random_matrix(6));
    const Map whole = place(items).map, some = without_some(whole);
    const double best = stress(items, whole).normalized_stress.value;
    for (const Method method : {Method::dunlin, Method::smacof}) {
        const Map map = place(items, {.method = method}, {}, {.fixed = &some}).map;
        EXPECT_LE(stress(items, map).normalized_stress.value, 1.01 * best) << name_of(method);
    }
}

TEST(MdsFixed, TheSameBytesForAnyNumberOfThreads) {
    const auto items = Dissimilarities::of_points(random_matrix(6));
    const Map some = without_some(place(items).map);
    for (const Method method : {Method::dunlin, Method::smacof}) {
        const auto with = [&](int threads) {
            return place(items, {.method = method, .iterations = 30}, {.threads = threads}, {.fixed = &some}).map;
        };
        const Map one = with(1), three = with(3);
        EXPECT_EQ(std::memcmp(one.coordinates.data(), three.coordinates.data(), sizeof(float) * one.coordinates.size()),
                  0);
    }
}

TEST(MdsFixed, APairOfWeightZeroHasNoEffect) {
    const auto triangle = Dissimilarities::of_matrix(Matrix(3, 3, std::vector<float>{0, 1, 3, 1, 0, 5, 3, 5, 0}));
    const Matrix weights(3, 3, std::vector<float>{0, 1, 1, 1, 0, 0, 1, 0, 0});
    const Map fixed{1, {0, 1, nan}};
    for (const Method method : {Method::dunlin, Method::smacof}) {
        const Options o{.method = method, .iterations = 2000, .tolerance = 0.0};
        const Map map = place(triangle, o, {}, {.fixed = &fixed, .weights = &weights}).map;
        EXPECT_NEAR(std::abs(map.coordinates[2]), 3, 1e-4) << name_of(method);  // the pair of 5 has no weight
    }
}

TEST(MdsFixed, InvalidInputIsRefused) {
    const auto items = Dissimilarities::of_matrix(Matrix(2, 2, std::vector<float>{0, 1, 1, 0}));
    const Map nothing{1, {nan, nan}}, half{2, {0, nan, 1, 1}}, good{1, {0, nan}}, large{1, {0, 1, nan}};
    const auto with = [&](const Map& fixed, const Options& o) { place(items, o, {}, {.fixed = &fixed}); };
    for (const Map* bad : {&nothing, &half, &large}) EXPECT_THROW(with(*bad, {}), Error);
    EXPECT_THROW(with(good, {.method = Method::pivot}), Error);
    EXPECT_THROW(with(good, {.method = Method::smacof, .transform = Transform::ordinal}), Error);
    EXPECT_THROW(with(good, {.start = Start::random}), Error);
    EXPECT_NO_THROW(with(good, {}));
}

}  // namespace
}  // namespace dunlin::mds
