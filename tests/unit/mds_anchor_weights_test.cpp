// SPDX-License-Identifier: Apache-2.0
#include "mds/spectral/anchor_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dunlin::mds {
namespace {

/// Distances from each position on a line to the anchors, row by row.
std::vector<float> on_a_line(const std::vector<float>& places, const std::vector<Index>& anchors) {
    std::vector<float> to_anchors;
    for (const float place : places) {
        for (const Index a : anchors) to_anchors.push_back(std::abs(place - places[static_cast<std::size_t>(a)]));
    }
    return to_anchors;
}

void expect_weights(const std::vector<float>& found, const std::vector<float>& expected, float tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t a = 0; a < found.size(); ++a) EXPECT_NEAR(found[a], expected[a], tolerance) << a;
}

TEST(AnchorWeights, OfClustersAreTheirSizes) {
    // Two separate items and five coincident ones, with an anchor at each position. The least-squares share would be
    // 1.016.
    device::Cpu cpu;
    const std::vector<Index> anchors{0, 1, 2};
    const auto to_anchors = on_a_line({0, 1, 10, 10, 10, 10, 10}, anchors);
    expect_weights(anchor_weights(cpu, anchors, to_anchors), {3.0F / 7, 3.0F / 7, 15.0F / 7}, 1e-6F);
}

TEST(AnchorWeights, AnItemBetweenTwoCountsHalfForEach) {
    // Cells of 1.5 and 1.5
    device::Cpu cpu;
    const std::vector<Index> anchors{0, 2};
    expect_weights(anchor_weights(cpu, anchors, on_a_line({0, 1, 2}, anchors)), {1, 1}, 1e-6F);
}

TEST(AnchorWeights, RandomCellsHaveLittleWeight) {
    // All distances 1, but 27 of 30 items slightly nearer to the first of three anchors: a share of 0.00997.
    device::Cpu cpu;
    std::vector<float> to_anchors{0, 1, 1, 1, 0, 1, 1, 1, 0};
    for (int i = 0; i < 27; ++i) to_anchors.insert(to_anchors.end(), {0.99F, 1, 1});
    expect_weights(anchor_weights(cpu, std::vector<Index>{0, 1, 2}, to_anchors), {1.018F, 0.991F, 0.991F}, 1e-3F);
}

TEST(AnchorWeights, MissingDistancesAreIgnored) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    device::Cpu cpu;
    EXPECT_TRUE(anchor_weights(cpu, {}, {}).empty());
    expect_weights(anchor_weights(cpu, std::vector<Index>{0}, std::vector<float>{0, nan, 3}), {1}, 0);
    expect_weights(anchor_weights(cpu, std::vector<Index>{0, 1}, std::vector<float>{0, nan, nan, 0, 2, 1}), {1, 1}, 0);
}

}  // namespace
}  // namespace dunlin::mds
