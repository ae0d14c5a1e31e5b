// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <dunlin/scores.hpp>

#include "math/rng.hpp"
#include "refusal.hpp"
#include "scores/pair_means.hpp"
#include "scores/sample.hpp"
#include "scores/sampling_rules.hpp"

namespace dunlin::scores {
namespace {

TEST(Sample, HasEveryRowOnceAndIsFixedByTheSeed) {
    for (const Index n : {1, 2, 33, 70001}) {
        for (const Index count : {Index{1}, n / 2 + 1, n}) {
            const auto rows = sample_rows(n, count, 3);
            EXPECT_EQ(rows.size(), static_cast<std::size_t>(count));
            EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
            EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
            EXPECT_GE(rows.front(), 0);
            EXPECT_LT(rows.back(), n);
            EXPECT_EQ(rows, sample_rows(n, count, 3));
        }
    }
    EXPECT_NE(sample_rows(70001, 100, 3), sample_rows(70001, 100, 4));
}

/// Of few and of many rows, which are kept in other ways.
TEST(Sample, IsThatOfFloydsAlgorithm) {
    for (const auto& [n, count] :
         {std::pair<Index, Index>{64, 5}, {70001, 3}, {70001, 136}, {70001, 137}, {300, 300}}) {
        std::set<Index> drawn;
        for (Index last = n - count; last < n; ++last) {
            const auto row = static_cast<Index>(
                math::random_below(static_cast<std::uint64_t>(last) + 1, 7, static_cast<std::uint64_t>(last)));
            drawn.insert(drawn.contains(row) ? last : row);
        }
        EXPECT_EQ(sample_rows(n, count, 7), (std::vector<Index>(drawn.begin(), drawn.end()))) << n << " " << count;
    }
}

TEST(Sample, StandardErrorIsThatOfSamplingWithoutReplacement) {
    const std::vector<double> values = {1, 2, 3, 4};
    EXPECT_EQ(mean_over(values, 4).se, 0);
    EXPECT_DOUBLE_EQ(mean_over(values, 8).value, 2.5);
    EXPECT_DOUBLE_EQ(mean_over(values, 8).se, std::sqrt(5.0 / 3 / 4 / 2));
}

TEST(SamplingRules, FollowFromTheNumberOfRowsAlone) {
    for (const Index n : {0, 1, 2, 500, 1000}) {
        for (const SamplingRule& size : {trustworthiness_rows(n), preservation_rows(n), label_rows(n), stress_rows(n)})
            EXPECT_GE(size.exact, n);
        EXPECT_EQ(stress_sources(n, n).exact, 500);
    }
    EXPECT_EQ(preservation_rows(8100).sample, 4050);
    EXPECT_LE(preservation_rows(2000000000).sample, 8100);
    EXPECT_EQ(stress_sources(14400, 28560).sample, 256);
    EXPECT_EQ(stress_sources(2000000000, 4000000000).sample, 128);
    const SamplingRule table{100, 10};
    EXPECT_EQ(rule_of(Extent::full, 5000, table, 7, 8).exact, 5000);
    EXPECT_EQ(rule_of(Extent::sampled, 5000, table, {}, {}).sample, 10);
    EXPECT_EQ(rule_of(Extent::sampled, 5000, table, 7, {}).exact, 7);
    EXPECT_EQ(rule_of(Extent::sampled, 5000, table, 7, 8).sample, 8);
    EXPECT_EQ(rule_of(Extent::sampled, 5000, table, {}, 8).exact, 0);
}

/// A term of two items: their effects, and noise of the pair.
TEST(PairMeans, IsUnbiasedAndKnowsItsError) {
    constexpr Index n = 300;
    constexpr std::size_t m = 60;
    for (const double noise : {0.0, 0.3, 3.0}) {
        const auto term = [&](Index i, Index j) {
            const auto low = static_cast<std::uint64_t>(std::min(i, j)),
                       high = static_cast<std::uint64_t>(std::max(i, j));
            return 5 + math::random_normal(1, low) + math::random_normal(1, high) +
                   noise * math::random_normal(2, low * n + high);
        };
        double truth = 0;
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < i; ++j) truth += term(i, j) / (n * (n - 1) / 2.0);
        }
        double bias = 0, square = 0, said = 0;
        int covered = 0;
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            const std::vector<Index> drawn = sample_rows(n, static_cast<Index>(m), seed);
            std::vector<std::array<double, 1>> rows(m);
            for (std::size_t i = 0; i < m; ++i) {
                for (Index j = 0; j < n; ++j) rows[i][0] += j == drawn[i] ? 0 : term(drawn[i], j);
            }
            const auto pair = [&](std::size_t i, std::size_t j) { return std::array{term(drawn[i], drawn[j])}; };
            const auto found = pair_means(std::span<const std::array<double, 1>>(rows), n, pair,
                                          [](const auto&) { return std::array{1.0}; });
            const double error = found.means[0] - truth;
            bias += error / 200;
            square += error * error / 200;
            said += found.se * found.se / 200;
            covered += std::abs(error) <= 2 * found.se + 1e-12 ? 1 : 0;
        }
        EXPECT_LT(std::abs(bias), 3 * std::sqrt(square / 200) + 1e-12) << noise;
        EXPECT_GE(covered, 180) << noise;
        if (noise > 0) {
            EXPECT_NEAR(std::sqrt(square / said), 1, 0.2) << noise;
        } else {
            EXPECT_LT(square, 1e-4);  // the rows alone err by 0.12
        }
    }
}

}  // namespace
}  // namespace dunlin::scores
