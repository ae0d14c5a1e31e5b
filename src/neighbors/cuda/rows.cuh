// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/neighbors.hpp>

#include "device/cuda.cuh"

namespace dunlin::neighbors {

/// Terms of a key: (x_c - y_c)^2, |x_c - y_c|, or -x_c y_c.
enum class KeyTerm { squares, magnitudes, products };

[[nodiscard]] KeyTerm term_of(Metric metric);

/// One term, without the sign.
template <KeyTerm kind>
__device__ double key_term(double x, double y) {
    if constexpr (kind == KeyTerm::products) return x * y;
    const double difference = x - y;
    return kind == KeyTerm::magnitudes ? fabs(difference) : difference * difference;
}

/// Rows in device memory as the metric compares them, for kernels: the counterpart of distance::Space.
struct DeviceRows {
    const float* values = nullptr;
    const Index* at = nullptr;            ///< index of row i in values; null: i
    const double* mean = nullptr;         ///< subtracted from row i; null: nothing is
    const double* scale = nullptr;        ///< then multiplies row i, 0 for a row without direction; null: nothing does
    const double* least_scale = nullptr;  ///< inner products: 1 / (largest norm), for the filter; not in keys
    Index count = 0, cols = 0;
    KeyTerm sum = KeyTerm::squares;

    [[nodiscard]] __device__ const float* row(Index i) const {
        return values + Offset{at == nullptr ? i : at[i]} * cols;
    }
    [[nodiscard]] __device__ double mean_of(Index i) const { return mean == nullptr ? 0.0 : mean[i]; }
    [[nodiscard]] __device__ double scale_of(Index i) const { return scale == nullptr ? 1.0 : scale[i]; }
    [[nodiscard]] __device__ double value(Index i, Index c) const {
        return (static_cast<double>(row(i)[c]) - mean_of(i)) * scale_of(i);
    }
};

/// Rows [first, first + count).
inline DeviceRows slice(DeviceRows rows, Index first, Index count) {
    if (rows.at != nullptr) rows.at += first;
    if (rows.at == nullptr) rows.values += Offset{first} * rows.cols;
    if (rows.mean != nullptr) rows.mean += first;
    if (rows.scale != nullptr) rows.scale += first;
    rows.count = count;
    return rows;
}

/// The sum of term(c) over [0, cols), in all lanes of a warp. Its order depends on cols alone.
template <class Term>
__device__ double warp_sum(Index cols, const Term& term) {
    double sum = 0;
#pragma unroll 4
    for (Index c = static_cast<Index>(threadIdx.x % 32); c < cols; c += 32) sum += term(c);
    for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0U, sum, lanes);
    return sum;
}

/// Space::key of row i of a and row j of b, in all lanes of a warp.
__device__ inline double warp_key(const DeviceRows& a, Index i, const DeviceRows& b, Index j) {
    const float* x = a.row(i);
    const float* y = b.row(j);
    const auto sum = [&]<KeyTerm kind>() {
        return warp_sum(a.cols,
                        [&](Index c) { return key_term<kind>(static_cast<double>(x[c]), static_cast<double>(y[c])); });
    };
    if (a.sum == KeyTerm::products) return 0.0 - sum.template operator()<KeyTerm::products>();
    if (a.sum == KeyTerm::magnitudes) return sum.template operator()<KeyTerm::magnitudes>();
    if (a.scale == nullptr) return sum.template operator()<KeyTerm::squares>();
    const double of_x = a.scale[i], of_y = b.scale[j], less_x = a.mean_of(i), less_y = b.mean_of(j);
    if (of_x == 0 || of_y == 0) return of_x == of_y ? 0.0 : 2.0;
    return warp_sum(a.cols, [&](Index c) {
        return key_term<KeyTerm::squares>((static_cast<double>(x[c]) - less_x) * of_x,
                                          (static_cast<double>(y[c]) - less_y) * of_y);
    });
}

/// Buffers for DeviceRows besides the values.
struct RowSpace {
    device::CudaBuffer<double> mean, scale;  ///< per row, or empty
    device::CudaBuffer<double> least_scale;  ///< one, or empty
};

/// Computes what the metric needs in `space`, and sets the pointers of `rows`.
void normalize(device::Cuda& cuda, Metric metric, DeviceRows& rows, RowSpace& space);

/// The first row with a value beyond +-most, or NaN; rows.count if there is none. Synchronous.
Index first_beyond(device::Cuda& cuda, const DeviceRows& rows, float most);

/// Launches one warp for each of `items`.
template <class Step>
__global__ void warps_kernel(Offset items, Step step) {
    const Offset item = Offset{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
    if (item < items) step(item);
}
template <class Step>
void each_warp(device::Cuda& cuda, Offset items, const Step& step) {
    constexpr int threads = 256;
    if (items == 0) return;
    warps_kernel<<<static_cast<unsigned>((items + threads / 32 - 1) / (threads / 32)), threads, 0, cuda.stream()>>>(
        items, step);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::neighbors
