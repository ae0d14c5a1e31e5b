// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "density/placement.hpp"
#include "forces/grid/charges.hpp"
#include "math/at.hpp"
#include "math/bspline.hpp"
#include "math/rng.hpp"
#include "numerics/ranked.hpp"

namespace dunlin::density {
namespace {

TEST(GaussianTaps, TurnSplinesIntoGaussians) {
    for (const double sigma : {2.0, 3.7, 20.0}) {
        const int radius = static_cast<int>(std::ceil(6 * sigma));
        const std::vector<float> taps = gaussian_taps(sigma, radius);
        EXPECT_NEAR(sum_of_taps(taps), 1, 1e-6);
        for (const double into : {0.0, 0.25, 0.5, 0.9}) {
            double weights[forces::grid_order];
            math::bspline_weights<forces::grid_order>(into, weights);
            for (int node = -radius; node <= radius; node += 3) {
                double sum = 0;
                for (int m = 0; m < forces::grid_order; ++m) {
                    const int distance = std::abs(node - m);
                    if (distance <= radius) sum += weights[m] * static_cast<double>(taps[at(distance)]);
                }
                const double off = (node - (spline_center + into)) / sigma;
                const double truth = std::exp(-off * off / 2) / (std::sqrt(2 * std::numbers::pi) * sigma);
                EXPECT_NEAR(sum * sigma, truth * sigma, 1e-5) << sigma << " " << into << " " << node;
            }
        }
    }
}

TEST(Ranked, GivesTheSortedValues) {
    device::Cpu cpu(2);
    for (const Offset n : {1, 2, 31, 1000, 200000}) {
        std::vector<float> values;
        for (Offset i = 0; i < n; ++i) {
            const auto draw = static_cast<std::uint64_t>(i);
            values.push_back(static_cast<float>(std::exp(20 * math::random_normal(1, draw)) * (i % 2 == 0 ? -1 : 1)));
            if (i % 3 == 0) values.back() = 0.5F;
        }
        std::vector<float> sorted = values;
        std::sort(sorted.begin(), sorted.end());
        const std::vector<Offset> ranks{0, n / 3, n / 2, n - 1, n / 2};
        const auto found = numerics::ranked(cpu, n, [&](Offset i) { return values[at(i)]; }, ranks);
        for (std::size_t r = 0; r < ranks.size(); ++r) EXPECT_EQ(found[r], sorted[at(ranks[r])]) << n;
    }
}

TEST(Charges, AreTheRoundedSplinesOfThePoints) {
    device::Cpu cpu(3);
    constexpr Index nx = 200, ny = 90;
    std::vector<float> y;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        y.push_back(static_cast<float>(193 * math::random_uniform(1, i)));
        y.push_back(static_cast<float>(83 * std::pow(math::random_uniform(2, i), 3)));
    }
    std::vector<float> weights;
    for (std::uint64_t i = 0; i < 3000; ++i) weights.push_back(static_cast<float>(math::random_uniform(3, i)));
    forces::GridOrder<2> order;
    order.sort(cpu, {.dim = 2, .nodes = {nx, ny, 1}, .spacing = 1}, {{0, 0, 0}, 1}, {y.data(), 3000, 2});
    for (const bool weighted : {false, true}) {
        std::vector<std::int64_t> charges(at(nx * ny));
        forces::ChargeSpreader().spread<2>(
            cpu, order, weighted ? std::span<const float>(weights) : std::span<const float>{}, {nx, nx * ny}, charges);
        std::vector<double> truth(charges.size());
        for (std::size_t i = 0; i < 3000; ++i) {
            const int cell[2] = {static_cast<int>(y[2 * i]), static_cast<int>(y[2 * i + 1])};
            double wx[forces::grid_order], wy[forces::grid_order];
            math::bspline_weights<forces::grid_order>(static_cast<double>(y[2 * i]) - cell[0], wx);
            math::bspline_weights<forces::grid_order>(static_cast<double>(y[2 * i + 1]) - cell[1], wy);
            for (int b = 0; b < forces::grid_order; ++b) {
                for (int a = 0; a < forces::grid_order; ++a)
                    truth[at(cell[0] + a + nx * (cell[1] + b))] +=
                        wx[a] * wy[b] * (weighted ? static_cast<double>(weights[i]) : 1);
            }
        }
        for (std::size_t node = 0; node < charges.size(); ++node)
            EXPECT_NEAR(static_cast<double>(charges[node]) * 0x1p-20, truth[node], 2e-5);
    }
}

}  // namespace
}  // namespace dunlin::density
