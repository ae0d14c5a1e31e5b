#include "kmeans/on_device/inertia.cuh"

namespace dunlin::kmeans {

namespace {

constexpr int threads = 256;

struct Task {
    const float *rows, *weights, *centroids;
    const Index* labels;
    double* parts;
    Index n, cols;
};

/// A block for inertia_rows rows.
__global__ void __launch_bounds__(threads) inertia_kernel(Task task) {
    const Offset first = Offset{blockIdx.x} * inertia_rows, end = min(first + inertia_rows, Offset{task.n});
    double sum = 0;
    for (Offset row = first + threadIdx.x; row < end; row += threads) {
        const double weight = task.weights != nullptr ? static_cast<double>(task.weights[row]) : 1.0;
        const float* centroid = task.centroids + Offset{task.labels[row]} * task.cols;
        sum += weight * squared_distance_of(task.rows + row * task.cols, centroid, task.cols);
    }
    sum = device::block_sum<threads>(sum);
    if (threadIdx.x == 0) task.parts[blockIdx.x] = sum;
}

std::size_t parts_of(Offset rows) { return static_cast<std::size_t>((rows + inertia_rows - 1) / inertia_rows); }

}  // namespace

void Inertia::prepare(device::Cuda& cuda, const DeviceState& state) { cuda.resize(parts_, parts_of(state.n)); }

void Inertia::add(device::Cuda& cuda, const DeviceState& state, const Index* labels) {
    const Task task{state.rows.data(),
                    state.weights.data(),
                    state.centroids.data(),
                    labels + state.first,
                    parts_.data() + state.first / inertia_rows,
                    state.n,
                    state.cols};
    inertia_kernel<<<static_cast<unsigned>(parts_of(state.n)), threads, 0, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

device::CudaCell<double>& Inertia::total(device::Cuda& cuda) {
    cuda.add_parts(static_cast<int>(parts_.size()), parts_.data(), total_);
    return total_;
}

}  // namespace dunlin::kmeans
