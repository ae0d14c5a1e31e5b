// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/fft.cuh"
#include "math/hd.hpp"

/// What the kernels of CudaGridConvolution are made of.
namespace dunlin::forces {

using device::Complex;
using device::conjugate;
using device::FftLength;
using device::times_i;

/// A block's columns in shared memory, each as its even and its odd modes. A block has
/// 2 * FftLength::threads threads for each.
template <int Length>
struct FftColumns {
    const Complex* roots;
    int log2 = 0;  ///< of their number
    Complex* values = device::fft_columns;

    static constexpr int threads = FftLength<Length>::threads, padded = FftLength<Length>::padded;

    /// From column to column: such that all columns' elements of one place lie in different banks.
    DUNLIN_HD static constexpr int stride(int log2_columns) { return 2 * padded + (16 >> log2_columns); }

    __device__ Complex& at(int column, int parity, int i) const {
        return values[column * stride(log2) + parity * padded + device::fft_place(i)];
    }
    /// Values are stored as they are, and turned by half a mode.
    __device__ void set_value(int column, int i, Complex value) const {
        at(column, 0, i) = value;
        at(column, 1, i) = value * device::read(roots + i);
    }
    /// Of conjugates transformed: value i, conjugated.
    __device__ Complex conjugate_value(int column, int i) const {
        return at(column, 0, i) + at(column, 1, i) * device::read(roots + i);
    }
    /// The column that this thread takes part in.
    __device__ int mine() const { return static_cast<int>(threadIdx.x) / (2 * threads); }

    __device__ void transform() const {
        __syncthreads();
        const int thread = static_cast<int>(threadIdx.x);
        Complex* column = values + mine() * stride(log2) + thread / threads % 2 * padded;
        device::fft_forward<Length>(roots, column, thread % threads);
    }

    /// Modes times the Green's function, conjugated. factors: of this thread's column, for modes 0..Length.
    __device__ void multiply(const float* factors) const {
        const int thread = static_cast<int>(threadIdx.x), parity = thread / threads % 2;
#pragma unroll
        for (int m = 0; m < FftLength<Length>::elements; ++m) {
            const int i = thread % threads + m * threads, mode = 2 * i + parity;
            Complex& value = at(mine(), parity, i);
            value = __ldg(factors + min(mode, 2 * Length - mode)) * conjugate(value);
        }
    }
};

/// Rounds items for each thread of a block: all are read before the first is used, since reading takes long.
template <int Rounds, class Read, class Use>
__device__ void read_then(const Read& read, const Use& use) {
    decltype(read(0)) values[Rounds];
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
#pragma unroll
    for (int m = 0; m < Rounds; ++m) values[m] = read(thread + m * threads);
#pragma unroll
    for (int m = 0; m < Rounds; ++m) use(thread + m * threads, values[m]);
}

/// Where the modes of x lie in a row, the even ones first: the one in `slot`, and its mirror image -number.
struct XMode {
    int at, mirror, number;

    __device__ XMode(int slot, int nodes) {
        const int parity = slot <= nodes / 2 ? 0 : 1, half = parity == 0 ? slot : slot - nodes / 2 - 1;
        at = parity * nodes + half;
        mirror = parity == 1 ? 2 * nodes - 1 - half : half == 0 ? 0 : nodes - half;
        number = 2 * half + parity;
    }
};

/// Items of a block dealt out to 2^log2 columns, neighbors to neighboring ones.
struct ColumnSplit {
    int log2;

    __device__ int column(int item) const { return item & ((1 << log2) - 1); }
    __device__ int place(int item) const { return item >> log2; }
    __device__ int first() const { return static_cast<int>(blockIdx.x) << log2; }
};

/// The modes of x that a block works on, in a plane of Ny nodes along y.
template <int Ny>
struct RowModes {
    int nx;
    ColumnSplit split;
    Complex* rows;  ///< of the plane

    __device__ RowModes(int nodes_x, const ColumnSplit& block_split, Complex* all_rows)
        : nx(nodes_x), split(block_split), rows(all_rows + Offset{blockIdx.y} * Ny * nodes_x) {}

    __device__ bool has(int item) const { return split.first() + split.column(item) <= nx; }
    __device__ XMode mode(int item) const { return {split.first() + split.column(item), nx}; }
    __device__ Complex& value(int item, int x) const { return rows[split.place(item) * 2 * nx + x]; }

    /// The rows come apart here: with z = a + i b, the modes of a and of b are found from z's and its mirror image.
    __device__ void load(const FftColumns<Ny>& columns) const {
        struct Both {
            Complex there, mirror;
        };
        read_then<FftLength<Ny>::elements / 4>(
            [&](int item) {
                if (!has(item)) return Both{};
                const XMode x = mode(item);
                return Both{value(item, x.at), value(item, x.mirror)};
            },
            [&](int item, const Both& z) {
                const Complex mirror = conjugate(z.mirror);
                columns.set_value(split.column(item), split.place(item), 0.5F * (z.there + mirror));
                columns.set_value(split.column(item), split.place(item) + Ny / 2, 0.5F * times_i(mirror - z.there));
            });
    }

    /// And here they are put together again.
    __device__ void store(const FftColumns<Ny>& columns) const {
#pragma unroll
        for (int m = 0; m < FftLength<Ny>::elements / 4; ++m) {
            const int item = static_cast<int>(threadIdx.x) + m * static_cast<int>(blockDim.x);
            if (!has(item)) continue;
            const XMode x = mode(item);
            const Complex a = columns.conjugate_value(split.column(item), split.place(item));
            const Complex b = columns.conjugate_value(split.column(item), split.place(item) + Ny / 2);
            value(item, x.at) = conjugate(a) + times_i(conjugate(b));
            if (x.mirror != x.at) value(item, x.mirror) = a + times_i(b);
        }
    }
};

}  // namespace dunlin::forces
