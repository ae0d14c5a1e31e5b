// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/sketch.cuh"

namespace dunlin::kmeans {

namespace {

constexpr int threads = 256, warps = threads / 32;

struct Errors {
    double error = 0, length = 0;  ///< squares
};

/// Every `step`th column of a row to halves, from `first` on; by a thread.
__device__ Errors to_halves(const float* x, Index cols, const double* middle, double scale, __half* out, Index width,
                            Index first, Index step) {
    Errors sum;
    for (Index c = first; c < width; c += step) {
        const double value = c < cols ? (static_cast<double>(x[c]) - middle[c]) * scale : 0.0;
        const __half rounded = __double2half(value);
        const double lost = value - static_cast<double>(__half2float(rounded));
        out[c] = rounded;
        sum.error += lost * lost;
        sum.length += value * value;
    }
    return sum;
}

__device__ float root_up(double square) { return __double2float_ru(sqrt(square) * (1 + 1e-9)); }

/// A warp for each row.
__global__ void rows_kernel(const float* rows, Index n, Index cols, const double* middle, double scale, __half* halves,
                            float* errors, float* lengths, Index width) {
    const Offset row = Offset{blockIdx.x} * warps + threadIdx.x / 32;
    if (row >= n) return;
    const auto lane = static_cast<Index>(threadIdx.x % 32);
    Errors sum = to_halves(rows + row * cols, cols, middle, scale, halves + row * width, width, lane, 32);
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        sum.error += __shfl_xor_sync(~0U, sum.error, lanes);
        sum.length += __shfl_xor_sync(~0U, sum.length, lanes);
    }
    if (lane != 0) return;
    errors[row] = root_up(sum.error);
    lengths[row] = root_up(sum.length);
}

struct CentroidTask {
    const float* centroids;
    const double* middle;
    __half* halves;
    float *biases, *columns, *errors, *lengths, *most;
    const LoopState* progress;
    double scale;
    Index clusters, cols, padded, width;
};

/// Numbers at least 0 are in the order of their bits.
__device__ void raise(float* most, float value) {
    atomicMax(reinterpret_cast<unsigned*>(most), __float_as_uint(value));
}

/// A block for each centroid, whose columns may be thousands.
__global__ void __launch_bounds__(threads) centroids_kernel(CentroidTask task) {
    const auto k = static_cast<Index>(blockIdx.x), thread = static_cast<Index>(threadIdx.x);
    if (task.progress->reason != Reason::going_on) return;
    const float* centroid = task.centroids + Offset{k} * task.cols;
    Errors sum = to_halves(centroid, task.cols, task.middle, task.scale, task.halves + Offset{k} * task.width,
                           task.width, thread, threads);
    for (Index c = thread; c < task.cols; c += threads) task.columns[Offset{c} * task.padded + k] = centroid[c];
    sum.error = device::block_sum<threads>(sum.error);
    sum.length = device::block_sum<threads>(sum.length);
    if (thread != 0) return;
    task.biases[k] = static_cast<float>(-sum.length / 2);
    const float error = root_up(sum.error), length = root_up(sum.length) + error;
    task.errors[k] = error;
    task.lengths[k] = length;
    raise(task.most, error);
    raise(task.most + 1, length);
}

unsigned blocks_for(Offset items) { return static_cast<unsigned>((items + warps - 1) / warps); }

}  // namespace

void sketch_rows(device::Cuda& cuda, const DeviceState& state, const Frame& frame, RowSketch& sketch) {
    const Offset padded = (Offset{state.n} + row_tile - 1) / row_tile * row_tile;
    sketch.width = (state.cols + chunk - 1) / chunk * chunk;
    cuda.resize(sketch.halves, static_cast<std::size_t>(padded * sketch.width));
    device::cuda_check(cudaMemsetAsync(sketch.halves.data(), 0, sketch.halves.size() * sizeof(__half), cuda.stream()));
    cuda.fill(sketch.errors, static_cast<std::size_t>(padded), 0.0F);
    cuda.fill(sketch.lengths, static_cast<std::size_t>(padded), 0.0F);
    rows_kernel<<<blocks_for(state.n), threads, 0, cuda.stream()>>>(
        state.rows.data(), state.n, state.cols, frame.middle.data(), frame.scale, sketch.halves.data(),
        sketch.errors.data(), sketch.lengths.data(), sketch.width);
    device::cuda_check(cudaGetLastError());
}

void prepare_centroids(device::Cuda& cuda, const DeviceState& state, CentroidSketch& sketch) {
    sketch.width = (state.cols + chunk - 1) / chunk * chunk;
    sketch.padded = (state.clusters + score_tile - 1) / score_tile * score_tile;
    const auto padded = static_cast<std::size_t>(sketch.padded);
    cuda.resize(sketch.halves, padded * static_cast<std::size_t>(sketch.width));
    device::cuda_check(cudaMemsetAsync(sketch.halves.data(), 0, sketch.halves.size() * sizeof(__half), cuda.stream()));
    cuda.fill(sketch.biases, padded, -1e37F);
    cuda.fill(sketch.columns, padded * static_cast<std::size_t>(state.cols), 1e17F);
    cuda.fill(sketch.errors, padded, 0.0F);
    cuda.fill(sketch.lengths, padded, 0.0F);
    cuda.fill(sketch.most, 2, 0.0F);
}

void sketch_centroids(device::Cuda& cuda, const DeviceState& state, const Frame& frame, CentroidSketch& sketch) {
    device::cuda_check(cudaMemsetAsync(sketch.most.data(), 0, 2 * sizeof(float), cuda.stream()));
    const CentroidTask task{state.centroids.data(),
                            frame.middle.data(),
                            sketch.halves.data(),
                            sketch.biases.data(),
                            sketch.columns.data(),
                            sketch.errors.data(),
                            sketch.lengths.data(),
                            sketch.most.data(),
                            state.progress.value.data(),
                            frame.scale,
                            state.clusters,
                            state.cols,
                            sketch.padded,
                            sketch.width};
    centroids_kernel<<<static_cast<unsigned>(state.clusters), threads, 0, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::kmeans
