// SPDX-License-Identifier: Apache-2.0
#include "mds/sgd/anneal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mds/align.hpp"
#include "mds/start.hpp"

namespace dunlin::mds {
namespace {

TEST(Annealing, MuFallsByOneFactor) {
    const Annealing annealing{5, 1, 1e-4};
    for (int t = 0; t < 5; ++t) EXPECT_NEAR(annealing.mu(t), std::pow(10.0, -t), 1e-6 * std::pow(10.0, -t));
    // A factor, with which it is at most 1
    EXPECT_EQ(annealing.mu(0, 2), 1.0F);
    EXPECT_FLOAT_EQ(annealing.mu(1, 2), 0.2F);
    EXPECT_FLOAT_EQ(annealing.mu(1, 0.5), 0.05F);
}

TEST(Majorization, StepsAreAtMostTwiceTheGuttmanTransforms) {
    const auto factor = [](double relaxation, double step) {
        return MajorizationLimits{10, 0, 1, relaxation, step}.factor();
    };
    EXPECT_EQ(factor(1, 1), 1.0F);
    EXPECT_EQ(factor(1, 2), 2.0F);
    EXPECT_EQ(factor(1.8, 1), 1.0F);
    EXPECT_FLOAT_EQ(factor(1.8, 2), 10.0F / 9);
    const std::vector<float> force{1, -2, 4, 8}, step{0.5F, 0.25F};
    std::vector<float> y{0, 1, 2, 3};
    const GuttmanStep move{y.data(), force.data(), step.data(), 2, 2};
    for (Offset k = 0; k < 4; ++k) move(k);
    EXPECT_EQ(y, (std::vector<float>{1, -1, 4, 7}));
}

TEST(Annealing, StepsAreWithinPairs) {
    EXPECT_EQ(steps_within(2e7, 0), 16000);
    EXPECT_EQ(steps_within(2e7, 1000), 1666);
    EXPECT_EQ(steps_within(2e7, 10000000), 60);
}

TEST(Annealing, TheNextRoundIsAsLongAsTheExpectedGainJustifies) {
    const auto after = [](const Round& round, double gained) {
        const Round next = round_after(round, gained);
        return std::pair{next.steps, next.last};
    };
    constexpr double unknown = std::numeric_limits<double>::infinity();
    EXPECT_EQ(after({60, false}, unknown), std::pair(120, false));
    EXPECT_EQ(after({120, false}, 0.02), std::pair(240, false));
    EXPECT_EQ(after({120, false}, 0.0120), std::pair(240, false));
    EXPECT_EQ(after({120, false}, 0.0093), std::pair(149, true));  // 120 x 1.24
    EXPECT_EQ(after({120, false}, 0.0075), std::pair(0, true));
    EXPECT_EQ(after({120, false}, -0.01), std::pair(0, true));
    EXPECT_EQ(after({149, true}, 0.02), std::pair(0, true));
}

/// An item and its position in the map.
struct Placed {
    Placed(const Dissimilarities& items, const Map& map)
        : source(cpu, items), configuration(configuration_at(cpu, map)) {}
    device::Cpu cpu;
    Source source;
    Configuration<device::Cpu> configuration;
};

/// n points along a slightly bent line.
Dissimilarities bent_line(Index n) {
    std::vector<float> x;
    for (Index i = 0; i < n; ++i) {
        const auto t = static_cast<float>(i);
        x.insert(x.end(), {t, 0.001F * t * t, 0});
    }
    return Dissimilarities::of_points(Matrix(n, 3, std::move(x)));
}

TEST(ValidationPairs, StressIsNearTheStressOfAllPairs) {
    const Index n = 40;
    Map map{2, {}};
    for (Index i = 0; i < n; ++i) {
        const auto t = static_cast<float>(i);
        map.coordinates.insert(map.coordinates.end(), {std::sin(3 * t), 0.5F * t});
    }
    Placed placed(bent_line(n), map);
    const double all = stress(bent_line(n), map).normalized_stress.value;
    const double some = validation_stress(placed.cpu, placed.source, placed.configuration, 1);
    EXPECT_NEAR(some, all, 0.02 * all);
    EXPECT_EQ(some, validation_stress(placed.cpu, placed.source, placed.configuration, 1));
}

/// Settles n items from their initial map.
run::Ending settled(Placed& placed, const Dissimilarities& items, std::optional<int> steps = {}) {
    initialize(placed.cpu, items, placed.source, placed.configuration, Start::automatic, 1);
    return anneal_to_convergence(placed.cpu, placed.source, placed.configuration, {.iterations = steps}, {});
}

TEST(Settle, RoundsEndAtZeroStressOrSmallGain) {
    const Index n = 5000;
    const Map nowhere{2, std::vector<float>(static_cast<std::size_t>(Offset{2} * n), 0)};
    std::vector<float> flat, round;
    for (Index i = 0; i < n; ++i) {
        const auto t = static_cast<float>(i);
        flat.insert(flat.end(), {std::sin(t), std::cos(2 * t), 0});
        round.insert(round.end(), {std::sin(t), std::cos(2 * t), std::sin(3 * t * t)});
    }
    const int first = steps_within(2e7, n);
    const auto plane = Dissimilarities::of_points(Matrix(n, 3, flat));
    Placed on_plane(plane, nowhere);
    const run::Ending once = settled(on_plane, plane);
    EXPECT_EQ(once.stopped, Stopped::converged);
    EXPECT_EQ(once.iterations, first);

    const auto space = Dissimilarities::of_points(Matrix(n, 3, round));
    Placed in_space(space, nowhere);
    const run::Ending twice = settled(in_space, space);
    EXPECT_EQ(twice.stopped, Stopped::converged);
    EXPECT_GE(twice.iterations, 3 * first);
    EXPECT_EQ(settled(in_space, space, 7).iterations, 7);
}

TEST(Settle, FewItemsOnce) {
    Placed placed(bent_line(100), Map{2, std::vector<float>(200, 0)});
    EXPECT_EQ(settled(placed, bent_line(100)).iterations, 16000);
    EXPECT_LE(validation_stress(placed.cpu, placed.source, placed.configuration, 9), least_stress);
}

TEST(Initialize, SpectralMapIfItHasLessStress) {
    Placed placed(bent_line(200), Map{2, std::vector<float>(400, 0)});
    EXPECT_FALSE(initialize(placed.cpu, bent_line(200), placed.source, placed.configuration, Start::automatic, 1));
    EXPECT_TRUE(initialize(placed.cpu, bent_line(200), placed.source, placed.configuration, Start::random, 1));
}

TEST(Initialize, RandomMapIfTheSpectralOneHasMoreStress) {
    const Index n = 200;  // all equally dissimilar
    std::vector<float> x(static_cast<std::size_t>(Offset{n} * n), 0.0F);
    for (Index i = 0; i < n; ++i) x[static_cast<std::size_t>(Offset{i} * (n + 1))] = 1;
    const auto items = Dissimilarities::of_points(Matrix(n, n, std::move(x)));
    Placed placed(items, Map{2, std::vector<float>(static_cast<std::size_t>(Offset{2} * n), 0)});
    EXPECT_TRUE(initialize(placed.cpu, items, placed.source, placed.configuration, Start::automatic, 1));
}

TEST(PlaceNearNearest, ChoosesTheNearestPlacedItem) {
    const auto items = bent_line(64);
    Placed placed(items, Map{2, std::vector<float>(128, 0)});
    std::vector<Index> order(64);
    for (Index i = 0; i < 64; ++i) order[static_cast<std::size_t>(i)] = (i * 37) % 64;
    for (std::size_t k = 0; k < 2; ++k) {  // two are placed; 32 looks miss neither
        placed.configuration.y[static_cast<std::size_t>(order[k]) * 2] = static_cast<float>(k + 1);
    }
    placed.cpu.each(62,
                    PlaceNearNearest{placed.source.between(), order.data(), 2, placed.configuration.y.data(), 2, 1});
    for (Index i = 0; i < 64; ++i) {
        const bool first = std::abs(i - order[0]) < std::abs(i - order[1]);
        EXPECT_EQ(placed.configuration.y[static_cast<std::size_t>(i) * 2], first ? 1.0F : 2.0F) << i;
    }
}

TEST(Align, CentersRotatesAndFixesSigns) {
    // a line of slope 3/4 about (5, 1), its far end towards negative x
    Map map{2, {}};
    for (const float t : {-3.0F, 1.0F, 1.0F, 1.0F})
        map.coordinates.insert(map.coordinates.end(), {5 + 4 * t, 1 + 3 * t});
    device::Cpu cpu;
    const Map turned = aligned(cpu, configuration_at(cpu, map));
    const float expected[] = {15, -5, -5, -5};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(turned.coordinates[2 * i], expected[i], 1e-5);
        EXPECT_NEAR(turned.coordinates[2 * i + 1], 0, 1e-5);
    }
}

}  // namespace
}  // namespace dunlin::mds
