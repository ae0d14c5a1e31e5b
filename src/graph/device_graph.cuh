// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cuda.cuh"

namespace dunlin::graph {

/// A Graph in device memory, and its view for kernels.
struct DeviceGraph {
    device::CudaBuffer<Offset> offsets;  ///< size() + 1
    device::CudaBuffer<Index> targets;
    device::CudaBuffer<float> weights;

    struct View {
        Index size;
        Offset edges;
        const Offset* offsets;
        const Index* targets;
        const float* weights;
    };

    [[nodiscard]] Index size() const { return offsets.size() > 0 ? static_cast<Index>(offsets.size()) - 1 : 0; }
    [[nodiscard]] Offset edges() const { return static_cast<Offset>(targets.size()); }
    [[nodiscard]] View view() const { return {size(), edges(), offsets.data(), targets.data(), weights.data()}; }
};

inline DeviceGraph upload(device::Cuda& cuda, const Graph& graph) {
    DeviceGraph result;
    cuda.upload(result.offsets, graph.offsets);
    cuda.upload(result.targets, graph.targets);
    cuda.upload(result.weights, graph.weights);
    return result;
}

inline Graph download(device::Cuda& cuda, const DeviceGraph& graph) {
    return {cuda.host(graph.offsets), cuda.host(graph.targets), cuda.host(graph.weights)};
}

}  // namespace dunlin::graph
