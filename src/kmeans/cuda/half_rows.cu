// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/half_rows.cuh"

namespace dunlin::kmeans {

namespace {

constexpr int threads = 256, warps = threads / 32;

using distance::RoundedSquares;

/// Coordinates of a row in the frame, 0 in the columns beside its own.
struct FramedRow {
    const float* x;
    const double* middle;
    double scale;
    Index cols;
    __device__ double operator()(Index c) const {
        return c < cols ? (static_cast<double>(x[c]) - middle[c]) * scale : 0.0;
    }
};

__device__ float root_up(double square) { return __double2float_ru(sqrt(square) * (1 + 1e-9)); }

struct RowsTask {
    const float* rows;
    const double* middle;
    __half* halves;
    float *errors, *lengths;
    double scale;
    Index n, cols, width;
};

/// A warp for each row.
__global__ void rows_kernel(RowsTask task) {
    const Offset row = Offset{blockIdx.x} * warps + threadIdx.x / 32;
    if (row >= task.n) return;
    const auto lane = static_cast<Index>(threadIdx.x % 32);
    const FramedRow x{task.rows + row * task.cols, task.middle, task.scale, task.cols};
    const RoundedSquares sum = distance::round_columns(x, task.halves + row * task.width, task.width, lane, 32);
    const double error = distance::sum_of_lanes(sum.error), length = distance::sum_of_lanes(sum.row);
    if (lane != 0) return;
    task.errors[row] = root_up(error);
    task.lengths[row] = root_up(length);
}

struct CentroidTask {
    const float* centroids;
    const double* middle;
    __half* halves;
    float *biases, *columns, *errors, *lengths, *most;
    const Progress* progress;
    double scale;
    Index clusters, cols, padded, width;
};

/// A block for each centroid, whose columns may be thousands.
__global__ void __launch_bounds__(threads) centroids_kernel(CentroidTask task) {
    const auto k = static_cast<Index>(blockIdx.x), thread = static_cast<Index>(threadIdx.x);
    if (task.progress->reason != Reason::going_on) return;
    const float* centroid = task.centroids + Offset{k} * task.cols;
    const FramedRow x{centroid, task.middle, task.scale, task.cols};
    RoundedSquares sum = distance::round_columns(x, task.halves + Offset{k} * task.width, task.width, thread, threads);
    for (Index c = thread; c < task.cols; c += threads) task.columns[Offset{c} * task.padded + k] = centroid[c];
    sum.error = device::block_sum<threads>(sum.error);
    sum.row = device::block_sum<threads>(sum.row);
    if (thread != 0) return;
    task.biases[k] = static_cast<float>(-sum.row / 2);
    const float error = root_up(sum.error), length = root_up(sum.row) + error;
    task.errors[k] = error;
    task.lengths[k] = length;
    distance::raise(task.most, error);
    distance::raise(task.most + 1, length);
}

unsigned blocks_for(Offset items) { return static_cast<unsigned>((items + warps - 1) / warps); }

}  // namespace

void round_rows(device::Cuda& cuda, const DeviceState& state, const distance::HalfFrame& frame, HalfPoints& rows) {
    const Offset padded = distance::padded_to(state.n, row_tile);
    distance::resize(cuda, rows, padded, state.cols);
    device::cuda_check(cudaMemsetAsync(rows.values.data(), 0, rows.values.size() * sizeof(__half), cuda.stream()));
    cuda.fill(rows.errors, static_cast<std::size_t>(padded), 0.0F);
    cuda.fill(rows.lengths, static_cast<std::size_t>(padded), 0.0F);
    rows_kernel<<<blocks_for(state.n), threads, 0, cuda.stream()>>>(
        {state.rows.data(), frame.middle.data(), rows.values.data(), rows.errors.data(), rows.lengths.data(),
         frame.scale, state.n, state.cols, rows.width});
    device::cuda_check(cudaGetLastError());
}

void prepare_centroids(device::Cuda& cuda, const DeviceState& state, HalfCentroids& centroids) {
    centroids.padded = static_cast<Index>(distance::padded_to(state.clusters, score_tile));
    distance::resize(cuda, centroids, centroids.padded, state.cols);
    const auto padded = static_cast<std::size_t>(centroids.padded);
    device::cuda_check(
        cudaMemsetAsync(centroids.values.data(), 0, centroids.values.size() * sizeof(__half), cuda.stream()));
    cuda.fill(centroids.biases, padded, -1e37F);
    cuda.fill(centroids.columns, padded * static_cast<std::size_t>(state.cols), 1e17F);
    cuda.fill(centroids.errors, padded, 0.0F);
    cuda.fill(centroids.lengths, padded, 0.0F);
    cuda.fill(centroids.most, 2, 0.0F);
}

void round_centroids(device::Cuda& cuda, const DeviceState& state, const distance::HalfFrame& frame,
                     HalfCentroids& centroids) {
    device::cuda_check(cudaMemsetAsync(centroids.most.data(), 0, 2 * sizeof(float), cuda.stream()));
    const CentroidTask task{state.centroids.data(),
                            frame.middle.data(),
                            centroids.values.data(),
                            centroids.biases.data(),
                            centroids.columns.data(),
                            centroids.errors.data(),
                            centroids.lengths.data(),
                            centroids.most.data(),
                            state.progress.value.data(),
                            frame.scale,
                            state.clusters,
                            state.cols,
                            centroids.padded,
                            centroids.width};
    centroids_kernel<<<static_cast<unsigned>(state.clusters), threads, 0, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::kmeans
