// SPDX-License-Identifier: Apache-2.0
#include "parametric/layers.cuh"

#include <algorithm>

namespace dunlin::parametric {

namespace {

using device::Cuda, device::cuda_check;

constexpr int row_threads = 256;

/// Calls step(row, col) for all entries of a matrix: a block has a run of columns of some rows.
template <class Step>
__global__ void entries_kernel(Index rows, Index cols, Step step) {
    const Index col = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
    if (col >= cols) return;
    for (Offset row = blockIdx.y; row < rows; row += gridDim.y) step(row, col);
}

template <class Step>
void each_entry(Cuda& cuda, Index rows, Index cols, const Step& step) {
    constexpr Index most_blocks = 65535;
    if (rows == 0 || cols == 0) return;
    const int threads = cols >= row_threads ? row_threads : (cols + 31) / 32 * 32;
    const dim3 blocks(static_cast<unsigned>((cols + threads - 1) / threads),
                      static_cast<unsigned>(std::min(rows, most_blocks)));
    entries_kernel<<<blocks, static_cast<unsigned>(threads), 0, cuda.stream()>>>(rows, cols, step);
    cuda_check(cudaGetLastError());
}

/// order: null for rows as they are.
struct TakeRow {
    const float* values;
    Index cols;
    const Index* order;
    float* out;
    __device__ void operator()(Offset row, Index col) const {
        out[row * cols + col] = values[(order != nullptr ? Offset{order[row]} : row) * cols + col];
    }
};
struct TakeNormalizedRow {
    const float* values;
    Index cols;
    const Index* order;
    const float* shift;
    float scale;
    float* out;
    __device__ void operator()(Offset row, Index col) const {
        const float x = values[(order != nullptr ? Offset{order[row]} : row) * cols + col];
        out[row * cols + col] = normalized(x, shift[col], scale);
    }
};

template <Unit unit>
struct Activate {
    float* values;
    const float* biases;
    Index cols;
    __device__ void operator()(Offset row, Index col) const {
        float& value = values[row * cols + col];
        const float x = value + biases[col];
        value = unit == Unit::logistic ? logistic(x) : unit == Unit::relu ? relu(x) : x;
    }
};

template <Unit unit>
struct MultiplyBySlope {
    float* delta;
    const float* outputs;
    __device__ void operator()(Offset i) const {
        delta[i] = unit == Unit::logistic ? times_logistic_slope(delta[i], outputs[i])
                                          : times_relu_slope(delta[i], outputs[i]);
    }
};

constexpr int column_group = 32;  ///< columns of a block
constexpr int row_groups = 16;    ///< rows that it adds at a time

/// One block per column_group columns: each of its rows of threads adds every row_groups-th row, and these sums are
/// added in their order.
__global__ void column_sums_kernel(const float* values, Index rows, Index cols, float* sums) {
    __shared__ double parts[row_groups][column_group];
    const Index col = static_cast<Index>(blockIdx.x) * column_group + static_cast<Index>(threadIdx.x);
    double sum = 0;
    if (col < cols) {
#pragma unroll 4
        for (Index row = static_cast<Index>(threadIdx.y); row < rows; row += row_groups)
            sum += static_cast<double>(values[Offset{row} * cols + col]);
    }
    parts[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0 || col >= cols) return;
    for (int g = 1; g < row_groups; ++g) sum += parts[g][threadIdx.x];
    sums[col] = static_cast<float>(sum);
}

struct DrawState {
    const float* p;
    std::uint64_t seed, draw;
    float* states;
    __device__ void operator()(Offset i) const { states[i] = drawn_state(p[i], seed, i, draw); }
};

struct Ascend {
    float *values, *change;
    const float* gradient;
    float momentum, rate, cost;
    __device__ void operator()(Offset i) const { ascend_one(values[i], change[i], gradient[i], momentum, rate, cost); }
};

struct Descend {
    float *values, *mean, *square;
    const float* gradient;
    float rate, keep;
    __device__ void operator()(Offset i) const {
        float value = values[i];
        descend_one(value, mean[i], square[i], gradient[i], rate, keep);
        values[i] = value;
    }
};

struct AddRowNoise {
    TrainingRows rows;
    InputNoise noise;
    const Index* order;
    std::uint64_t draw;
    float* out;
    __device__ void operator()(Offset row, Index col) const {
        const Index point = order[row], cols = rows.points.cols;
        const NeighborPair pair = drawn_pair(noise.candidates, noise.share * rows.scale, noise.seed, point, draw);
        const Index* const near = noise.neighbors + Offset{point} * noise.candidates;
        const float* const values = rows.points.data + col;
        const float first = values[Offset{near[pair.first]} * cols], second = values[Offset{near[pair.second]} * cols];
        out[row * cols + col] += noise_of(noise.deviations[point], noise.seed, Offset{point} * cols + col, draw) +
                                 pair.share * (first - second);
    }
};

}  // namespace

void add_noise(Cuda& cuda, const TrainingRows& rows, const InputNoise& noise, const Index* order, Index count,
               std::uint64_t draw, float* out) {
    if (noise.deviations == nullptr) return;
    each_entry(cuda, count, rows.points.cols, AddRowNoise{rows, noise, order, draw, out});
}

void gather(Cuda& cuda, const TrainingRows& rows, const Index* order, Index count, float* out) {
    const Index cols = rows.points.cols;
    each_entry(cuda, count, cols, TakeNormalizedRow{rows.points.data, cols, order, rows.shift, rows.scale, out});
}

void gather(Cuda& cuda, MatrixView<const float> rows, const Index* order, Index count, float* out) {
    each_entry(cuda, count, rows.cols, TakeRow{rows.data, rows.cols, order, out});
}

void normalize(Cuda& cuda, const TrainingRows& rows, Index first, Index count, float* out) {
    const Index cols = rows.points.cols;
    const float* const from = rows.points.data + Offset{first} * cols;
    each_entry(cuda, count, cols, TakeNormalizedRow{from, cols, nullptr, rows.shift, rows.scale, out});
}

void activate(Cuda& cuda, float* values, Index rows, Index cols, const float* biases, Unit unit) {
    if (unit == Unit::logistic) {
        each_entry(cuda, rows, cols, Activate<Unit::logistic>{values, biases, cols});
    } else if (unit == Unit::relu) {
        each_entry(cuda, rows, cols, Activate<Unit::relu>{values, biases, cols});
    } else {
        each_entry(cuda, rows, cols, Activate<Unit::linear>{values, biases, cols});
    }
}

void multiply_by_slope(Cuda& cuda, float* delta, const float* outputs, Offset count, Unit unit) {
    if (unit == Unit::logistic) cuda.each(count, MultiplyBySlope<Unit::logistic>{delta, outputs});
    if (unit == Unit::relu) cuda.each(count, MultiplyBySlope<Unit::relu>{delta, outputs});
}

void sum_columns(Cuda& cuda, const float* values, Index rows, Index cols, float* sums) {
    if (cols == 0) return;
    const auto blocks = static_cast<unsigned>((cols + column_group - 1) / column_group);
    column_sums_kernel<<<blocks, dim3(column_group, row_groups), 0, cuda.stream()>>>(values, rows, cols, sums);
    cuda_check(cudaGetLastError());
}

void draw_states(Cuda& cuda, const float* p, Offset count, std::uint64_t seed, std::uint64_t draw, float* states) {
    cuda.each(count, DrawState{p, seed, draw, states});
}

void ascend(Cuda& cuda, float* values, float* change, const float* gradient, Offset count, float momentum, float rate,
            float cost) {
    cuda.each(count, Ascend{values, change, gradient, momentum, rate, cost});
}

void descend(Cuda& cuda, float* values, float* mean, float* square, const float* gradient, Offset count, float rate,
             float keep) {
    cuda.each(count, Descend{values, mean, square, gradient, rate, keep});
}

void copy(Cuda& cuda, const float* from, Offset count, float* to) {
    if (count == 0) return;
    cuda_check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(float), cudaMemcpyDeviceToDevice,
                               cuda.stream()));
}

Pace<Cuda>::~Pace() {
    for (cudaEvent_t event : done_) {
        if (event != nullptr) cudaEventDestroy(event);
    }
}

void Pace<Cuda>::step(Cuda& cuda) {
    cudaEvent_t& mark = done_[next_];
    next_ = (next_ + 1) % ahead;
    if (mark == nullptr) {
        cuda_check(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    } else {
        cuda_check(cudaEventSynchronize(mark));  // the step of `ahead` steps ago
    }
    cuda_check(cudaEventRecord(mark, cuda.stream()));
}

}  // namespace dunlin::parametric
