// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include <dunlin/scores.hpp>

#include "math/rng.hpp"

/// Scores of points some of which have no label.
namespace dunlin::scores {
namespace {

Map random_map(Index n, int dim, std::uint64_t seed, float scale = 10) {
    Map map{dim, {}};
    for (Offset i = 0; i < Offset{n} * dim; ++i) {
        map.coordinates.push_back(scale * static_cast<float>(math::random_normal(seed, static_cast<std::uint64_t>(i))));
    }
    return map;
}

TEST(LabelAccuracy, IsOfPointsWithLabels) {
    // Points on a line; those with labels are at 0, 2, 3 and 100
    const Map map{2, {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 100, 0, 101, 0, 102, 0}};
    Labels labels{{0, no_label, 0, 1, no_label, 1, no_label, no_label}, {"a", "b"}};
    // Of each the two nearest have different labels, and the nearest wins: b at 3 for a at 2, and the reverse
    const Score found = label_accuracy(map, labels, 2);
    EXPECT_DOUBLE_EQ(found.value, 0.5);
    EXPECT_EQ(found.se, 0);
    labels.of.assign(8, no_label);
    EXPECT_TRUE(std::isnan(label_accuracy(map, labels, 2).value));
    labels.of[0] = 0;
    EXPECT_TRUE(std::isnan(label_accuracy(map, labels, 2).value));
}

TEST(LabelAccuracy, IsSampledFromPointsWithLabels) {
    const Index n = 3000;
    const Map map = random_map(n, 2, 2);
    Labels labels{{}, {"a", "b"}};
    for (Index i = 0; i < n; ++i) labels.of.push_back(i % 10 == 0 ? map.view()(i, 0) < 0.5F : no_label);
    const Score all = label_accuracy(map, labels, 10, {.extent = Extent::full});
    const Score some = label_accuracy(map, labels, 10, {.exact_votes = 100, .sample = 150});
    EXPECT_EQ(all.se, 0);
    EXPECT_GT(some.se, 0);
    EXPECT_LT(some.se, 0.1);
    EXPECT_NEAR(some.value, all.value, 5 * some.se);
    EXPECT_EQ(evaluate(map, {}, {}, labels, {.extent = Extent::full}).label_accuracy->value, all.value);
    labels.of.assign(static_cast<std::size_t>(n), no_label);
    EXPECT_FALSE(evaluate(map, {}, {}, labels).label_accuracy);
}

}  // namespace
}  // namespace dunlin::scores
