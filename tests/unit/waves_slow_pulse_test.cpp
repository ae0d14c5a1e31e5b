// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include <dunlin/waves.hpp>

namespace dunlin::waves {
namespace {

/// Activation at level 0.05 from a Gaussian at the left end, of this height.
std::vector<double> after_push(double height) {
    std::vector<double> start(241);
    for (std::size_t i = 0; i < start.size(); ++i)
        start[i] = height * std::exp(-std::pow(0.5 * static_cast<double>(i), 2) / 10);
    const Options options{.step = 0.1, .until = 300, .level = 0.05};
    return simulate(Domain::line(241, 0.5), options, {}, {.v = start}).activation;
}

TEST(WavesPulse, SlowPulseSeparatesRestFromThePulse) {
    // Between the pushes that die and those that become the pulse is one that becomes the unstable, slow pulse
    double dies = 0.1, fires = 0.5;
    for (int k = 0; k < 60; ++k) {
        const double middle = (dies + fires) / 2;
        (after_push(middle).back() < forever ? fires : dies) = middle;
    }
    const auto speed = [](const std::vector<double>& activation, std::size_t from, std::size_t to) {
        return 0.5 * static_cast<double>(to - from) / (activation[to] - activation[from]);
    };
    const std::vector<double> fast = after_push(fires);
    EXPECT_NEAR(speed(fast, 90, 120), 0.3652340588, 0.01 * 0.3652340588);  // by shooting
    EXPECT_NEAR(speed(fast, 190, 230), 0.62710427711, 0.01 * 0.62710427711);
    EXPECT_EQ(after_push(dies).back(), forever);
}

}  // namespace
}  // namespace dunlin::waves
