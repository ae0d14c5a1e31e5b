// SPDX-License-Identifier: Apache-2.0
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include "device/scratch.cuh"
#include "graph/relabel.cuh"

namespace dunlin::graph {

namespace {

struct Number {
    const Index* order;
    Index* number;  ///< new index of each old vertex
    __device__ void operator()(Offset v) const { number[order[v]] = static_cast<Index>(v); }
};

/// Degree of a new vertex; 0 past the last, so that the exclusive sum ends with the total.
struct Degree {
    DeviceGraph::View old;
    const Index* order;
    __device__ Offset operator()(Offset v) const {
        return v < old.size ? old.offsets[order[v] + 1] - old.offsets[order[v]] : 0;
    }
};

/// One warp per row.
__global__ void copy_rows(DeviceGraph::View old, const Index* order, const Index* number, const Offset* offsets,
                          Index* targets, float* weights) {
    const Offset row = (Offset{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    if (row >= old.size) return;
    const Offset to = offsets[row], count = offsets[row + 1] - to, from = old.offsets[order[row]];
#pragma unroll 4
    for (Offset e = threadIdx.x % 32; e < count; e += 32) {
        targets[to + e] = number[old.targets[from + e]];
        weights[to + e] = old.weights[from + e];
    }
}

}  // namespace

device::CudaBuffer<Index> numbers_of(device::Cuda& cuda, const device::CudaBuffer<Index>& order) {
    device::CudaBuffer<Index> numbers(order.size(), cuda.stream());
    cuda.each(static_cast<Offset>(order.size()), Number{order.data(), numbers.data()});
    return numbers;
}

DeviceGraph relabel(device::Cuda& cuda, const DeviceGraph& graph, const device::CudaBuffer<Index>& order) {
    constexpr int threads = 256;
    const Index n = graph.size();
    const std::size_t rows = static_cast<std::size_t>(n), edges = graph.targets.size();
    DeviceGraph result{{rows + 1, cuda.stream()}, {edges, cuda.stream()}, {edges, cuda.stream()}};
    const device::CudaBuffer<Index> number = numbers_of(cuda, order);
    const auto degrees =
        thrust::make_transform_iterator(thrust::counting_iterator<Offset>(0), Degree{graph.view(), order.data()});
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(scratch, bytes, degrees, result.offsets.data(), Offset{n} + 1,
                                             cuda.stream());
    });
    if (n == 0) return result;
    const Offset blocks = (Offset{n} * 32 + threads - 1) / threads;
    copy_rows<<<static_cast<unsigned>(blocks), threads, 0, cuda.stream()>>>(
        graph.view(), order.data(), number.data(), result.offsets.data(), result.targets.data(), result.weights.data());
    device::cuda_check(cudaGetLastError());
    return result;
}

}  // namespace dunlin::graph
