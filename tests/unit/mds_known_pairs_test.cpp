// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include <dunlin/known_pairs.hpp>

#include "math/at.hpp"

namespace dunlin::mds {
namespace {

constexpr float unknown = std::numeric_limits<float>::quiet_NaN();

/// A matrix of ones, with a 1 where known(i, j) and NaN elsewhere.
Dissimilarities ones(Index n, const auto& known) {
    std::vector<float> values;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) values.push_back(i == j ? 0.0F : known(i, j) ? 1.0F : unknown);
    }
    return Dissimilarities::of_matrix(Matrix(n, n, std::move(values)));
}

TEST(MdsKnownPairs, AllAreKnown) {
    for (Index n = 0; n < 6; ++n) EXPECT_TRUE(open_places(ones(n, [](Index, Index) { return true; }), 2).none()) << n;
    EXPECT_TRUE(open_places(Dissimilarities::of_points(Matrix(2, 1, std::vector<float>{0, 1})), 2).none());
}

TEST(MdsKnownPairs, GroupsAreCountedByTheirFirstItems) {
    const auto by_rest = ones(12, [](Index i, Index j) { return i % 3 == j % 3; });
    const OpenPlaces open = open_places(by_rest, 2);
    EXPECT_EQ(open.groups, 3);
    EXPECT_EQ(open.apart[1], 1);
    EXPECT_EQ(open.few, 0);
    EXPECT_EQ(open_places(by_rest, 5).few, 0);  // all pairs of a group of four are known
    const auto chain = ones(6, [](Index i, Index j) { return i - j == 1 || j - i == 1; });
    EXPECT_EQ(open_places(chain, 2).groups, 1);
    EXPECT_EQ(open_places(chain, 2).few, 6);
    EXPECT_EQ(open_places(chain, 1).few, 2);  // the ends
}

TEST(MdsKnownPairs, PairsOfWeight0AreNotKnownAndFixedPointsAre) {
    const Index n = 6;
    std::vector<float> w(at(n * n), 1.0F);
    for (Index j = 1; j < n; ++j) w[at(j)] = w[at(j * n)] = 0;  // item 0 has no pair
    const Matrix weights(n, n, std::move(w));
    const auto all = ones(n, [](Index, Index) { return true; });
    EXPECT_EQ(open_places(all, 2, {.weights = &weights}).groups, 2);
    Map fixed{1, {0, 1, unknown, unknown, unknown, unknown}};
    EXPECT_EQ(open_places(all, 2, {.fixed = &fixed, .weights = &weights}).groups, 1);
    EXPECT_EQ(open_places(all, 2, {.fixed = &fixed, .weights = &weights}).few, 0);
    EXPECT_EQ(sentences_of(open_places(all, 2, {.weights = &weights}), [](Index i) { return std::to_string(i); }),
              std::vector<std::string>{
                  "the items fall into 2 groups without a known pair between them, such as those of 0 and 1: the "
                  "places of different groups to each other mean nothing"});
}

}  // namespace
}  // namespace dunlin::mds
