// SPDX-License-Identifier: Apache-2.0
#include "pacmap/pairs.cuh"

#include "graph/symmetrize.cuh"
#include "neighbors/cuda/rows.cuh"

namespace dunlin::pacmap {

namespace {

using device::Cuda;
using device::CudaBuffer;
using graph::DeviceGraph;

/// Offsets of rows of `degree` edges, whose weights are 1.
struct EqualRows {
    Index degree;
    Offset* offsets;
    __device__ void operator()(Offset i) const { offsets[i] = i * degree; }
};

DeviceGraph equal_rows(Cuda& cuda, Index n, Index degree) {
    DeviceGraph graph;
    const auto edges = static_cast<std::size_t>(Offset{n} * degree);
    cuda.resize(graph.offsets, static_cast<std::size_t>(n) + 1);
    cuda.resize(graph.targets, edges);
    cuda.each(Offset{n} + 1, EqualRows{degree, graph.offsets.data()});
    cuda.fill(graph.weights, edges, 1.0F);
    return graph;
}

struct FindScale {
    const float* distances;
    Index degree;
    double* scale;
    __device__ void operator()(Offset i) const { scale[i] = scale_of(distances + i * degree, degree); }
};

struct ChooseNear {
    const Index* neighbors;
    const float* distances;
    const double* scale;
    Index degree, k;
    Index* targets;
    __device__ void operator()(Offset i) const {
        const Offset row = i * degree;
        const auto key = [&](Offset e) { return scaled_distance(distances[row + e], scale[neighbors[row + e]]); };
        Offset last = degree;
        for (Index e = 0; e < k; ++e) {
            last = next_in_order(degree, key, last);
            targets[i * k + e] = neighbors[row + last];
        }
    }
};

/// One warp per point; all its lanes draw alike.
struct DrawMidNear {
    neighbors::DeviceRows rows;
    std::uint64_t seed;
    Index count;
    Index* targets;
    __device__ void operator()(Offset i) const {
        const auto own = static_cast<Index>(i);
        const auto key = [&](Index j) { return neighbors::warp_key(rows, own, rows, j); };
        draw_mid_near(seed, own, rows.count, count, key, targets + i * count);
    }
};

}  // namespace

DeviceGraph chosen_near(Cuda& cuda, const DeviceGraph& neighbors, Index k) {
    const Index n = neighbors.size();
    const auto degree = static_cast<Index>(n > 0 ? neighbors.edges() / n : 0);
    const Index count = std::min(k, degree);
    const CudaBuffer<double> scale(static_cast<std::size_t>(n), cuda.stream());
    cuda.each(n, FindScale{neighbors.weights.data(), degree, scale.data()});
    DeviceGraph near = equal_rows(cuda, n, count);
    cuda.each(n, ChooseNear{neighbors.targets.data(), neighbors.weights.data(), scale.data(), degree, count,
                            near.targets.data()});
    return near;
}

DeviceGraph drawn_mid_near(Cuda& cuda, const device::DevicePoints& points, const Options& options) {
    const std::uint64_t seed = cuda.run().seed;
    if (!points.held()) {
        device::Cpu cpu(cuda.run());
        return graph::upload(cuda, drawn_mid_near(cpu, points.host, options, seed));
    }
    const Index n = points.host.rows, count = std::min(options.mid_near, std::max<Index>(n - 1, 0));
    neighbors::DeviceRows rows{.values = points.values(), .count = n, .cols = points.host.cols};
    neighbors::RowSpace space;
    neighbors::normalize(cuda, options.metric, rows, space);
    DeviceGraph drawn = equal_rows(cuda, n, count);
    neighbors::each_warp(cuda, n, DrawMidNear{rows, seed, count, drawn.targets.data()});
    return drawn;
}

DeviceGraph symmetric_pairs(Cuda& cuda, DeviceGraph&& chosen) {
    return graph::symmetrize(cuda, std::move(chosen), graph::ScaledSum{1});
}

}  // namespace dunlin::pacmap
