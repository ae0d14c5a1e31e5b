// SPDX-License-Identifier: Apache-2.0
#include "layout/overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "math/at.hpp"
#include "math/rng.hpp"

namespace dunlin::layout {
namespace {

Map random_map(Index n, int dim, double side, std::uint64_t seed) {
    Map map{dim, {}};
    for (std::uint64_t i = 0; i < at(Offset{n} * dim); ++i)
        map.coordinates.push_back(static_cast<float>(side * math::random_normal(seed, i)));
    return map;
}

std::vector<float> random_radii(Index n, std::uint64_t seed) {
    std::vector<float> radii;  // from 0.05 to 5, most of them small
    for (std::uint64_t i = 0; i < at(n); ++i)
        radii.push_back(0.05F * std::pow(100.0F, std::pow(static_cast<float>(math::random_uniform(seed, i)), 4.0F)));
    return radii;
}

/// Minimum distance between borders, over all pairs.
double least_room(const Map& map, const std::vector<float>& radii) {
    double least = 1e30;
    for (Index a = 0; a < map.size(); ++a) {
        for (Index b = 0; b < a; ++b) {
            double square = 0;
            for (int c = 0; c < map.dim; ++c) {
                const double d = static_cast<double>(map.view()(a, c)) - static_cast<double>(map.view()(b, c));
                square += d * d;
            }
            least = std::min(least,
                             std::sqrt(square) - static_cast<double>(radii[at(a)]) - static_cast<double>(radii[at(b)]));
        }
    }
    return least;
}

TEST(Overlaps, AreThoseFoundPairByPair) {
    for (const int dim : {2, 3}) {
        constexpr Index n = 700;
        const Map map = random_map(n, dim, 4, 1);
        std::vector<float> radii = random_radii(n, 2);
        for (std::size_t i = 0; i < 100; ++i) radii[i] = 0;
        for (const float gap : {0.0F, 0.3F}) {
            std::vector<std::pair<Index, Index>> expected, found;
            for (Index a = 0; a < n; ++a) {
                for (Index b = 0; b < a; ++b) {
                    double square = 0;
                    for (int c = 0; c < dim; ++c) {
                        const double d = static_cast<double>(map.view()(a, c)) - static_cast<double>(map.view()(b, c));
                        square += d * d;
                    }
                    const double reach = static_cast<double>(radii[at(a)]) + static_cast<double>(radii[at(b)]) +
                                         static_cast<double>(gap);
                    if (square < reach * reach) expected.emplace_back(a, b);
                }
            }
            device::Cpu cpu(2);
            for (const OverlappingPair& clash : overlapping_pairs(cpu, map, radii, gap, n))
                found.emplace_back(clash.a, clash.b);
            EXPECT_EQ(found, expected);
            EXPECT_GT(found.size(), 100U);
        }
    }
}

TEST(Overlaps, AreGoneFromCrowdsInTwoAndThreeDimensions) {
    device::Cpu cpu(2);
    for (const int dim : {2, 3}) {
        for (const double side : {0.5, 5.0, 50.0}) {
            constexpr Index n = 1000;
            Map map = random_map(n, dim, side, 3);
            const std::vector<float> radii = random_radii(n, 4);
            const int rounds = remove_overlaps(cpu, map, radii, 0.01F);
            EXPECT_LT(rounds, 100) << dim << ' ' << side;
            EXPECT_GE(least_room(map, radii), 0.01);
        }
    }
}

TEST(Overlaps, AreGoneWhereAllDiscsLieAtOnePlace) {
    device::Cpu cpu(2);
    Map map{2, std::vector<float>(2000, 3.0F)};
    const std::vector<float> radii(1000, 1.0F);
    remove_overlaps(cpu, map, radii, 0);
    EXPECT_GE(least_room(map, radii), 0);
}

TEST(Overlaps, AMapWithoutAnyStaysAsItIs) {
    device::Cpu cpu(1);
    Map map{2, {0, 0, 2, 0, 0, 2, 5, 5}};
    const std::vector<float> before = map.coordinates;
    EXPECT_EQ(remove_overlaps(cpu, map, std::vector<float>{1, 0.9F, 0.5F, 2}, 0), 0);
    EXPECT_EQ(map.coordinates, before);
    Map one{2, {1, 2}};
    EXPECT_EQ(remove_overlaps(cpu, one, std::vector<float>{9}, 1), 0);
}

TEST(Overlaps, AreRemovedWithoutChangingTheArrangement) {
    // A lattice of discs that need twice the area: it grows, and rows and columns keep their order
    Map map;
    for (int i = 0; i < 400; ++i) {
        const auto jitter = [i](std::uint64_t c) {
            return 0.1 * math::random_uniform(5, static_cast<std::uint64_t>(i), c);
        };
        map.coordinates.push_back(static_cast<float>(i % 20 + jitter(0)));
        map.coordinates.push_back(static_cast<float>(i / 20 + jitter(1)));
    }
    const std::vector<float> radii(400, 1.0F);
    device::Cpu cpu(2);
    remove_overlaps(cpu, map, radii, 0);
    int kept = 0;
    for (Index a = 0; a < 400; ++a) {
        for (Index b = 0; b < a; ++b) {
            if (a % 20 == b % 20 && map.view()(a, 1) > map.view()(b, 1)) ++kept;
            if (a / 20 == b / 20 && map.view()(a, 0) > map.view()(b, 0)) ++kept;
        }
    }
    EXPECT_GE(kept, 2 * 20 * 190 * 97 / 100);
    float widest = 0;
    for (const float x : map.coordinates) widest = std::max(widest, std::abs(x - 10));
    EXPECT_LT(widest, 60);  // the minimum is 20
}

TEST(Overlaps, AreRemovedAlikeForAnyNumberOfThreads) {
    Map one = random_map(3000, 2, 5, 6), four = one;
    const std::vector<float> radii = random_radii(3000, 7);
    device::Cpu cpu1(1), cpu4(4);
    remove_overlaps(cpu1, one, radii, 0);
    remove_overlaps(cpu4, four, radii, 0);
    EXPECT_EQ(one.coordinates, four.coordinates);
}

TEST(Overlaps, AnInvalidRadiusIsNamed) {
    device::Cpu cpu(1);
    Map map{2, {0, 0, 1, 1}};
    EXPECT_THROW(remove_overlaps(cpu, map, std::vector<float>{1}, 0), Error);
    EXPECT_THROW(remove_overlaps(cpu, map, std::vector<float>{1, -1}, 0), Error);
    EXPECT_THROW(remove_overlaps(cpu, map, std::vector<float>{1, 1}, -1), Error);
    map.coordinates[1] = std::nanf("");
    EXPECT_THROW(remove_overlaps(map, std::vector<float>{1, 1}), Error);
}

}  // namespace
}  // namespace dunlin::layout
