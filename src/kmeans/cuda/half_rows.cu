// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/half_rows.cuh"

namespace dunlin::kmeans {

namespace {

constexpr int threads = 256, warps = threads / 32;

using distance::HalfFrame;
using distance::RoundedSquares;

/// Rounds columns of a row of floats; by a thread.
__device__ RoundedSquares round_floats(const float* x, Index cols, const HalfFrame::View& frame, __half* out,
                                       Index width, Index first, Index step) {
    const auto value = [&](Index c) { return c < cols ? frame(static_cast<double>(x[c]), c) : 0.0; };
    return distance::round_columns(value, out, width, first, step);
}

__device__ float root_up(double square) { return __double2float_ru(sqrt(square) * (1 + 1e-9)); }

/// A warp for each row.
__global__ void rows_kernel(const float* rows, Index n, Index cols, HalfFrame::View frame, distance::HalfRows::View out,
                            float* lengths) {
    const Offset row = Offset{blockIdx.x} * warps + threadIdx.x / 32;
    if (row >= n) return;
    const auto lane = static_cast<Index>(threadIdx.x % 32);
    const RoundedSquares sum =
        round_floats(rows + row * cols, cols, frame, out.values + row * out.width, out.width, lane, 32);
    const double error = distance::sum_of_lanes(sum.error), length = distance::sum_of_lanes(sum.row);
    if (lane != 0) return;
    out.errors[row] = root_up(error);
    lengths[row] = root_up(length);
}

struct CentroidTask {
    const float* centroids;
    const LoopState* progress;
    HalfFrame::View frame;
    distance::HalfRows::View out;
    float *biases, *columns, *lengths;
    Index cols, padded;
};

/// A block for each centroid, whose columns may be thousands.
__global__ void __launch_bounds__(threads) centroids_kernel(CentroidTask task) {
    const auto k = static_cast<Index>(blockIdx.x), thread = static_cast<Index>(threadIdx.x);
    if (task.progress->reason != Reason::going_on) return;
    const float* centroid = task.centroids + Offset{k} * task.cols;
    RoundedSquares sum = round_floats(centroid, task.cols, task.frame, task.out.values + Offset{k} * task.out.width,
                                      task.out.width, thread, threads);
    for (Index c = thread; c < task.cols; c += threads) task.columns[Offset{c} * task.padded + k] = centroid[c];
    sum.error = device::block_sum<threads>(sum.error);
    sum.row = device::block_sum<threads>(sum.row);
    if (thread != 0) return;
    task.biases[k] = static_cast<float>(-sum.row / 2);
    const float error = root_up(sum.error), length = root_up(sum.row) + error;
    task.out.errors[k] = error;
    task.lengths[k] = length;
    distance::raise(task.out.most, error);
    distance::raise(task.out.most + 1, length);
}

/// Allocates, and fills with zeros.
void clear(device::Cuda& cuda, distance::HalfRows& rows, device::CudaBuffer<float>& lengths, Offset padded,
           Index cols) {
    rows.resize(cuda, padded, cols);
    device::cuda_check(cudaMemsetAsync(rows.values.data(), 0, rows.values.size() * sizeof(__half), cuda.stream()));
    cuda.fill(rows.errors, static_cast<std::size_t>(padded), 0.0F);
    cuda.fill(lengths, static_cast<std::size_t>(padded), 0.0F);
}

}  // namespace

void round_rows(device::Cuda& cuda, const DeviceState& state, const HalfFrame& frame, HalfPoints& rows) {
    clear(cuda, rows, rows.lengths, distance::padded_to(state.n, row_tile), state.cols);
    const auto blocks = static_cast<unsigned>((Offset{state.n} + warps - 1) / warps);
    rows_kernel<<<blocks, threads, 0, cuda.stream()>>>(state.rows.data(), state.n, state.cols, frame.view(),
                                                       rows.view(), rows.lengths.data());
    device::cuda_check(cudaGetLastError());
}

void prepare_centroids(device::Cuda& cuda, const DeviceState& state, HalfCentroids& centroids) {
    centroids.padded = static_cast<Index>(distance::padded_to(state.clusters, score_tile));
    clear(cuda, centroids, centroids.lengths, centroids.padded, state.cols);
    const auto padded = static_cast<std::size_t>(centroids.padded);
    cuda.fill(centroids.biases, padded, -1e37F);
    cuda.fill(centroids.columns, padded * static_cast<std::size_t>(state.cols), 1e17F);
    cuda.fill(centroids.most, 2, 0.0F);
}

void round_centroids(device::Cuda& cuda, const DeviceState& state, const HalfFrame& frame, HalfCentroids& centroids) {
    device::cuda_check(cudaMemsetAsync(centroids.most.data(), 0, 2 * sizeof(float), cuda.stream()));
    centroids_kernel<<<static_cast<unsigned>(state.clusters), threads, 0, cuda.stream()>>>(
        {state.centroids.data(), state.progress.value.data(), frame.view(), centroids.view(), centroids.biases.data(),
         centroids.columns.data(), centroids.lengths.data(), state.cols, centroids.padded});
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::kmeans
