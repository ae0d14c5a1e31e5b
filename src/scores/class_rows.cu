// SPDX-License-Identifier: Apache-2.0
#include "scores/class_rows.cuh"

namespace dunlin::scores {

namespace {

using device::Cuda;
using device::CudaBuffer;

constexpr int columns = 32, rows_at_once = 32;

struct ClassesView {
    MatrixView<const float> values;
    const Index* rows;
    const Offset* offsets;

    [[nodiscard]] __device__ float value(Offset i, Index column) const {
        return values.data[Offset{rows[i]} * values.cols + column];
    }
};

/// Block (t, c): a warp with a column per lane, added in the order of rows.
__global__ void means_kernel(ClassesView classes, double* means) {
    const Index column = static_cast<Index>(blockIdx.x) * columns + static_cast<Index>(threadIdx.x);
    if (column >= classes.values.cols) return;
    const Offset begin = classes.offsets[blockIdx.y], end = classes.offsets[blockIdx.y + 1];
    double sum = 0;
    constexpr int ahead = 16;  // values that are read together
    Offset i = begin;
    for (; i + ahead <= end; i += ahead) {
        float values[ahead];
#pragma unroll
        for (int a = 0; a < ahead; ++a) values[a] = classes.value(i + a, column);
#pragma unroll
        for (int a = 0; a < ahead; ++a) sum += static_cast<double>(values[a]);
    }
    for (; i < end; ++i) sum += static_cast<double>(classes.value(i, column));
    means[Offset{blockIdx.y} * classes.values.cols + column] = sum / static_cast<double>(end - begin);
}

/// Unsigned integers in the order of floats.
__device__ unsigned order_of(float x) {
    const unsigned bits = __float_as_uint(x);
    return bits & 0x80000000U ? ~bits : bits | 0x80000000U;
}
__device__ float float_of(unsigned order) {
    return __uint_as_float(order & 0x80000000U ? order ^ 0x80000000U : ~order);
}

constexpr int digit_bits = 8, digits = 1 << digit_bits, digits_of_thread = digits / rows_at_once;

/// Block (t, c): 32 columns of a class, each by the threads with the same threadIdx.x. Finds the lower value in the
/// middle digit by digit: among the values that have the digits before, their number by the next one. Then the least
/// above it.
__global__ void medians_kernel(ClassesView classes, double* medians) {
    __shared__ unsigned counts[digits][columns], parts[rows_at_once][columns];
    const unsigned own = threadIdx.x, row = threadIdx.y;
    const Index column = static_cast<Index>(blockIdx.x) * columns + static_cast<Index>(own);
    const bool is_there = column < classes.values.cols;
    const Offset begin = classes.offsets[blockIdx.y], end = classes.offsets[blockIdx.y + 1];
    const auto count = static_cast<unsigned>(end - begin);
    unsigned lower = 0, rank = (count - 1) / 2, equal = 0;  // the digits found, its place among values that have these
    for (int shift = 32 - digit_bits; shift >= 0; shift -= digit_bits) {
        for (int d = 0; d < digits_of_thread; ++d) counts[row * digits_of_thread + d][own] = 0;
        __syncthreads();
        if (is_there) {
#pragma unroll 8
            for (Offset i = begin + row; i < end; i += rows_at_once) {
                const unsigned value = order_of(classes.value(i, column));
                const bool fits = std::uint64_t{value ^ lower} >> (shift + digit_bits) == 0;
                if (fits) atomicAdd(&counts[(value >> shift) % digits][own], 1U);
            }
        }
        __syncthreads();
        unsigned sum = 0;
        for (int d = 0; d < digits_of_thread; ++d) sum += counts[row * digits_of_thread + d][own];
        parts[row][own] = sum;
        __syncthreads();
        if (is_there) {  // the digit at whose values the place is: first its part
            unsigned part = 0;
            while (rank >= parts[part][own]) rank -= parts[part++][own];
            unsigned digit = part * digits_of_thread;
            while (rank >= counts[digit][own]) rank -= counts[digit++][own];
            equal = counts[digit][own];
            lower |= digit << shift;
        }
        __syncthreads();
    }
    const bool is_last = is_there && count % 2 == 0 && rank + 1 == equal;  // the upper one is a larger value
    unsigned upper = lower;
    if (__syncthreads_or(is_last ? 1 : 0) != 0) {
        unsigned least = ~0U;
        if (is_last) {
#pragma unroll 8
            for (Offset i = begin + row; i < end; i += rows_at_once) {
                const unsigned value = order_of(classes.value(i, column));
                if (value > lower) least = min(least, value);
            }
        }
        parts[row][own] = least;
        __syncthreads();
        for (int r = 0; r < rows_at_once; ++r) least = min(least, parts[r][own]);
        if (is_last) upper = least;
    }
    if (!is_there || row > 0) return;
    const double lower_value = static_cast<double>(float_of(lower)), upper_value = static_cast<double>(float_of(upper));
    medians[Offset{blockIdx.y} * classes.values.cols + column] =
        count % 2 == 1 ? lower_value : (lower_value + upper_value) / 2;
}

}  // namespace

std::vector<double> class_centers(Cuda& cuda, MatrixView<const float> values, const ClassRows& classes, Center center) {
    CudaBuffer<Index> rows;
    CudaBuffer<Offset> offsets;
    cuda.upload(rows, classes.rows);
    cuda.upload(offsets, classes.offsets);
    const auto count = static_cast<std::size_t>(classes.count()), cols = static_cast<std::size_t>(values.cols);
    CudaBuffer<double> centers(count * cols, cuda.stream());
    constexpr Index most = 32768;  // classes of a launch
    for (Index first = 0; first < classes.count(); first += most) {
        const ClassesView some{values, rows.data(), offsets.data() + first};
        const dim3 grid((static_cast<unsigned>(values.cols) + columns - 1) / columns,
                        static_cast<unsigned>(std::min(most, classes.count() - first)));
        double* const out = centers.data() + Offset{first} * values.cols;
        if (center == Center::mean) {
            means_kernel<<<grid, columns, 0, cuda.stream()>>>(some, out);
        } else {
            medians_kernel<<<grid, dim3(columns, rows_at_once), 0, cuda.stream()>>>(some, out);
        }
        device::cuda_check(cudaGetLastError());
    }
    return cuda.host(centers);
}

}  // namespace dunlin::scores
