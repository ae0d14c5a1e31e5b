// SPDX-License-Identifier: Apache-2.0
// Communities on the GPU: the same bytes as on the CPU.
#include <dunlin/communities.hpp>

#include <numeric>

#include "agree/agree.hpp"
#include "cases/communities.hpp"
#include "refusal.hpp"

namespace dunlin::communities {
namespace {

constexpr dunlin::Device cpu = Device::cpu, gpu = Device::cuda;

void expect_same(const Graph& graph, const Options& options, std::span<const Index> start = {},
                 std::uint64_t seed = 1) {
    const Result expected = find(graph, options, {.device = cpu, .seed = seed}, start);
    const Result found = find(graph, options, {.device = gpu, .seed = seed}, start);
    EXPECT_EQ(found.device, gpu);
    EXPECT_EQ(found.labels, expected.labels);
    EXPECT_EQ(found.levels, expected.levels);
    EXPECT_EQ(found.count, expected.count);
    EXPECT_EQ(found.iterations, expected.iterations);
    EXPECT_EQ(found.stopped, expected.stopped);
    EXPECT_EQ(found.varies_because, "");
    EXPECT_TRUE(found.modularity == expected.modularity || graph.edges() == 0);
    EXPECT_TRUE(found.quality == expected.quality || graph.edges() == 0);
    if (graph.size() > 0) {
        EXPECT_GT(found.gpu_memory, 0U);
    }
}

/// The first two for tools that slow kernels.
std::vector<Options> all_options() {
    std::vector<Options> all{
        {},
        {.method = Method::louvain},
        {.resolution = 3, .iterations = -1},
        {.resolution = 0.05, .quality = Quality::cpm},
        {.resolution = 1e9, .iterations = 1, .quality = Quality::cpm},
        {.resolution = 0, .iterations = 1},
    };
    if (agree::only_small()) all.resize(2);
    return all;
}

TEST(CudaCommunities, AreThoseOfTheCpuAtAllSizes) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({0, 1, 2, 3, 31, 32, 33, 257, 1000, 1500, 70001})) {
        for (const Options& options : all_options()) {
            SCOPED_TRACE(testing::Message()
                         << n << " vertices, " << name_of(options.method) << ", resolution " << options.resolution);
            Graph none;
            none.offsets.assign(static_cast<std::size_t>(n) + 1, 0);
            expect_same(none, options);
            expect_same(agree::some_graph(n, 6), options);  // directed, repeated, with vertices without edges
            if (n < 2) continue;
            expect_same(made::path(n), options);
            expect_same(made::power_law_graph(n, std::min(3 * Offset{n}, Offset{n} * (n - 1) / 2)), options);
        }
    }
}

TEST(CudaCommunities, OfGroupsThatOverlap) {
    DUNLIN_NEEDS_GPU();
    for (const std::uint64_t seed : {1, 2, 3}) {
        for (const Options& options : all_options()) {
            expect_same(made::planted(agree::size(60000), 50, 5, 4, seed), options, {}, seed);
            expect_same(made::planted(agree::size(20000), 10, 3, 3, seed), options, {}, seed);
        }
    }
}

TEST(CudaCommunities, OfTies) {
    DUNLIN_NEEDS_GPU();
    const Index side = agree::only_small() ? 12 : 300;
    for (const Options& options : all_options()) {
        expect_same(made::lattice(side, side), options);
        expect_same(made::ring(agree::only_small() ? 100 : 10000), options);
        expect_same(made::complete(agree::only_small() ? 40 : 200), options);
        expect_same(made::karate(), options);
        expect_same(made::binary_tree(agree::only_small() ? 100 : 10000), options);
    }
}

/// Vertices of every kind of kernel: of a few edges, of up to 128, of up to 1,024, and hubs.
TEST(CudaCommunities, OfHubs) {
    DUNLIN_NEEDS_GPU();
    for (const Options& options : all_options()) {
        const std::vector<Index> degrees = agree::only_small()
                                               ? std::vector<Index>{17, 129, 1026}
                                               : std::vector<Index>{16, 17, 18, 128, 129, 130, 131, 1024, 1025, 1026};
        for (const Index n : degrees) expect_same(made::star(n + 1), options);
        if (agree::only_small()) continue;
        expect_same(made::star(1'000'000, 0.3F), options);
        expect_same(made::complete(1100), options);
        std::vector<made::Edge> edges;
        constexpr Index n = 30000;
        for (const Index hub : {0, 1, 2, 3, 4}) {
            for (Index v = 5; v < n; v += hub + 1) edges.push_back({hub, v, 1 + 0.25F * static_cast<float>(v % 7)});
        }
        for (Index v = 5; v + 1 < n; ++v) edges.push_back({v, v + 1, 2});
        expect_same(made::graph_of(n, edges), options);
    }
}

TEST(CudaCommunities, OfLoopsRepeatedEdgesAndDirections) {
    DUNLIN_NEEDS_GPU();
    Graph graph;
    graph.offsets = {0, 4, 6, 7, 9, 9, 10};
    graph.targets = {1, 1, 0, 2, 0, 2, 2, 4, 3, 3};
    graph.weights = {1, 2, 5, 0, 3, 1, 7, 0.5F, 1.5F, 2};
    for (Options options : all_options()) {
        for (const Symmetrize rule : {Symmetrize::either, Symmetrize::sum, Symmetrize::mutual}) {
            options.symmetrize = rule;
            expect_same(graph, options);
            expect_same(agree::some_graph(1000, 9), options);
        }
    }
}

TEST(CudaCommunities, FromGivenOnes) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(20000);
    const Graph graph = made::planted(n, 40, 4, 4, 2);
    std::vector<Index> start(static_cast<std::size_t>(n));
    for (const Index groups : {1, 7, 500, n}) {
        for (Index v = 0; v < n; ++v) start[static_cast<std::size_t>(v)] = (v * 37 + 11) % groups - 3;
        for (Options options : all_options()) {
            expect_same(graph, options, start);
            options.iterations = 0;
            expect_same(graph, options, start);
        }
    }
}

TEST(CudaCommunities, AStopReturnsTheLastCompleteIteration) {
    DUNLIN_NEEDS_GPU();
    const Graph graph = made::planted(1500, 50, 5, 4, 1);
    std::stop_source stop;
    dunlin::Run run = agree::on(gpu);
    run.stop = stop.get_token();
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "optimize" && progress.done == 1) stop.request_stop();
    };
    const Result some = find(graph, {.iterations = 20}, run);
    EXPECT_EQ(some.stopped, Stopped::cancelled);
    EXPECT_EQ(some.labels, find(graph, {.iterations = 1}, {.device = cpu}).labels);
    const Result none = find(graph, {}, run);  // stopped before it began
    EXPECT_EQ(none.stopped, Stopped::cancelled);
    EXPECT_TRUE(none.labels.empty());
}

TEST(CudaCommunities, RefusesWhatItCannotDo) {
    DUNLIN_NEEDS_GPU();
    const Graph graph = made::planted(1500, 50, 5, 4, 1);
    EXPECT_NE(refusal(Fault::no_device, [&] { find(graph, {.method = Method::sequential}, agree::on(gpu)); }), "");
    dunlin::Run small = agree::on(gpu);
    small.memory = 100'000;
    EXPECT_NE(refusal(Fault::out_of_memory, [&] { find(graph, {}, small); }), "");
    dunlin::Run several = agree::on(gpu);
    several.gpus = {0, 1};
    EXPECT_NE(refusal(Fault::bad_input, [&] { find(graph, {}, several); }), "");
}

}  // namespace
}  // namespace dunlin::communities
