// SPDX-License-Identifier: Apache-2.0
// Rows that are repeated: scales of PaCMAP's pairs, and how remote a new row is beside them.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "pacmap/pairs.hpp"
#include "placement/reference.hpp"

namespace dunlin {
namespace {

TEST(Copies, DoNotMakeAScale) {
    const std::array<float, 9> none{1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_DOUBLE_EQ(pacmap::scale_of(none.data(), 9), 5);
    const std::array<float, 12> zeros{0, 9, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    EXPECT_DOUBLE_EQ(pacmap::scale_of(zeros.data(), 12), 5);
    std::array<float, 12> near = zeros;
    near[0] = near[2] = near[11] = 1e-5F;
    EXPECT_DOUBLE_EQ(pacmap::scale_of(near.data(), 12), 5);
    const std::array<float, 5> few{0, 0, 0, 3, 5};
    EXPECT_DOUBLE_EQ(pacmap::scale_of(few.data(), 5), 5);
}

TEST(Copies, WithoutOtherNeighborsAreAsNearAsTheyAre) {
    const std::array<float, 8> zeros{};
    for (const Offset count : {0, 1, 8}) {
        const double scale = pacmap::scale_of(zeros.data(), count);
        EXPECT_GT(scale, 0);
        EXPECT_EQ(pacmap::scaled_distance(0, scale), 0);
        EXPECT_DOUBLE_EQ(pacmap::scaled_distance(0.5F, scale), 0.5);
    }
    EXPECT_DOUBLE_EQ(pacmap::scaled_distance(4, 2), 8);
}

TEST(Copies, HaveTheTypicalReach) {
    std::vector<placement::PointScale> rows(3);  // the first has no list
    rows[1].reach = 0;
    rows[2].reach = 2;
    const double typical = placement::typical_reach(rows);
    EXPECT_DOUBLE_EQ(typical, 1);
    EXPECT_DOUBLE_EQ(placement::reach_of(rows[1], typical), 1);
    EXPECT_DOUBLE_EQ(placement::reach_of(rows[2], typical), 2);
    const std::array<Index, 1> beside{1};
    const auto remoteness = [&](float distance) {
        return placement::remoteness_of(beside, std::array{distance}, rows, typical);
    };
    EXPECT_EQ(remoteness(0), 0);
    EXPECT_NEAR(remoteness(1e-5F), 1e-5, 1e-9);
    EXPECT_GT(remoteness(1.5F), 1);
    EXPECT_EQ(placement::typical_reach({}), 0);
}

}  // namespace
}  // namespace dunlin
