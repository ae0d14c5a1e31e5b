// SPDX-License-Identifier: Apache-2.0
#include <dunlin/layout.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include <dunlin/scores.hpp>

#include "cases/graphs.hpp"
#include "layout/block_steps.hpp"
#include "layout/low_stress.hpp"
#include "layout/random_pivots.hpp"
#include "math/rng.hpp"
#include "refusal.hpp"

namespace dunlin::layout {
namespace {

using made::binary_tree;
using made::lattice;

/// Papers of up to 6 authors, each pair of them joined; half of the authors are drawn by how often they wrote.
Graph coauthors(Index papers) {
    std::vector<std::set<Index>> neighbors;
    std::vector<Index> wrote{0};
    std::uint64_t lot = 0;
    const auto draw = [&](std::size_t below) { return static_cast<Index>(math::random_below(below, 5, lot++)); };
    neighbors.emplace_back();
    for (Index paper = 0; paper < papers; ++paper) {
        std::set<Index> team{wrote[static_cast<std::size_t>(draw(wrote.size()))]};
        for (Index more = draw(6); more > 0; --more) {
            const bool is_new = draw(2) == 0;
            team.insert(is_new ? static_cast<Index>(neighbors.size())
                               : wrote[static_cast<std::size_t>(draw(wrote.size()))]);
            neighbors.resize(std::max(neighbors.size(), static_cast<std::size_t>(*team.rbegin()) + 1));
        }
        wrote.insert(wrote.end(), team.begin(), team.end());
        for (const Index a : team) {
            for (const Index b : team) {
                if (a != b) neighbors[static_cast<std::size_t>(a)].insert(b);
            }
        }
    }
    Graph graph;
    for (const auto& row : neighbors) {
        graph.targets.insert(graph.targets.end(), row.begin(), row.end());
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    graph.weights.assign(graph.targets.size(), 1);
    return graph;
}

double distance(const Map& map, Index a, Index b) {
    double sum = 0;
    for (int c = 0; c < map.dim; ++c)
        sum += std::pow(static_cast<double>(map.view()(a, c)) - static_cast<double>(map.view()(b, c)), 2);
    return std::sqrt(sum);
}

TEST(BlockSteps, EachEndMovesByHalfOfTheError) {
    std::array<float, 64> a{}, b{};
    std::array<float, 1024> distances{};
    b[5] = 4;                   // the fifth of b lies 4 to the right of all of a
    distances[2 * 32 + 3] = 1;  // and should be 1 from the third of a
    std::array<float, 64> before = a;
    step_blocks({a.data()}, {b.data()}, 2, distances.data(), 100);
    before[3] = 1.5F;
    EXPECT_EQ(a, before);
    EXPECT_FLOAT_EQ(b[5], 2.5F);

    a = {};
    b = {};
    b[5] = 4;
    distances[2 * 32 + 3] = 2;  // now by eta / 2^2 of it
    step_blocks({a.data()}, {b.data()}, 2, distances.data(), 1);
    EXPECT_FLOAT_EQ(a[3], 0.25F);
    EXPECT_FLOAT_EQ(b[5], 3.75F);
}

TEST(BlockSteps, PairsWithinABlockMoveOnce) {
    std::array<float, 96> a{};
    std::array<float, 1024> distances{};
    a[7] = 6;
    distances[5 * 32 + 2] = 2;   // 2 and 7
    distances[27 * 32 + 7] = 2;  // 7 and 2
    step_within({a.data()}, 3, distances.data(), 100);
    EXPECT_FLOAT_EQ(a[2], 2);
    EXPECT_FLOAT_EQ(a[7], 4);
}

TEST(LowStress, APathIsStraightAndOfItsLength) {
    for (const int dim : {2, 3}) {
        for (const float length : {1.0F, 3.0F}) {
            const Result r = place(lattice(70, 1, length), {.method = Method::stress, .dim = dim, .length = length});
            EXPECT_NEAR(distance(r.map, 0, 69), 69 * length, 0.1 * length);
            EXPECT_NEAR(distance(r.map, 30, 31), length, 0.02 * length);
            EXPECT_EQ(r.stopped, Stopped::budget);
        }
    }
}

TEST(LowStress, HasLessStressThanTheOutlineItBeginsWith) {
    const Graph graph = binary_tree(700);
    const auto stress_after = [&](int iterations) {
        const Result r = place(graph, {.method = Method::stress, .iterations = iterations});
        return scores::scaled_stress(graph, r.map).value;
    };
    EXPECT_LT(stress_after(100), 0.95 * stress_after(0));
}

TEST(LowStress, LengthsAreKept) {
    Graph graph = lattice(3, 1);
    graph.weights = {1, 1, 4, 4};
    const Result r = place(graph, {.method = Method::stress, .weights = Weights::length});
    EXPECT_NEAR(distance(r.map, 1, 2) / distance(r.map, 0, 1), 4, 0.01);
    EXPECT_NEAR(distance(r.map, 0, 2) / distance(r.map, 0, 1), 5, 0.01);
}

TEST(LowStress, OfFewVerticesAndOfSeveralComponents) {
    for (const Index n : {0, 1, 2, 31, 32, 33}) {
        const Result r = place(lattice(std::max(n, 1), n == 0 ? 0 : 1), {.method = Method::stress});
        ASSERT_EQ(r.map.size(), n);
        for (Index v = 1; v < n; ++v) EXPECT_NEAR(distance(r.map, v - 1, v), 1, 0.05) << n;
    }
    Graph two = lattice(4, 1);
    const Graph other = lattice(3, 1);
    for (Index v = 0; v < 3; ++v) {
        for (Offset e = other.offsets[static_cast<std::size_t>(v)]; e < other.offsets[static_cast<std::size_t>(v) + 1];
             ++e)
            two.targets.push_back(4 + other.targets[static_cast<std::size_t>(e)]);
        two.offsets.push_back(static_cast<Offset>(two.targets.size()));
    }
    two.weights.assign(two.targets.size(), 1);
    const Result r = place(two, {.method = Method::stress});
    EXPECT_NEAR(distance(r.map, 0, 3), 3, 0.05);
    EXPECT_NEAR(distance(r.map, 4, 6), 2, 0.05);
    EXPECT_GT(distance(r.map, 3, 4), 1);
}

TEST(LowStress, BeyondAllPairsPivotsDo) {
    const Graph graph = lattice(180, 120);
    const Result r = place(graph, {.method = Method::stress, .iterations = 20});
    EXPECT_EQ(r.iterations, 20);
    const double wide = distance(r.map, 0, 179) / distance(r.map, 0, 180 * 119);
    EXPECT_NEAR(wide, 179.0 / 119, 0.05);
    EXPECT_NEAR(distance(r.map, 0, 179), 1.25 * 179, 20);  // sides are longer than paths, diagonals shorter
    EXPECT_LT(scores::scaled_stress(graph, r.map, {.exact_sources = 0}).value, 0.02);
}

TEST(LowStress, TheSameBytesForAnyNumberOfThreads) {
    dunlin::Run one, three;
    one.threads = 1;
    three.threads = 3;
    const Options options{.method = Method::stress, .iterations = 5};
    EXPECT_EQ(place(lattice(20, 17), options, one).map.coordinates,
              place(lattice(20, 17), options, three).map.coordinates);
}

TEST(LowStress, RefusesWhatItWouldIgnore) {
    const Graph graph = lattice(4, 1);
    const auto refused = [&](Options options) {
        options.method = Method::stress;
        return refusal([&] { place(graph, options); });
    };
    EXPECT_NE(refused({.tolerance = 1.0F}).find("tolerance"), std::string::npos);
    EXPECT_NE(refused({.repulsion = Repulsion::tree}).find("repulsion"), std::string::npos);
    EXPECT_NE(refused({.gravity = 1.0F}).find("gravity"), std::string::npos);
    EXPECT_NE(refused({.stiffness = 1.0F}).find("stiffness"), std::string::npos);
}

TEST(BlockSteps, IfOneIsPinnedTheOtherMovesByTheWholeError) {
    std::array<float, 64> a{}, b{};
    std::array<float, 1024> distances{};
    std::array<float, 32> all, some;
    all.fill(1);
    some = all;
    some[3] = 0;
    b[5] = 4;
    distances[2 * 32 + 3] = 1;
    step_blocks({a.data(), some.data()}, {b.data(), all.data()}, 2, distances.data(), 100);
    EXPECT_EQ(a, (std::array<float, 64>{}));
    EXPECT_FLOAT_EQ(b[5], 1);
    std::array<float, 64> own{};
    own[5] = 4;
    step_within({own.data(), some.data()}, 2, distances.data(), 100);
    EXPECT_FLOAT_EQ(own[3], 0);
    EXPECT_FLOAT_EQ(own[5], 1);
}

TEST(LowStress, FromAStartPinnedVerticesStayAndOthersComeToTheirDistances) {
    // A path of 4 whose ends are pinned 3 apart, and a pair that stays where it is, 1 apart in the end
    const std::vector<std::uint8_t> pinned{1, 0, 0, 1, 0, 0};
    Graph graph = lattice(4, 1);
    for (const Index to : {5, 4}) {
        graph.targets.push_back(to);
        graph.weights.push_back(1);
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    for (const int dim : {2, 3}) {
        Map start{dim, std::vector<float>(static_cast<std::size_t>(6 * dim), 0.0F)};
        const auto x = [&](Map& map, Index v) -> float& { return map.coordinates[static_cast<std::size_t>(v * dim)]; };
        for (Index v = 0; v < 4; ++v) x(start, v) = static_cast<float>(v == 3 ? 3 : 0.4 * v);
        x(start, 4) = 20;
        x(start, 5) = 20.5F;
        Result r = place(graph, {.method = Method::stress}, {}, {.start = &start, .pinned = pinned});
        for (const Index v : {0, 3}) EXPECT_EQ(x(r.map, v), x(start, v));
        EXPECT_NEAR(x(r.map, 1), 1, 0.02);
        EXPECT_NEAR(x(r.map, 2), 2, 0.02);
        EXPECT_NEAR(x(r.map, 4), 19.75, 0.02);
        EXPECT_NEAR(x(r.map, 5), 20.75, 0.02);
    }
}

TEST(LowStress, BeyondAllPairsPinnedVerticesStayToo) {
    const Graph graph = lattice(180, 120);
    const Map start = place(graph, {}, {.device = Device::cpu}).map;
    std::vector<std::uint8_t> pinned(static_cast<std::size_t>(graph.size()), 0);
    pinned[77] = 1;
    const Result r = place(graph, {.method = Method::stress, .iterations = 3}, {}, {.start = &start, .pinned = pinned});
    for (const std::size_t c : {2 * 77, 2 * 77 + 1}) EXPECT_EQ(r.map.coordinates[c], start.coordinates[c]);
    EXPECT_NE(r.map.coordinates[0], start.coordinates[0]);
    EXPECT_LT(scores::scaled_stress(graph, r.map, {.exact_sources = 0}).value, 0.02);
}

TEST(LowStress, BeyondAllPairsANetworkWithADenseCoreHasLessStressThanByDefault) {
    const Graph graph = coauthors(24000);
    ASSERT_GT(graph.size(), all_pairs_up_to(Device::cpu));
    const auto stress_of = [&](const Options& options) {
        return scores::scaled_stress(graph, place(graph, options, {.device = Device::cpu}).map, {.exact_sources = 0})
            .value;
    };
    EXPECT_LT(stress_of({.method = Method::stress}), 0.93 * stress_of({}));
}

TEST(LowStress, BeyondAllPairsItDoesNotEndWorseThanByDefault) {
    const Graph graph = lattice(150, 150);
    const auto stress_of = [&](const Options& options) {
        return scores::scaled_stress(graph, place(graph, options, {.device = Device::cpu}).map, {.exact_sources = 0})
            .value;
    };
    const double by_default = stress_of({});
    for (const int iterations : {0, 100}) {
        EXPECT_LT(stress_of({.method = Method::stress, .iterations = iterations}), 1.001 * by_default) << iterations;
    }
}

TEST(RandomPivots, CountForAllPairsAndLeaveEdgesOut) {
    device::Cpu cpu{dunlin::Run{}};
    const Graph path = lattice(10, 1);
    const Pivots<device::Cpu> all = random_pivots(cpu, {&path, {}}, 10, 3),
                              some = random_pivots(cpu, {&path, {}}, 5, 3);
    ASSERT_EQ(some.count, 5);
    for (std::size_t p = 0; p < 5; ++p) EXPECT_EQ(some.vertices[p], all.vertices[p]);
    for (Index v = 0; v < 10; ++v) {
        for (std::size_t p = 0; p < 5; ++p) {
            const int apart = std::abs(v - some.vertices[p]);
            const std::size_t place = static_cast<std::size_t>(v) * 5 + p;
            EXPECT_EQ(some.distances[place], static_cast<float>(apart));
            EXPECT_FLOAT_EQ(some.weights[place], apart < 2 ? 0 : 2 / static_cast<float>(apart * apart));
        }
    }
}

TEST(RandomPivots, AFitIsTheScaledStressOfTheirPairs) {
    device::Cpu cpu{dunlin::Run{}};
    const Graph graph = binary_tree(300);
    for (const int dim : {2, 3}) {
        Map map = place(graph, {.dim = dim}).map;
        const Fit fit = fit_of(cpu, random_pivots(cpu, {&graph, {}}, 300, 1), map.coordinates, dim);
        EXPECT_NEAR(fit.stress, scores::scaled_stress(graph, map).value, 1e-9);
        for (float& x : map.coordinates) x *= static_cast<float>(fit.scale);
        EXPECT_NEAR(fit_of(cpu, random_pivots(cpu, {&graph, {}}, 300, 1), map.coordinates, dim).scale, 1, 1e-5);
    }
}

TEST(LowStress, BeyondAllPairsAStartInSpaceStaysInSpace) {
    // A path that climbs is at its distances already; the options' dimension is 2
    const Graph graph = lattice(all_pairs_up_to(Device::cpu) + 1, 1);
    Map start{3, {}};
    for (Index v = 0; v < graph.size(); ++v) {
        for (const float step : {0.6F, 0.0F, 0.8F}) start.coordinates.push_back(step * static_cast<float>(v));
    }
    const Result r = place(graph, {.method = Method::stress, .iterations = 2}, {}, {.start = &start});
    ASSERT_EQ(r.map.dim, 3);
    ASSERT_EQ(r.map.coordinates.size(), start.coordinates.size());
    for (std::size_t c = 0; c < start.coordinates.size(); ++c) {
        ASSERT_NEAR(r.map.coordinates[c] - r.map.coordinates[c % 3], start.coordinates[c], 15) << c;
    }
}

}  // namespace
}  // namespace dunlin::layout
