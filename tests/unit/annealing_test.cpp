// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/layout.hpp>

#include "cases/graphs.hpp"
#include "layout/annealing.hpp"

namespace dunlin::layout {
namespace {

using made::graph_of;
using made::ring;

TEST(Annealing, CostsAreTheirFormulas) {
    const Costs energy{Cost::energy, 3, 2, 0}, other{Cost::davidson_harel, 3, 2, 0};
    EXPECT_NEAR(energy.of_pair(4), 3.0 / 2, 1e-5);
    EXPECT_NEAR(other.of_pair(4), 3.0 / 4, 1e-5);
    EXPECT_NEAR(energy.of_edge(5, 4), 5 * 2 * (2 * std::log(2.0) - 2 + 1), 1e-4);
    EXPECT_NEAR(energy.of_edge(5, 1), 0, 1e-4);  // at its minimum
    EXPECT_NEAR(other.of_edge(5, 4), 5 * 2 * 4.0, 1e-3);
    EXPECT_TRUE(std::isfinite(energy.of_pair(0)) && std::isfinite(energy.of_edge(1, 0)));
}

TEST(Annealing, SegmentsCrossAtInnerPointsOnly) {
    const float a[] = {0, 0}, b[] = {2, 2}, c[] = {0, 2}, d[] = {2, 0}, e[] = {3, 2}, far[] = {5, 5};
    EXPECT_TRUE(crosses(a, b, c, d));
    EXPECT_TRUE(crosses(c, d, b, a));
    EXPECT_FALSE(crosses(a, c, d, b));
    EXPECT_FALSE(crosses(a, b, a, d));  // they touch
    EXPECT_FALSE(crosses(a, b, b, far));
    EXPECT_FALSE(crosses(a, c, d, e));
}

TEST(Annealing, TheScheduleAcceptsByItsRule) {
    Schedule s{Acceptance::threshold, 1, 10, 3, 4.0, 0.5, 8.0, 0.25};
    EXPECT_EQ(s.all_moves(), 30);
    EXPECT_EQ(s.temperature_at(9), 4);
    EXPECT_EQ(s.temperature_at(10), 2);
    EXPECT_EQ(s.temperature_at(20), 0);  // the last stage
    EXPECT_EQ(s.max_displacement_at(25), 0.5);
    EXPECT_TRUE(s.accepts(3.9, 0));
    EXPECT_FALSE(s.accepts(4.1, 0));
    EXPECT_TRUE(s.accepts(-1, 25));
    EXPECT_FALSE(s.accepts(0.001, 25));
    s.acceptance = Acceptance::metropolis;
    int taken = 0;
    s.moves = 100000;
    for (Offset move = 0; move < 100000; ++move) taken += s.accepts(4, move) ? 1 : 0;
    EXPECT_NEAR(taken / 1e5, std::exp(-1.0), 0.01);
}

/// The cost by its definition.
double cost_of(const Graph& graph, const Map& map, const Costs& costs) {
    const auto at = [&](Index i) { return map.coordinates.data() + 2 * Offset{i}; };
    const auto square = [&](Index i, Index j) { return AnnealingProblem<2>::square(at(i), at(j)); };
    double sum = 0;
    std::vector<std::pair<Index, Index>> edges;
    for (Index i = 0; i < graph.size(); ++i) {
        for (Index j = 0; j < i; ++j) sum += double(costs.of_pair(square(i, j)));
        for (Offset e = graph.offsets[std::size_t(i)]; e < graph.offsets[std::size_t(i) + 1]; ++e) {
            const Index j = graph.targets[std::size_t(e)];
            if (j > i) edges.emplace_back(i, j);
        }
    }
    for (const auto& [i, j] : edges) sum += double(costs.of_edge(1, square(i, j)));
    for (std::size_t e = 0; e < edges.size(); ++e) {
        for (std::size_t f = 0; f < e; ++f) {
            const auto [a, b] = edges[e];
            const auto [c, d] = edges[f];
            const bool apart = a != c && a != d && b != c && b != d;
            sum += apart && crosses(at(a), at(b), at(c), at(d)) ? double(costs.crossing) : 0;
        }
    }
    return sum;
}

TEST(Annealing, ReportsTheCostOfItsDrawing) {
    const Graph graph = ring(12);
    for (const Cost cost : {Cost::energy, Cost::davidson_harel}) {
        const Result r = place(graph, {.method = Method::annealing, .iterations = 3, .cost = cost, .crossing = 0.5F});
        const Costs costs{cost, *r.options.charge, *r.options.attraction, 0.5F};
        EXPECT_NEAR(r.cost, cost_of(graph, r.map, costs), 1e-4 * r.cost);
    }
}

TEST(Annealing, EqualsSequentialExecution) {
    const Graph graph = ring(9);
    const Options options{.method = Method::annealing, .iterations = 4, .crossing = 1.0F, .moves = 5};
    const Result r = place(graph, options, {.device = Device::cpu});
    // The same schedule, one move at a time, with costs recomputed
    const Result start = place(graph, {.method = Method::annealing, .iterations = 0}, {.device = Device::cpu});
    device::Cpu cpu(1);
    auto drawing = drawing_at(cpu, std::span<const float>(start.map.coordinates), 2, std::vector<std::uint8_t>(9, 0));
    const EdgeArrays<device::Cpu> arrays = edge_arrays(cpu, graph);
    AnnealingProblem<2> problem{Costs{Cost::energy, 1, 2, 1},
                                schedule_of(r.options, 9, 1),
                                9,
                                graph.edges(),
                                drawing.y.data(),
                                drawing.pinned.data(),
                                arrays.offsets.data(),
                                arrays.sources.data(),
                                arrays.targets.data(),
                                arrays.weights.data()};
    std::vector<double> rises(max_batch);
    problem.schedule.temperature = typical_rise<2>(cpu, problem, rises);
    Map map = start.map;
    for (Offset number = 0; number < problem.schedule.all_moves(); ++number) {
        const Move<2> move = move_at<2>(problem.schedule, number, 9, map.coordinates.data());
        Map other = map;
        for (int c = 0; c < 2; ++c) other.coordinates[std::size_t(2 * move.vertex + c)] = move.to[c];
        const double rise = cost_of(graph, other, problem.costs) - cost_of(graph, map, problem.costs);
        if (problem.schedule.accepts(rise, number)) map = other;
    }
    EXPECT_EQ(r.map.coordinates, map.coordinates);
}

TEST(Annealing, LeavesNoCrossingInARing) {
    const Result r = place(ring(8), {.method = Method::annealing, .crossing = 5.0F});
    EXPECT_NEAR(r.cost, cost_of(ring(8), r.map, {Cost::energy, 1, 2, 0}), 1e-3);  // hence no crossing is left
}

TEST(Annealing, SameBytesForAnyNumberOfThreads) {
    const Graph graph = ring(300);
    const Options options{.method = Method::annealing, .iterations = 3, .moves = 3};
    const Map one = place(graph, options, {.device = Device::cpu, .threads = 1}).map;
    EXPECT_EQ(one.coordinates, place(graph, options, {.device = Device::cpu, .threads = 3}).map.coordinates);
}

TEST(Annealing, FewVerticesAndPinnedOnes) {
    for (const Index n : {0, 1, 2}) {
        const Result r = place(graph_of(n, {}), {.method = Method::annealing});
        EXPECT_EQ(r.map.size(), n);
    }
    const Map start{2, {0, 0, 1, 1, 2, 5}};
    const std::vector<std::uint8_t> pinned{1, 1, 1};
    const Result r = place(ring(3), {.method = Method::annealing}, {}, {.start = &start, .pinned = pinned});
    EXPECT_EQ(r.map.coordinates, start.coordinates);
    EXPECT_EQ(r.stopped, Stopped::converged);
}

TEST(Annealing, RefusesWhatItWouldIgnore) {
    for (const Options& options :
         {Options{.method = Method::annealing, .tolerance = 1.0F}, Options{.method = Method::annealing, .theta = 1.0F},
          Options{.method = Method::annealing, .gravity = 1},
          Options{.method = Method::annealing, .repulsion = Repulsion::tree},
          Options{.method = Method::annealing, .dim = 3, .crossing = 1.0F},
          Options{.method = Method::annealing, .moves = 0}, Options{.method = Method::eades, .moves = 3}}) {
        EXPECT_THROW(place(ring(3), options), Error);
    }
}

}  // namespace
}  // namespace dunlin::layout
