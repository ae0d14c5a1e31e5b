// SPDX-License-Identifier: Apache-2.0
#include "graph/coarsen.cuh"

#include "agree/agree.hpp"
#include "graph/coarsen.hpp"
#include "graph/simplify.hpp"

namespace dunlin::graph {
namespace {

Graph simple(Index n, Index degree) {
    std::vector<Edge> edges;
    std::vector<float> weights;
    const Graph some = agree::some_graph(n, degree);
    for (Index i = 0; i < n; ++i) {
        for (Offset e = some.offsets[std::size_t(i)]; e < some.offsets[std::size_t(i) + 1]; ++e) {
            edges.push_back({i, some.targets[std::size_t(e)]});
            weights.push_back(static_cast<float>(1 + e % 3));
        }
    }
    device::Cpu cpu;
    return simplify(cpu, n, edges, weights).graph;
}

/// A level in device memory.
struct Uploaded {
    DeviceGraph graph;
    device::CudaBuffer<float> lengths;

    Uploaded(device::Cuda& cuda, const Level& level) : graph(upload(cuda, *level.graph)) {
        if (!level.lengths.empty()) cuda.upload(lengths, level.lengths);
    }
    [[nodiscard]] DeviceLevel level() const { return {&graph, lengths.data()}; }
};

/// Coarsens until no edge is left, and compares every level.
void expect_levels(const Graph& graph) {
    device::Cpu cpu(2);
    device::Cuda cuda{Run{}};
    Coarsening fine;
    fine.graph = graph;
    for (int depth = 0; depth < 40 && fine.graph.edges() > 0; ++depth) {
        const Level level = depth == 0 ? Level{&fine.graph, {}} : fine.level();
        Coarsening expected = coarsen(cpu, level, 7);
        const Uploaded uploaded(cuda, level);
        const DeviceCoarsening found = coarsen(cuda, uploaded.level(), 7), again = coarsen(cuda, uploaded.level(), 7);
        ASSERT_EQ(cuda.host(found.parent), expected.parent) << level.graph->size();
        ASSERT_EQ(cuda.host(found.root), expected.root);
        ASSERT_EQ(cuda.host(found.reach), expected.reach);
        ASSERT_EQ(cuda.host(found.graph.offsets), expected.graph.offsets);
        EXPECT_EQ(cuda.host(found.graph.targets), expected.graph.targets);
        EXPECT_LT(agree::relative_error(cuda.host(found.lengths), expected.lengths), 1e-6);
        EXPECT_LT(agree::relative_error(cuda.host(found.graph.weights), expected.graph.weights), 1e-5);
        EXPECT_EQ(cuda.host(again.graph.weights), cuda.host(found.graph.weights));
        fine = std::move(expected);
    }
}

TEST(CoarsenOnGpu, IsTheCpusAtAwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : {0, 1, 2, 31, 32, 33, 1000, 70001}) {
        for (const Index degree : {1, 3, 12}) expect_levels(simple(agree::size(n), degree));
    }
}

TEST(CoarsenOnGpu, AStarIsItsCenterAndAPathShrinks) {
    DUNLIN_NEEDS_GPU();
    Graph star = agree::star(agree::size(1000001));
    star.weights.assign(star.weights.size(), 1.0F);
    expect_levels(star);
    std::vector<Edge> path;
    for (Index i = 1; i < 100001; ++i) path.push_back({i - 1, i});
    device::Cpu cpu;
    expect_levels(simplify(cpu, 100001, path, {}).graph);
}

}  // namespace
}  // namespace dunlin::graph
