// SPDX-License-Identifier: Apache-2.0
#include "mds/spectral/landmark_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dunlin::mds {
namespace {

/// Rows of distances from each place on a line to those of the landmarks.
std::vector<float> on_a_line(const std::vector<float>& places, const std::vector<Index>& landmarks) {
    std::vector<float> to_landmarks;
    for (const float place : places) {
        for (const Index a : landmarks) to_landmarks.push_back(std::abs(place - places[static_cast<std::size_t>(a)]));
    }
    return to_landmarks;
}

void expect_weights(const std::vector<float>& found, const std::vector<float>& expected, float tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t a = 0; a < found.size(); ++a) EXPECT_NEAR(found[a], expected[a], tolerance) << a;
}

TEST(LandmarkWeights, OfHeapsAreTheirSizes) {
    // Two items alone and five in one place: a landmark in each. By least squares the share would be 1.016.
    device::Cpu cpu;
    const std::vector<Index> landmarks{0, 1, 2};
    const auto to_landmarks = on_a_line({0, 1, 10, 10, 10, 10, 10}, landmarks);
    expect_weights(landmark_weights(cpu, landmarks, to_landmarks), {3.0F / 7, 3.0F / 7, 15.0F / 7}, 1e-6F);
}

TEST(LandmarkWeights, AnItemBetweenTwoCountsHalfForEach) {
    // Cells of 1.5 and 1.5
    device::Cpu cpu;
    const std::vector<Index> landmarks{0, 2};
    expect_weights(landmark_weights(cpu, landmarks, on_a_line({0, 1, 2}, landmarks)), {1, 1}, 1e-6F);
}

TEST(LandmarkWeights, CellsThatAreChanceCountForLittle) {
    // All 1 apart, but 27 of 30 items a trifle nearer to the first of three landmarks: a share of 0.00997.
    device::Cpu cpu;
    std::vector<float> to_landmarks{0, 1, 1, 1, 0, 1, 1, 1, 0};
    for (int i = 0; i < 27; ++i) to_landmarks.insert(to_landmarks.end(), {0.99F, 1, 1});
    expect_weights(landmark_weights(cpu, std::vector<Index>{0, 1, 2}, to_landmarks), {1.018F, 0.991F, 0.991F}, 1e-3F);
}

TEST(LandmarkWeights, WhatIsMissingTellsNothing) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    device::Cpu cpu;
    EXPECT_TRUE(landmark_weights(cpu, {}, {}).empty());
    expect_weights(landmark_weights(cpu, std::vector<Index>{0}, std::vector<float>{0, nan, 3}), {1}, 0);
    expect_weights(landmark_weights(cpu, std::vector<Index>{0, 1}, std::vector<float>{0, nan, nan, 0, 2, 1}), {1, 1},
                   0);
}

}  // namespace
}  // namespace dunlin::mds
