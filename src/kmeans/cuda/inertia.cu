// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/inertia.cuh"

namespace dunlin::kmeans {

namespace {

constexpr int threads = device::sum_threads, tree_threads = 1024;

struct InertiaTask {
    const float *rows, *weights, *centroids;
    const Index* labels;
    double* sums;
    Index n, cols;

    __device__ double of_row(Offset row) const {
        if (row >= n) return 0;
        const double weight = weights != nullptr ? static_cast<double>(weights[row]) : 1.0;
        const float* centroid = centroids + Offset{labels[row]} * cols;
        return inertia_of_row(weight, squared_distance_of(rows + row * cols, centroid, cols));
    }
};

/// One thread block per block of rows.
__global__ void __launch_bounds__(threads) inertia_kernel(InertiaTask task) {
    const Offset first = Offset{blockIdx.x} * math::sum_block;
    const double sum = device::sum_of_block<double>([&](int i) { return task.of_row(first + i); });
    if (threadIdx.x == 0) task.sums[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(tree_threads) tree_kernel(Offset blocks, double* sums, double* total) {
    const double sum = device::sum_tree(blocks, sums);
    if (threadIdx.x == 0) *total = sum;
}

Offset blocks_of(Offset rows) { return (rows + math::sum_block - 1) / math::sum_block; }

}  // namespace

void Inertia::prepare(device::Cuda& cuda, const DeviceState& state) {
    blocks_ = blocks_of(state.n);
    cuda.resize(sums_, device::tree_room(blocks_));
}

void Inertia::add(device::Cuda& cuda, const DeviceState& state, const Index* labels) {
    const InertiaTask task{state.rows.data(),
                           state.weights.data(),
                           state.centroids.data(),
                           labels + state.first,
                           sums_.data() + state.first / math::sum_block,
                           state.n,
                           state.cols};
    inertia_kernel<<<static_cast<unsigned>(blocks_of(state.n)), threads, 0, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

std::vector<double> Inertia::blocks(device::Cuda& cuda) const {
    std::vector<double> sums(static_cast<std::size_t>(blocks_));
    cuda.copy_out(sums.data(), sums_.data(), sums.size() * sizeof(double));
    return sums;
}

device::CudaCell<double>& Inertia::total(device::Cuda& cuda) {
    tree_kernel<<<1, tree_threads, 0, cuda.stream()>>>(blocks_, sums_.data(), cuda.address(total_));
    device::cuda_check(cudaGetLastError());
    return total_;
}

}  // namespace dunlin::kmeans
