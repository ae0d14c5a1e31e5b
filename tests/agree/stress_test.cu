// SPDX-License-Identifier: Apache-2.0
// The words of the multilevel layout's stress model on a GPU against those on a CPU.
#include "layout/sparse_stress.cuh"

#include <cmath>

#include "agree/agree.hpp"
#include "graph/simplify.hpp"
#include "layout/initial_layout.hpp"
#include "layout/sparse_stress.hpp"

namespace dunlin::layout {
namespace {

/// Undirected and simple, of one component: every vertex hangs on one before it, and there are more edges.
Graph connected(Index n, Index degree) {
    std::vector<graph::Edge> edges;
    for (Index i = 1; i < n; ++i) {
        for (Index d = 0; d < degree; ++d) {
            const auto other = math::random_below(static_cast<std::uint64_t>(i), 3, static_cast<std::uint64_t>(i), d);
            edges.push_back({static_cast<Index>(other), i});
        }
    }
    device::Cpu cpu;
    return graph::simplify(cpu, n, edges, {}).graph;
}

using agree::lengths_of;

/// From the coarsest level to the finest, each side going on from the CPU's state.
void expect_descent(const Graph& graph, bool with_lengths, int dim, Index most = 100) {
    device::Cpu cpu(2);
    device::Cuda cuda{dunlin::Run{}};
    const std::vector<float> lengths = with_lengths ? lengths_of(graph) : std::vector<float>{};
    const auto hierarchy = build_hierarchy(cpu, graph::Level{&graph, lengths}, 5, coarsest);
    const graph::DeviceGraph uploaded = graph::upload(cuda, graph);
    device::CudaBuffer<float> device_lengths;
    if (with_lengths) cuda.upload(device_lengths, lengths);
    const auto device_hierarchy =
        build_hierarchy(cuda, graph::DeviceLevel{&uploaded, device_lengths.data()}, 5, coarsest);
    ASSERT_EQ(device_hierarchy.coarsest(), hierarchy.coarsest());

    const CoarsestLayout summit = place_coarsest(cpu, hierarchy.level(hierarchy.coarsest()), dim, 5);
    Pivots<device::Cpu> pivots{static_cast<Index>(summit.pivots.size()), summit.pivots, summit.distances, {}};
    std::vector<float> map = summit.map.coordinates;
    for (std::size_t l = hierarchy.coarsest(); l-- > 0;) {
        const graph::Level level = hierarchy.level(l);
        const graph::DeviceLevel device_level = device_hierarchy.level(l);
        const auto before = upload_pivots(cuda, pivots);
        pivots = prolongate_pivots(cpu, level, hierarchy.steps[l], pivots, most);
        const auto found = prolongate_pivots(cuda, device_level, device_hierarchy.steps[l], before, most);
        ASSERT_EQ(cuda.host(found.vertices), pivots.vertices);
        EXPECT_LT(agree::relative_error(cuda.host(found.distances), pivots.distances), 1e-6);
        EXPECT_LT(agree::relative_error(cuda.host(found.weights), pivots.weights), 1e-3);

        device::CudaBuffer<float> device_map;
        cuda.upload(device_map, map);
        device_map = prolongated(cuda, device_level, device_hierarchy.steps[l], device_map, dim, 9);
        map = prolongated(cpu, level, hierarchy.steps[l], map, dim, 9);
        EXPECT_LT(agree::relative_error(cuda.host(device_map), map), 1e-5);
        cuda.upload(device_map, map);
        const auto same = upload_pivots(cuda, pivots);
        reduce_stress(cuda, device_level, same, 1, dim, device_map);
        reduce_stress(cpu, level, pivots, 1, dim, map);
        EXPECT_LT(agree::relative_error(cuda.host(device_map), map), 1e-5) << level.graph->size();
    }
}

TEST(StressOnGpu, DescendsAsTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : {1, 2, 33, 301, 1000, 5000}) {
        for (const int dim : {2, 3}) {
            expect_descent(connected(agree::size(n), 1), false, dim);
            expect_descent(connected(agree::size(n), 3), true, dim, 17);
        }
    }
}

TEST(StressOnGpu, DescendsManyVerticesAndLongRows) {
    DUNLIN_NEEDS_GPU();
    expect_descent(connected(agree::size(70001), 4), true, 2);
    expect_descent(made::star(agree::size(100001)), false, 2);
    expect_descent(made::star(agree::size(100001)), true, 3);
}

/// The outline of the whole ladder, which is made on the CPU up to some size and on the GPU beyond, twice.
void expect_same_outlines(const Graph& graph, bool with_lengths, int dim) {
    device::Cuda cuda{dunlin::Run{}};
    const graph::DeviceGraph uploaded = graph::upload(cuda, graph);
    device::CudaBuffer<float> lengths;
    if (with_lengths) cuda.upload(lengths, lengths_of(graph));
    const auto outline = [&] {
        const auto hierarchy = build_hierarchy(cuda, graph::DeviceLevel{&uploaded, lengths.data()}, 5);
        const CoarsestLayout summit = place_coarsest(cuda, hierarchy.level(hierarchy.coarsest()), dim, 5);
        return cuda.host(initial_layout(cuda, hierarchy, summit, 5));
    };
    const std::vector<float> first = outline();
    ASSERT_EQ(first.size(), static_cast<std::size_t>(graph.size()) * static_cast<std::size_t>(dim));
    for (const float x : first) ASSERT_TRUE(std::isfinite(x)) << graph.size();
    EXPECT_EQ(outline(), first) << graph.size();
}

TEST(StressOnGpu, TheSameSeedGivesTheSameBytes) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : {1, 2, 3, 300, 301, 2000, 5000, 5001, 20000}) {
        for (const int dim : {2, 3}) {
            expect_same_outlines(connected(agree::size(n), 1), false, dim);
            expect_same_outlines(connected(agree::size(n), 3), true, dim);
        }
    }
    expect_same_outlines(made::star(agree::size(20001)), false, 2);
    expect_same_outlines(made::star(agree::size(20001)), true, 3);
}

}  // namespace
}  // namespace dunlin::layout
