// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/hd.hpp"
#include "numerics/fft.cuh"

/// Building blocks of the kernels of CudaGridConvolution.
namespace dunlin::forces {

using numerics::Complex;
using numerics::conjugate;
using numerics::FftLength;
using numerics::times_i;

/// Columns of a block in shared memory, each as even and odd modes. A block has 2 * FftLength::threads threads per
/// column.
template <int Length>
struct FftColumns {
    const Complex* roots;
    int log2 = 0;  ///< log2 of the number of columns
    Complex* values = numerics::fft_columns;

    static constexpr int threads = FftLength<Length>::threads, padded = FftLength<Length>::padded;

    /// Distance between columns, chosen so that equal elements of all columns lie in different banks.
    DUNLIN_HD static constexpr int stride(int log2_columns) { return 2 * padded + (16 >> log2_columns); }

    __device__ Complex& at(int column, int parity, int i) const {
        return values[column * stride(log2) + parity * padded + numerics::fft_place(i)];
    }
    /// Stores a value for the even modes, and times its twiddle factor for the odd modes.
    __device__ void set_value(int column, int i, Complex value) const {
        at(column, 0, i) = value;
        at(column, 1, i) = value * numerics::read(roots + i);
    }
    /// Value i of the backward transform, conjugated; call after transform() of conjugates.
    __device__ Complex conjugate_value(int column, int i) const {
        return at(column, 0, i) + at(column, 1, i) * numerics::read(roots + i);
    }
    /// The column that this thread works on.
    __device__ int mine() const { return static_cast<int>(threadIdx.x) / (2 * threads); }

    __device__ void transform() const {
        __syncthreads();
        const int thread = static_cast<int>(threadIdx.x);
        Complex* column = values + mine() * stride(log2) + thread / threads % 2 * padded;
        numerics::fft_forward<Length>(roots, column, thread % threads);
    }

    /// Multiplies the modes by the Green's function and conjugates them. factors: for modes 0..Length of this thread's
    /// column.
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

/// Rounds items per thread of a block. Issues all reads before the first use to hide their latency.
template <int Rounds, class Read, class Use>
__device__ void read_then(const Read& read, const Use& use) {
    decltype(read(0)) values[Rounds];
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
#pragma unroll
    for (int m = 0; m < Rounds; ++m) values[m] = read(thread + m * threads);
#pragma unroll
    for (int m = 0; m < Rounds; ++m) use(thread + m * threads, values[m]);
}

/// Positions in a row of the mode of x in `slot` and of its mirror image, mode -number. Even modes come first.
struct XMode {
    int at, mirror, number;

    __device__ XMode(int slot, int nodes) {
        const int parity = slot <= nodes / 2 ? 0 : 1, half = parity == 0 ? slot : slot - nodes / 2 - 1;
        at = parity * nodes + half;
        mirror = parity == 1 ? 2 * nodes - 1 - half : half == 0 ? 0 : nodes - half;
        number = 2 * half + parity;
    }
};

/// Assignment of a block's items to 2^log2 columns, adjacent items to adjacent columns.
struct ColumnSplit {
    int log2;

    __device__ int column(int item) const { return item & ((1 << log2) - 1); }
    __device__ int place(int item) const { return item >> log2; }
    __device__ int first() const { return static_cast<int>(blockIdx.x) << log2; }
};

/// The modes of x that a block processes, in a plane of Ny nodes along y.
template <int Ny>
struct RowModes {
    int nx;
    ColumnSplit split;
    Complex* rows;  ///< rows of the plane

    __device__ RowModes(int nodes_x, const ColumnSplit& block_split, Complex* all_rows)
        : nx(nodes_x), split(block_split), rows(all_rows + Offset{blockIdx.y} * Ny * nodes_x) {}

    __device__ bool has(int item) const { return split.first() + split.column(item) <= nx; }
    __device__ XMode mode(int item) const { return {split.first() + split.column(item), nx}; }
    __device__ Complex& value(int item, int x) const { return rows[split.place(item) * 2 * nx + x]; }

    /// Separates two real rows a and b that were transformed as z = a + i b, from the modes of z and their mirror
    /// images.
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

    /// Inverse of load().
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
