// SPDX-License-Identifier: Apache-2.0
#include "descent/reorder.cuh"

#include <numeric>

#include "agree/agree.hpp"
#include "descent/reorder.hpp"
#include "graph/relabel.cuh"
#include "graph/relabel.hpp"

namespace dunlin {
namespace {

template <class Exec>
descent::DescentState<Exec> flock_of(Exec& exec, const std::vector<float>& y, int dim) {
    const auto put = [&](auto& buffer, const std::vector<float>& values) {
        exec.upload(buffer, std::span<const float>(values));
    };
    typename Exec::template Buffer<float> at;
    put(at, y);
    auto state = descent::descent_state_at(exec, std::move(at), dim);
    put(state.velocity, agree::scattered(state.n, dim, 1, 8));
    put(state.gain, agree::scattered(state.n, dim, 1, 9));
    return state;
}

void expect_same(const Graph& a, const Graph& b) {
    EXPECT_EQ(a.offsets, b.offsets);
    EXPECT_EQ(a.targets, b.targets);
    EXPECT_EQ(a.weights, b.weights);
}

/// Reorders the same state on both devices, twice on the GPU.
void expect_agreement(const Graph& graph, const std::vector<float>& y, int dim) {
    device::Cpu cpu(2);
    Graph expected = graph;
    auto state = flock_of(cpu, y, dim);
    descent::reorder(cpu, state, expected);
    for (int time = 0; time < 2; ++time) {
        device::Cuda cuda{dunlin::Run{}};
        auto affinities = graph::upload(cuda, graph);
        auto on_gpu = flock_of(cuda, y, dim);
        descent::reorder(cuda, on_gpu, affinities);
        expect_same(graph::download(cuda, affinities), expected);
        EXPECT_EQ(cuda.host(on_gpu.original), state.original);
        EXPECT_EQ(cuda.host(on_gpu.y), state.y);
        EXPECT_EQ(cuda.host(on_gpu.velocity), state.velocity);
        EXPECT_EQ(cuda.host(on_gpu.gain), state.gain);
    }
}

TEST(ReorderOnGpu, IsTheCpusAtAwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : agree::sizes({0, 1, 2, 31, 32, 33, 1000, 70001})) {
            SCOPED_TRACE(testing::Message() << n << " points, " << dim << "-D");
            expect_agreement(agree::some_graph(n, 30), agree::scattered(n, dim, 50), dim);
        }
    }
}

TEST(ReorderOnGpu, CoincidentPointsKeepTheirOrder) {
    DUNLIN_NEEDS_GPU();
    expect_agreement(agree::some_graph(5000, 20), std::vector<float>(10000, 3.0F), 2);
    std::vector<float> line = agree::scattered(5000, 2, 10);
    for (std::size_t i = 0; i < line.size(); i += 2) line[i] = -1.0F;
    expect_agreement(agree::some_graph(5000, 20), line, 2);
}

TEST(ReorderOnGpu, AStar) {
    DUNLIN_NEEDS_GPU();
    expect_agreement(agree::star(1000001), agree::scattered(1000001, 2, 100), 2);
}

}  // namespace
}  // namespace dunlin
