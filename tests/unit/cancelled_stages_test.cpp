// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <dunlin/kmeans.hpp>
#include <dunlin/layout.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/mixture.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/tsne.hpp>

#include "math/rng.hpp"

namespace dunlin {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Every stage, stopped from its own progress

Matrix some_points(Index n, Index cols) {
    std::vector<float> values(static_cast<std::size_t>(n) * static_cast<std::size_t>(cols));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t row = i / static_cast<std::size_t>(cols);
        values[i] = static_cast<float>(math::random_normal(5, i, 0) + 6.0 * static_cast<double>(row % 7));
    }
    return {n, cols, std::move(values)};
}

Graph grid_of(Index side) {
    Graph graph;
    graph.offsets = {0};
    for (Index i = 0; i < side * side; ++i) {
        const Index row = i / side, column = i % side;
        if (row > 0) graph.targets.push_back(i - side);
        if (column > 0) graph.targets.push_back(i - 1);
        if (column + 1 < side) graph.targets.push_back(i + 1);
        if (row + 1 < side) graph.targets.push_back(i + side);
        graph.offsets.push_back(std::ssize(graph.targets));
    }
    graph.weights.assign(graph.targets.size(), 1);
    return graph;
}

/// Asks for a stop when progress is told for the `at`-th time; counts what is told after that.
struct Stopper {
    int at;
    std::stop_source source = {};
    int told = 0;
    Clock::time_point asked = {};

    Run run() {
        return {
            .device = Device::cpu, .threads = 2, .stop = source.get_token(), .on_progress = [this](const Progress&) {
                if (++told != at) return;
                asked = Clock::now();
                source.request_stop();
            }};
    }
};

/// The work must end soon after the request: within a second, a bound for machines that do much else, and with few
/// calls of on_progress, which are at least 50 ms apart or announce another stage.
void ends_soon(const std::string& name, const std::function<void(const Run&)>& work) {
    for (const int at : {1, 2, 4}) {
        Stopper stopper{at};
        work(stopper.run());
        ASSERT_GE(stopper.told, 1) << name << " told nothing";
        if (stopper.told < at) continue;  // it was done before
        EXPECT_LT(seconds_since(stopper.asked), 1) << name << ", stopped at progress " << at;
        EXPECT_LE(stopper.told, at + 6) << name;
    }
}

TEST(Cancellation, EndsASearchAndItsResultIsEmpty) {
    const Matrix points = some_points(20000, 24);
    for (const auto method : {neighbors::Method::exact, neighbors::Method::approximate}) {
        ends_soon("neighbors", [&](const auto& run) {
            const auto found = neighbors::search(points.view(), {.k = 30, .method = method}, run);
            if (run.stop.stop_requested()) {
                EXPECT_EQ(found.graph.size(), 0);
            }
        });
    }
    ends_soon("codes", [&](const auto& run) {
        neighbors::search(points.view(), {.k = 10, .method = neighbors::Method::approximate, .recall = 0.9, .codes = 8},
                          run);
    });
    const Matrix flat = some_points(60000, 3);
    ends_soon("few columns", [&](const auto& run) { neighbors::search(flat.view(), {.k = 30}, run); });
}

TEST(Cancellation, EndsTsneInEveryStageWithAFiniteMap) {
    const Matrix points = some_points(6000, 30);
    const auto is_finite = [](const Map& map) {
        return std::all_of(map.coordinates.begin(), map.coordinates.end(), [](float x) { return std::isfinite(x); });
    };
    for (const auto repulsion : {tsne::Repulsion::exact, tsne::Repulsion::tree, tsne::Repulsion::grid}) {
        ends_soon("tsne", [&](const auto& run) {
            const auto result = tsne::embed(points.view(), {.repulsion = repulsion}, run);
            EXPECT_EQ(result.map.size(), 6000);
            EXPECT_TRUE(is_finite(result.map));
            EXPECT_EQ(result.stopped, Stopped::cancelled);
        });
    }
}

TEST(Cancellation, EndsLayoutsOfAllMethodsWithAMap) {
    const Graph graph = grid_of(120);
    using layout::Method;
    for (const auto method : {Method::multilevel, Method::eades, Method::fruchterman_reingold, Method::forceatlas2,
                              Method::annealing, Method::stress}) {
        ends_soon(std::string(name_of(method)), [&](const auto& run) {
            const auto result = layout::place(graph, {.method = method}, run);
            EXPECT_EQ(result.map.size(), graph.size());
            for (const float x : result.map.coordinates) ASSERT_TRUE(std::isfinite(x));
        });
    }
}

TEST(Cancellation, EndsScalingByAllMethods) {
    const auto items = mds::Dissimilarities::of_points(some_points(2500, 40));
    using mds::Method;
    for (const auto method : {Method::dunlin, Method::smacof, Method::classical, Method::landmark, Method::pivot,
                              Method::stochastic, Method::gpu_sf, Method::glimmer, Method::hybrid}) {
        ends_soon(std::string(name_of(method)), [&](const auto& run) {
            const auto result = mds::place(items, {.method = method}, run);
            for (const float x : result.map.coordinates) ASSERT_TRUE(std::isfinite(x));
        });
    }
}

TEST(Cancellation, EndsClusteringAndScores) {
    const Matrix points = some_points(30000, 20);
    for (const auto start : {kmeans::Start::plusplus, kmeans::Start::parallel, kmeans::Start::random}) {
        ends_soon("kmeans", [&](const auto& run) {
            kmeans::cluster(points.view(), {.clusters = 100, .start = start, .restarts = 5}, run);
        });
    }
    ends_soon("kmeans up to", [&](const auto& run) {
        kmeans::choose(points.view(), 40, kmeans::Criterion::silhouette, {.clusters = 20}, run);
    });
    ends_soon("mixture", [&](const auto& run) { mixture::fit(points.view(), {.components = 20}, run); });
    Map map{2, {}};
    for (Index i = 0; i < 30000; ++i)
        map.coordinates.insert(map.coordinates.end(), {points.view()(i, 0), points.view()(i, 1)});
    ends_soon("scores", [&](const auto& run) { scores::evaluate(map, points.view(), {}, {}, {}, run); });
}

std::ptrdiff_t tasks() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

TEST(Threads, KmeansOfAFewRowsStartsNone) {
    const std::vector<float> points = {0, 0, 1, 0, 9, 9, 9, 8};
    std::ptrdiff_t most = 0;
    const dunlin::Run run{
        .device = Device::cpu, .threads = 8, .on_progress = [&](const Progress&) { most = std::max(most, tasks()); }};
    const std::ptrdiff_t before = tasks();
    kmeans::cluster({points.data(), 4, 2}, {.clusters = 2}, run);
    EXPECT_EQ(most, before);
}

}  // namespace
}  // namespace dunlin
