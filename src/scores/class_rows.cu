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

/// A column of a class, by the threads of the block with the same threadIdx.x.
struct Column {
    ClassesView classes;
    Offset begin, end;
    Index column;
    bool is_there;

    /// A combination over the column's threads of fold(value, initial); all threads of the block call it.
    template <class Value, class Fold, class Combine>
    __device__ Value reduce(Value initial, const Fold& fold, const Combine& combine) const {
        __shared__ Value parts[rows_at_once][columns];
        Value mine = initial;
        if (is_there) {
#pragma unroll 8
            for (Offset i = begin + threadIdx.y; i < end; i += rows_at_once)
                mine = fold(order_of(classes.value(i, column)), mine);
        }
        parts[threadIdx.y][threadIdx.x] = mine;
        __syncthreads();
        for (unsigned half = rows_at_once / 2; half > 0; half /= 2) {
            if (threadIdx.y < half) {
                Value& part = parts[threadIdx.y][threadIdx.x];
                part = combine(part, parts[threadIdx.y + half][threadIdx.x]);
            }
            __syncthreads();
        }
        const Value all = parts[0][threadIdx.x];
        __syncthreads();
        return all;
    }
    /// How many values are at most `most`.
    [[nodiscard]] __device__ unsigned count_to(unsigned most) const {
        return reduce(
            0U, [most](unsigned x, unsigned sum) { return sum + (x <= most ? 1U : 0U); },
            [](unsigned a, unsigned b) { return a + b; });
    }
    [[nodiscard]] __device__ unsigned least_above(unsigned bound) const {
        return reduce(
            ~0U, [bound](unsigned x, unsigned least) { return x > bound ? min(x, least) : least; },
            [](unsigned a, unsigned b) { return min(a, b); });
    }
};

/// Block (t, c): 32 columns of a class. Bisection over the bits finds the lower value in the middle.
__global__ void medians_kernel(ClassesView classes, double* medians) {
    const Index column = static_cast<Index>(blockIdx.x) * columns + static_cast<Index>(threadIdx.x);
    const Column own{classes, classes.offsets[blockIdx.y], classes.offsets[blockIdx.y + 1], column,
                     column < classes.values.cols};
    const auto count = static_cast<unsigned>(own.end - own.begin);
    const unsigned lower_rank = (count - 1) / 2, upper_rank = count / 2;  // from 0
    unsigned low = 0, high = ~0U;
    for (int bit = 0; bit < 32; ++bit) {
        const unsigned middle = low + (high - low) / 2;
        const bool enough = own.count_to(middle) > lower_rank;
        if (low < high) {
            high = enough ? middle : high;
            low = enough ? low : middle + 1;
        }
    }
    const unsigned above = own.least_above(low);
    const unsigned upper = own.count_to(low) > upper_rank ? low : above;
    if (!own.is_there || threadIdx.y > 0) return;
    const double lower_value = static_cast<double>(float_of(low)), upper_value = static_cast<double>(float_of(upper));
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
