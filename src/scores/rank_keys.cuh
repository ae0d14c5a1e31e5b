// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "numerics/sort.cuh"

/// Ranks of all points from some rows, by one sort of 64-bit keys.
namespace dunlin::scores {

/// A key has, from its high bits, the row's number in the batch, the distance, and the point: sorted keys are the rows
/// in turn, each by distance and then by id. The row itself comes last.
struct RankKey {
    static constexpr int distance_bits = 31;  ///< of a float32 of at least 0, whose order is that of its bits
    int id_bits;

    [[nodiscard]] __device__ std::uint64_t of(Index row, std::uint32_t distance, Index id) const {
        return static_cast<std::uint64_t>(row) << (distance_bits + id_bits) |
               static_cast<std::uint64_t>(distance) << id_bits | static_cast<std::uint64_t>(id);
    }
    [[nodiscard]] __device__ std::uint64_t of(Index row, float distance, Index id) const {
        return of(row, __float_as_uint(distance), id);
    }
    /// Key of the row itself, which sorts after an infinite distance.
    [[nodiscard]] __device__ std::uint64_t of_self(Index row, Index id) const { return of(row, 0x7fffffffU, id); }

    [[nodiscard]] __device__ Index id(std::uint64_t key) const {
        return static_cast<Index>(key & ((std::uint64_t{1} << id_bits) - 1));
    }
    [[nodiscard]] __device__ float distance(std::uint64_t key) const {
        return __uint_as_float(static_cast<std::uint32_t>(key >> id_bits) & 0x7fffffffU);
    }
    /// Whether two keys of a row have the same distance.
    [[nodiscard]] __device__ bool ties(std::uint64_t a, std::uint64_t b) const { return (a ^ b) >> id_bits == 0; }
};

/// Bits of the numbers [0, count).
constexpr int bits_of(Index count) { return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(count - 1))); }

/// Rows that keys of n points can number.
constexpr Offset rows_of_keys(Index n) { return Offset{1} << (64 - RankKey::distance_bits - bits_of(n)); }

template <class Step>
__global__ void row_items_kernel(Index n, Step step) {
    const Offset i = Offset{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) step(static_cast<Index>(blockIdx.y), static_cast<Index>(i));
}

/// Calls step(r, i) for r in [0, rows) and i in [0, n).
template <class Step>
void each_of_rows(device::Cuda& cuda, Index rows, Index n, const Step& step) {
    constexpr int threads = 256;
    if (rows == 0 || n == 0) return;
    const dim3 grid(static_cast<unsigned>((n - 1) / threads + 1), static_cast<unsigned>(rows));
    row_items_kernel<<<grid, threads, 0, cuda.stream()>>>(n, step);
    device::cuda_check(cudaGetLastError());
}

/// Keys of a batch of rows, and as much memory for their sort.
struct RankKeys {
    device::CudaBuffer<std::uint64_t> keys, spare;
    Index n = 0, rows = 0;

    [[nodiscard]] RankKey key() const { return {bits_of(n)}; }

    void sort(device::Cuda& cuda) {
        const int first = bits_of(n), last = first + RankKey::distance_bits + bits_of(rows);
        numerics::sort_keys(cuda, keys, spare, Offset{rows} * n, first, last);
    }
};

/// Sorts the keys of rows `ids` in a map (n x dim, on the device): by the float32 rounding of squared distances, and
/// equal roundings by their doubles.
void sort_by_map(device::Cuda& cuda, const float* map, int dim, const Index* ids, RankKeys& keys);

}  // namespace dunlin::scores
