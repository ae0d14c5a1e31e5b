// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "math/rng.hpp"
#include "math/vec.hpp"
#include "numerics/ordered.hpp"

namespace dunlin::math {
namespace {

/// Numbers of many magnitudes and both signs, whose sums depend on the order.
std::vector<double> numbers(Offset n) {
    std::vector<double> all;
    for (Offset i = 0; i < n; ++i) {
        const auto row = static_cast<std::uint64_t>(i);
        all.push_back((random_uniform(5, row) - 0.5) * std::ldexp(1.0, static_cast<int>(random_below(40, 6, row))));
    }
    return all;
}

bool same_bytes(double a, double b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

/// Boundaries of `parts` parts of [0, n) at multiples of `unit`; some parts are empty, but not the last.
std::vector<Offset> borders(Offset n, Offset unit, int parts, std::uint64_t seed) {
    const Offset units = (n + unit - 1) / unit;
    std::vector<Offset> cuts{0};
    for (int p = 1; p < parts; ++p) {
        const auto most = static_cast<std::uint64_t>(units);
        cuts.push_back(unit * static_cast<Offset>(random_below(most, seed, static_cast<std::uint64_t>(p))));
    }
    if (parts > 2) cuts[2] = cuts[1];  // at least one empty part
    cuts.push_back(n);
    std::sort(cuts.begin(), cuts.end());
    return cuts;
}

constexpr std::array<Offset, 10> sizes{1, 31, 32, 33, 1023, 1024, 1025, 32768, 70001, 1100003};

TEST(TreeSum, ByHand) {
    TreeSum<double> sum;
    EXPECT_EQ(sum.total(), 0);
    double expected = 0;
    for (int i = 1; i <= 5000; ++i) {
        sum.add(i);
        expected += i;
        ASSERT_EQ(sum.total(), expected);  // whole numbers are exact in any order
    }
    // Halves: 1 + 1e16 is not 1e16 + 1 - 1e16. Values 0 and 16 are added first, then 0 and 8
    double values[fan_in] = {1};
    values[16] = 1e16, values[8] = -1e16;
    EXPECT_EQ(fold(values), (1 + 1e16) - 1e16);
}

TEST(TreeSum, IsTheSumOfWhateverPartsItIsTakenIn) {
    const std::vector<double> all = numbers(sizes.back());
    const auto term = [&](Offset i) { return all[static_cast<std::size_t>(i)]; };
    device::Cpu one(1), two(2), five(5);
    for (const Offset n : sizes) {
        const auto whole = tree_sum<double>(0, n, term);
        for (device::Cpu* cpu : {&one, &two, &five}) {
            EXPECT_TRUE(same_bytes(whole, numerics::ordered_sum<double>(*cpu, n, term))) << n;
        }
        for (const int parts : {1, 2, 3, 8}) {
            const std::vector<Offset> cuts = borders(n, sum_block, parts, static_cast<std::uint64_t>(n + parts));
            std::vector<double> blocks;
            for (std::size_t p = 0; p + 1 < cuts.size(); ++p) {
                const auto of_part = [&](Offset i) { return term(cuts[p] + i); };
                const auto some = numerics::block_sums<double>(two, cuts[p + 1] - cuts[p], of_part);
                blocks.insert(blocks.end(), some.begin(), some.end());
            }
            const auto sum = tree_sum<double>(0, static_cast<Offset>(blocks.size()),
                                              [&](Offset b) { return blocks[static_cast<std::size_t>(b)]; });
            EXPECT_TRUE(same_bytes(whole, sum)) << n << " in " << parts;
        }
    }
}

/// Checks that the test above can fail.
TEST(TreeSum, NumbersOfTheTestHaveAnOrder) {
    const std::vector<double> all = numbers(70001);
    const double forwards = std::accumulate(all.begin(), all.end(), 0.0);
    EXPECT_NE(forwards, std::accumulate(all.rbegin(), all.rend(), 0.0));
    EXPECT_NEAR(forwards, tree_sum<double>(0, 70001, [&](Offset i) { return all[static_cast<std::size_t>(i)]; }), 1);
}

TEST(TreeSum, OfNothingIsZeroOnAnyThreads) {
    device::Cpu cpu(2);
    EXPECT_EQ(numerics::ordered_sum<double>(cpu, 0, [](Offset) { return 1.0; }), 0);
}

TEST(TreeSum, AddsVectors) {
    using Two = Vec<double, 2>;
    const auto sum = tree_sum<Two>(0, 2000, [](Offset i) {
        Two v;
        v.at[0] = 1, v.at[1] = static_cast<double>(i);
        return v;
    });
    EXPECT_EQ(sum.at[0], 2000);
    EXPECT_EQ(sum.at[1], 1999000);
}

TEST(Runs, CoverAllRowsOnceAndAreFew) {
    for (const Offset n : {0L, 1L, 255L, 256L, 257L, 524288L, 524289L, 10000000L, 1234567891011L}) {
        const Runs runs = runs_of(n);
        EXPECT_LE(runs.count(), max_runs);
        EXPECT_EQ(runs.length % 32, 0);
        EXPECT_GE(runs.length, 256);
        Offset next = 0;
        for (Offset run = 0; run < runs.count(); ++run) {
            ASSERT_EQ(runs.begin(run), next);
            ASSERT_GT(runs.end(run), next);
            next = runs.end(run);
        }
        EXPECT_EQ(next, n);
    }
}

}  // namespace
}  // namespace dunlin::math
