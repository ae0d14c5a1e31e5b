// SPDX-License-Identifier: Apache-2.0
#include "mds/sgd/group.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "math/permutation.hpp"

namespace dunlin::mds {
namespace {

TEST(Permutation, IsOne) {
    for (const Index n : {1, 2, 3, 31, 32, 33, 1000, 70001}) {
        const auto shuffle = math::Permutation::of(n, 7, 3);
        std::vector<bool> hit(static_cast<std::size_t>(n), false);
        for (Index i = 0; i < n; ++i) {
            const Index to = shuffle(i);
            ASSERT_TRUE(to >= 0 && to < n && !hit[static_cast<std::size_t>(to)]) << n << " " << i;
            hit[static_cast<std::size_t>(to)] = true;
        }
    }
}

TEST(Permutation, NeighborsPartAndDrawsDiffer) {
    const Index n = 10000;
    const auto one = math::Permutation::of(n, 1, 1), other = math::Permutation::of(n, 1, 2);
    double apart = 0;
    int same = 0;
    for (Index i = 1; i < n; ++i) {
        apart += std::abs(one(i) - one(i - 1));
        same += one(i) == other(i) ? 1 : 0;
    }
    EXPECT_NEAR(apart / n, n / 3.0, n / 30.0);  // as of two random places
    EXPECT_LT(same, 10);
}

TEST(Group, PartnersAreMutualAndEachPairOccursOnce) {
    std::set<std::pair<int, int>> met;
    std::set<int> places;
    for (int round = 0; round < group_rounds; ++round) {
        for (int slot = 0; slot < group_size; ++slot) {
            const int other = partner(slot, round);
            EXPECT_EQ(partner(other, round), slot);
            EXPECT_NE(other / group_block, slot / group_block);
            if (slot > other) continue;
            EXPECT_TRUE(met.emplace(slot, other).second);
            const int place = pair_index(slot, round);
            EXPECT_TRUE(place >= 0 && place < group_pairs && places.insert(place).second);
        }
    }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(group_pairs));
}

std::vector<float> numbers(std::size_t count) {
    std::vector<float> x;
    for (std::size_t k = 0; k < count; ++k) x.push_back(static_cast<float>(std::sin(static_cast<double>(k * k))));
    return x;
}

TEST(Group, SumsAreThoseOfItsPairs) {
    constexpr int cols = 5;
    const std::vector<float> x = numbers(cols * group_size);
    for (const bool manhattan : {false, true}) {
        std::vector<float> sums(group_pairs);
        group_sums(x.data(), cols, manhattan, sums.data());
        for (int round = 0; round < group_rounds; ++round) {
            for (int slot = 0; slot < group_size; ++slot) {
                const int other = partner(slot, round);
                if (other < slot) continue;
                float sum = 0;
                for (int c = 0; c < cols; ++c) {
                    const auto axis = static_cast<std::size_t>(c * group_size);
                    const float apart =
                        x[axis + static_cast<std::size_t>(slot)] - x[axis + static_cast<std::size_t>(other)];
                    sum += manhattan ? std::abs(apart) : apart * apart;
                }
                EXPECT_NEAR(sums[static_cast<std::size_t>(pair_index(slot, round))], sum, 1e-5F);
            }
        }
    }
}

TEST(Group, StepsAreThoseOfItsPairsInOrder) {
    for (const int dim : {1, 2, 3, 5}) {
        std::vector<float> y = numbers(static_cast<std::size_t>(dim * group_size)), expected = y;
        std::vector<float> delta = numbers(group_pairs);
        for (float& d : delta) d = std::abs(d);
        delta[5] = std::numeric_limits<float>::quiet_NaN();
        for (int round = 0; round < group_rounds; ++round) {
            for (int slot = 0; slot < group_size; ++slot) {
                const int other = partner(slot, round);
                if (other < slot) continue;
                const auto axis = [&](int c, int s) { return static_cast<std::size_t>(c * group_size + s); };
                float d2 = 0;
                for (int c = 0; c < dim; ++c) d2 += std::pow(expected[axis(c, slot)] - expected[axis(c, other)], 2.0F);
                const float share =
                    stress::pair_step(d2, delta[static_cast<std::size_t>(pair_index(slot, round))], 0.7F);
                for (int c = 0; c < dim; ++c) {
                    const float move = share * (expected[axis(c, slot)] - expected[axis(c, other)]);
                    expected[axis(c, slot)] -= move;
                    expected[axis(c, other)] += move;
                }
            }
        }
        step_group(y.data(), dim, delta.data(), nullptr, 0.7F);
        for (std::size_t k = 0; k < y.size(); ++k) EXPECT_NEAR(y[k], expected[k], 1e-4F) << dim << " " << k;
    }
}

TEST(Group, AWeightMultipliesTheStepUpToAWholeOne) {
    // Only items 0 and 8 are paired; their distance is 1 and should be 3
    for (const auto& [weight, apart] : {std::pair{0.5F, 1.5F}, {2.0F, 3.0F}, {90.0F, 3.0F}}) {
        std::vector<float> y(group_size, 0.0F), delta(group_pairs, std::nanf("")), weights(group_pairs, weight);
        y[8] = 1;
        for (int round = 0; round < group_rounds; ++round) {
            if (partner(0, round) == 8) delta[static_cast<std::size_t>(pair_index(0, round))] = 3;
        }
        step_group(y.data(), 1, delta.data(), weights.data(), 0.5F);
        EXPECT_NEAR(y[8] - y[0], apart, 1e-5F) << weight;
    }
}

TEST(Group, AFullStepSetsTwoAtTheirDistance) {
    const float share = stress::pair_step(4, 1, 1);  // 2 apart, wanted 1: each goes a quarter of the way
    EXPECT_FLOAT_EQ(share, 0.25F);
    EXPECT_EQ(stress::pair_step(0, 1, 1), 0);
}

}  // namespace
}  // namespace dunlin::mds
