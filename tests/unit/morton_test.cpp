// SPDX-License-Identifier: Apache-2.0
#include "math/morton.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "forces/morton_order.hpp"
#include "math/rng.hpp"
#include "numerics/sort.hpp"

namespace dunlin::math {
namespace {

TEST(Morton, DealsBitsOut) {
    const std::uint32_t flat[2] = {0b011, 0b101};
    EXPECT_EQ(morton<2>(flat), 0b100111U);
    const std::uint32_t solid[3] = {0b01, 0b10, 0b11};
    EXPECT_EQ(morton<3>(solid), 0b110101U);
    const std::uint32_t corner[2] = {0xffff, 0xffff};
    EXPECT_EQ(morton<2>(corner), 0xffffffffU);
    const std::uint32_t last[3] = {1023, 1023, 1023};
    EXPECT_EQ(morton<3>(last), 0x3fffffffU);
}

TEST(Morton, OrdersCellsAsTheTreeDoes) {
    for (std::uint32_t i = 0; i < 1000; ++i) {
        const auto draw = [&](std::uint64_t d) { return static_cast<std::uint32_t>(random_below(1 << 10, 5, i, d)); };
        const std::uint32_t a[3] = {draw(0), draw(1), draw(2)}, b[3] = {draw(3), draw(4), draw(5)};
        // The first level at which the cells differ decides, axes from the last to the first
        for (int bit = 9; bit >= 0; --bit) {
            const auto digit = [&](const std::uint32_t* c) {
                return (c[0] >> bit & 1) | (c[1] >> bit & 1) << 1 | (c[2] >> bit & 1) << 2;
            };
            if (digit(a) == digit(b)) continue;
            EXPECT_EQ(morton<3>(a) < morton<3>(b), digit(a) < digit(b));
            break;
        }
    }
}

TEST(Morton, PutsWhatLiesOutsideAtTheBorder) {
    EXPECT_EQ(morton_cell<2>(-1, 0, 100), 0U);
    EXPECT_EQ(morton_cell<2>(0.5F, 0, 100), 50U);
    EXPECT_EQ(morton_cell<2>(1e30F, 0, 100), 65535U);
    EXPECT_EQ(morton_cell<3>(std::numeric_limits<float>::infinity(), 0, 100), 1023U);
    EXPECT_EQ(morton_cell<2>(std::nanf(""), 0, 100), 0U);
}

TEST(MortonOrder, GoesFromQuadrantToQuadrantAndKeepsEqualsInOrder) {
    device::Cpu cpu(2);
    const std::vector<float> flat{3, 3, 0, 0, 3, 0, 0, 3, 0, 0};
    EXPECT_EQ(forces::morton_order(cpu, {flat.data(), 5, 2}), (std::vector<Index>{1, 4, 2, 3, 0}));
    const std::vector<float> solid{0, 0, 9, 9, 0, 0, 0, 9, 0};
    EXPECT_EQ(forces::morton_order(cpu, {solid.data(), 3, 3}), (std::vector<Index>{1, 2, 0}));
    EXPECT_TRUE(forces::morton_order(cpu, {flat.data(), 0, 2}).empty());
    const std::vector<float> odd{1, 1, std::nanf(""), 2, 5, 5};
    EXPECT_EQ(forces::morton_order(cpu, {odd.data(), 3, 2}).size(), 3U);
}

TEST(RadixSort, SortsAndKeepsTheOrderOfEquals) {
    for (const Index n : {0, 1, 2, 33, 1000, 70001}) {
        for (const int bits : {1, 8, 30, 32}) {
            std::vector<numerics::Keyed> items;
            for (Index i = 0; i < n; ++i) {
                const auto random = random_bits(3, static_cast<std::uint64_t>(i));
                items.push_back({static_cast<std::uint32_t>(random >> (64 - bits)), i});
            }
            std::vector<numerics::Keyed> expected = items;
            std::stable_sort(expected.begin(), expected.end(), [](auto& a, auto& b) { return a.key < b.key; });
            for (const int threads : {1, 3}) {
                device::Cpu cpu(threads);
                std::vector<numerics::Keyed> sorted = items;
                numerics::RadixSort().sort(cpu, sorted, bits);
                EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), expected.begin(), expected.end(),
                                       [](auto& a, auto& b) { return a.key == b.key && a.item == b.item; }))
                    << n << ' ' << bits;
            }
        }
    }
}

}  // namespace
}  // namespace dunlin::math
