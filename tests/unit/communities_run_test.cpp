// SPDX-License-Identifier: Apache-2.0
#include <dunlin/communities.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "cases/communities.hpp"
#include "communities/sequential.hpp"
#include "device/cpu.hpp"
#include "graph/relabel.hpp"

/// Threads, seeds, order of vertices, stops.
namespace dunlin::communities {
namespace {

void expect_same(const Result& a, const Result& b) {
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_EQ(a.levels, b.levels);
    EXPECT_EQ(a.modularity, b.modularity);
    EXPECT_EQ(a.quality, b.quality);
    EXPECT_EQ(a.iterations, b.iterations);
}

TEST(CommunitiesRun, AnyNumberOfThreadsGivesTheSameBytes) {
    const Graph graphs[] = {made::planted(6000, 50, 5, 4, 1), made::power_law_graph(6000, 18000),
                            made::some_graph(6000, 6)};
    for (const Graph& graph : graphs) {
        for (const Options& options :
             {Options{}, Options{.method = Method::louvain}, Options{.resolution = 0.05, .quality = Quality::cpm}}) {
            const Result one = find(graph, options, {.threads = 1});
            EXPECT_EQ(one.varies_because, "");
            for (const int threads : {2, 3, 8}) expect_same(find(graph, options, {.threads = threads}), one);
        }
    }
}

TEST(CommunitiesRun, TheSeedMatters) {
    const Graph graph = made::power_law_graph(2000, 6000);
    expect_same(find(graph, {}, {.seed = 3}), find(graph, {}, {.seed = 3}));
    EXPECT_NE(find(graph, {}, {.seed = 3}).labels, find(graph, {}, {.seed = 4}).labels);
}

TEST(CommunitiesRun, OtherNumbersOfTheVerticesGiveAPartitionOfTheSameQuality) {
    const Graph graph = made::planted(5000, 40, 4, 4, 2);
    std::vector<Index> order(5000);
    for (Index v = 0; v < 5000; ++v) order[static_cast<std::size_t>(v)] = static_cast<Index>(Offset{v} * 1237 % 5000);
    device::Cpu cpu;
    const Graph renumbered = graph::relabel(cpu, graph, order);
    double difference = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const Result there = find(renumbered, {}, {.seed = seed});
        std::vector<Index> back(5000);
        for (std::size_t v = 0; v < 5000; ++v) back[static_cast<std::size_t>(order[v])] = there.labels[v];
        EXPECT_NEAR(find(graph, {.iterations = 0}, {}, back).modularity, there.modularity, 1e-9);
        difference += (there.modularity - find(graph, {}, {.seed = seed}).modularity) / 6;
    }
    EXPECT_LT(std::abs(difference), 0.003);  // seeds of one graph differ by about .002
}

TEST(CommunitiesRun, TheSequentialMethodIsThatOfPictures) {
    const Graph graph = made::power_law_graph(2000, 6000);
    const Result result = find(graph, {.method = Method::sequential});
    EXPECT_EQ(result.labels, find_sequentially(graph));
    EXPECT_NEAR(result.modularity, find(graph, {.iterations = 0}, {}, result.labels).modularity, 1e-9);
    EXPECT_EQ(result.stopped, Stopped::converged);
    EXPECT_EQ(result.levels.size(), 1U);
}

TEST(CommunitiesRun, AStopReturnsTheLastCompleteIteration) {
    const Graph graph = made::planted(6000, 50, 5, 4, 1);
    std::stop_source stop;
    dunlin::Run run;
    run.stop = stop.get_token();
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "optimize" && progress.done == 1) stop.request_stop();
    };
    const Result some = find(graph, {.iterations = 20}, run);
    EXPECT_EQ(some.stopped, Stopped::cancelled);
    EXPECT_EQ(some.labels, find(graph, {.iterations = 1}).labels);
    EXPECT_NE(some.varies_because, "");
    const Result none = find(graph, {}, run);  // stopped before it began
    EXPECT_EQ(none.stopped, Stopped::cancelled);
    EXPECT_TRUE(none.labels.empty());
    EXPECT_TRUE(none.levels.empty());
}

TEST(CommunitiesRun, ReportsProgressAndSeconds) {
    std::vector<std::string> stages;
    dunlin::Run run;
    run.on_progress = [&](const Progress& progress) {
        if (stages.empty() || stages.back() != progress.stage) stages.emplace_back(progress.stage);
    };
    const Result result = find(made::planted(3000, 30, 4, 3, 1), {}, run);
    EXPECT_EQ(stages, (std::vector<std::string>{"graph", "optimize"}));
    EXPECT_GT(result.seconds["optimize"], 0);
    EXPECT_LE(result.iterations, 2);
    EXPECT_EQ(result.engines.front().name, "leiden");
}

}  // namespace
}  // namespace dunlin::communities
