// SPDX-License-Identifier: Apache-2.0
// Distances of all pairs and the moves of the method stress on a GPU against those on a CPU.
#include "layout/stress_pairs.cuh"

#include <cmath>
#include <numeric>
#include <span>

#include "agree/agree.hpp"
#include "graph/simplify.hpp"
#include "layout/stress_sgd.hpp"

namespace dunlin::layout {
namespace {

/// A tree in which every vertex hangs on one before it, and as many more edges; the last vertex of more than two is
/// alone.
Graph some_tree(Index n) {
    std::vector<graph::Edge> edges;
    for (Index i = 1; i + (n > 2 ? 1 : 0) < n; ++i) {
        for (const std::uint64_t draw : {0U, 1U}) {
            const auto other =
                math::random_below(static_cast<std::uint64_t>(i), 3, static_cast<std::uint64_t>(i), draw);
            edges.push_back({static_cast<Index>(other), i});
        }
    }
    device::Cpu cpu;
    return graph::simplify(cpu, n, edges, {}).graph;
}

using agree::lengths_of;

struct Both {
    device::Cpu cpu{2};
    device::Cuda cuda{dunlin::Run{}};
};

void expect_same_distances(const Graph& graph, std::span<const float> lengths) {
    Both both;
    const graph::DeviceGraph uploaded = graph::upload(both.cuda, graph);
    device::CudaBuffer<float> device_lengths;
    device::CudaBuffer<Index> device_slot_of;
    both.cuda.upload(device_lengths, lengths);
    const PairIndex places = PairIndex::of(graph.size());
    std::vector<Index> slot_of(static_cast<std::size_t>(graph.size()));
    std::iota(slot_of.begin(), slot_of.end(), Index{0});
    both.cuda.upload(device_slot_of, slot_of);
    const auto expected = measure_distances(both.cpu, {&graph, lengths}, places, slot_of);
    const auto found = measure_distances(both.cuda, {&uploaded, device_lengths.data()}, places, device_slot_of);
    EXPECT_LT(agree::relative_error(both.cuda.host(found.distances), expected.distances), 1e-5);
    EXPECT_NEAR(found.max, expected.max, 1e-5 * expected.max);
}

void expect_same_moves(const Graph& graph, bool with_lengths, int dim, bool with_pins) {
    Both both;
    const Index n = graph.size();
    const std::vector<float> lengths = with_lengths ? lengths_of(graph) : std::vector<float>{};
    const graph::DeviceGraph uploaded = graph::upload(both.cuda, graph);
    device::CudaBuffer<float> device_lengths, device_blocks, device_free;
    device::CudaBuffer<Index> device_slot_of;
    if (with_lengths) both.cuda.upload(device_lengths, lengths);

    const PairIndex places = PairIndex::of(n);
    std::vector<Index> slot_of(static_cast<std::size_t>(n));
    const auto order = math::Permutation::of(n, 7, 0);
    for (Index v = 0; v < n; ++v) slot_of[std::size_t(v)] = order(v);
    both.cuda.upload(device_slot_of, slot_of);
    const auto expected = measure_distances(both.cpu, {&graph, lengths}, places, slot_of);
    const auto found = measure_distances(both.cuda, {&uploaded, device_lengths.data()}, places, device_slot_of);
    EXPECT_LT(agree::relative_error(both.cuda.host(found.distances), expected.distances), 1e-5) << n;
    EXPECT_NEAR(found.max, expected.max, 1e-5 * expected.max) << n;

    std::vector<float> blocks, free(with_pins ? std::size_t(places.blocks) * 32 : 0);
    for (Offset c = 0; c < places.blocks * 32 * dim; ++c)
        blocks.push_back(static_cast<float>(10 * math::random_uniform(5, static_cast<std::uint64_t>(c))));
    for (std::size_t place = 0; place < free.size(); ++place) free[place] = place % 7 == 0 ? 0 : 1;
    both.cuda.upload(device_blocks, blocks);
    both.cuda.upload(device_free, free);
    const BlockedMap of_cpu{places, expected.distances.data(), blocks.data(), with_pins ? free.data() : nullptr, dim},
        of_cuda{places, found.distances.data(), device_blocks.data(), device_free.data(), dim};
    // One round: where two vertices all but meet, rounding turns the way between them
    for (Offset round = 0; round < std::min<Offset>(places.blocks, 4); ++round) {
        const float eta = round % 2 == 0 ? 1e4F : 0.3F;
        step_round(both.cpu, of_cpu, round, eta);
        step_round(both.cuda, of_cuda, round, eta);
        EXPECT_LT(agree::relative_error(both.cuda.host(device_blocks), blocks), 1e-3) << n << ", " << dim << "-D";
        both.cuda.upload(device_blocks, blocks);  // from the same places again
    }
}

TEST(StressOfPairsOnGpu, MovesAsTheCpuAtAwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : {1, 2, 31, 32, 33, 97, 1000}) {
        if (agree::only_small() && n > 97) continue;
        for (const int dim : {2, 3}) {
            for (const bool with_lengths : {false, true})
                expect_same_moves(some_tree(n), with_lengths, dim, n % 2 == 1);
        }
    }
}

TEST(StressOfPairsOnGpu, MeasuresPathsBeyondSharedMemory) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) return;
    const Graph graph = some_tree(15100);
    expect_same_distances(graph, lengths_of(graph));
}

TEST(StressOfPairsOnGpu, MeasuresStarsAndPaths) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::only_small() ? 200 : 5000;
    std::vector<graph::Edge> path;
    for (Index v = 1; v < n; ++v) path.push_back({v - 1, v});
    device::Cpu cpu;
    expect_same_moves(agree::star(n), false, 2, false);
    expect_same_moves(graph::simplify(cpu, n, path, {}).graph, true, 2, false);
}

}  // namespace
}  // namespace dunlin::layout
