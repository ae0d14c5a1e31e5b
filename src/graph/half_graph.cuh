// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>

#include <dunlin/types.hpp>

#include "device/cuda.cuh"
#include "graph/device_graph.cuh"

namespace dunlin::graph {

/// A symmetric graph in device memory in two parts, 6 bytes an entry: lists of equal length, as a search for neighbors
/// returns them, and of each vertex the reverse edges that its list lacks. The weight of an entry is the magnitude of
/// its number in half precision times `unit`.
struct HalfGraph {
    Index degree = 0;  ///< entries of each list
    float unit = 1;
    device::CudaBuffer<Index> list_targets;      ///< size() * degree
    device::CudaBuffer<__half> list_weights;     ///< negative, also -0: the list of the target has the reverse edge
    device::CudaBuffer<Offset> reverse_offsets;  ///< size() + 1
    device::CudaBuffer<Index> reverse_targets;   ///< ascending in every row
    device::CudaBuffer<__half> reverse_weights;

    struct Part {
        Offset edges;
        const Index* targets;
        const __half* weights;
    };
    struct View {
        Index size, degree;
        Offset edges;  ///< of both parts
        float unit;
        Part lists, reverse;
        const Offset* reverse_offsets;
    };

    [[nodiscard]] Index size() const {
        return reverse_offsets.size() > 0 ? static_cast<Index>(reverse_offsets.size()) - 1 : 0;
    }
    [[nodiscard]] View view() const {
        const auto listed = static_cast<Offset>(list_targets.size());
        const auto reversed = static_cast<Offset>(reverse_targets.size());
        return {size(),
                degree,
                listed + reversed,
                unit,
                {listed, list_targets.data(), list_weights.data()},
                {reversed, reverse_targets.data(), reverse_weights.data()},
                reverse_offsets.data()};
    }
};

constexpr Offset edges_reversed_at_once = Offset{1} << 26;

/// (A + A') scale of lists of equal length with weights in [0, 1] and distinct targets; weights are rounded to 11 bits,
/// the least ones to 6e-11 scale.
///
/// Every edge is looked for in the list of its target. If it is there, its weight becomes the sum of both, with the
/// sign bit; else it is reversed: edges are taken by ranges of rows, sorted by target, stably, and appended to the rows
/// of their targets. Memory, for E edges of which S have no reverse: 12 E bytes while weights are narrowed, then 6 (E +
/// S) and 25 bytes for each of edges_at_once. Throws Cancelled at a stop of this thread's scope.
HalfGraph half_symmetrize(device::Cuda& cuda, DeviceGraph&& lists, double scale,
                          Offset edges_at_once = edges_reversed_at_once);

/// As relabel (graph/relabel.cuh), in place: lists are permuted by columns, by a copy of 64 n bytes, and their edges
/// reversed again.
void relabel(device::Cuda& cuda, HalfGraph& graph, const device::CudaBuffer<Index>& order,
             Offset edges_at_once = edges_reversed_at_once);

/// Most bytes that both take for n lists of k.
inline std::uint64_t half_graph_bytes(Index n, Index k) {
    const auto rows = static_cast<std::uint64_t>(n), edges = rows * static_cast<std::uint64_t>(k);
    return 12 * edges + 25 * std::min(edges, static_cast<std::uint64_t>(edges_reversed_at_once)) + 72 * rows;
}

}  // namespace dunlin::graph
