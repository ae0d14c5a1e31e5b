// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/cuda/axis.cuh"

/// DeviceSystem systems a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] = d[i] without pivoting, for diagonally dominant rows
/// (a[0] and c[n-1] are not read as couplings).
///
/// Partition (Wang 1981; Polizzi and Sameh 2006): a thread owns `part` consecutive rows. It eliminates all but the
/// last, whose unknown is coupled to the last unknowns of the parts before and after: a system of n / part rows of the
/// same form, solved in the same way, until one block holds the rest. Then each thread finds its other unknowns from
/// the two last unknowns beside them. Every row is read twice and every unknown is written once.
///
/// Tiles: the influence of a row on an unknown falls with their distance. A block solves a tile with a halo as if
/// nothing were beyond it and bounds the influence of what is beyond on the unknowns that it writes. Every row is read
/// once, those of halos twice.
namespace dunlin::waves {

constexpr int part = 15;  ///< rows of a thread; odd, so that threads read shared memory without conflicts
constexpr int solve_threads = 128;
constexpr int tile_rows = part * solve_threads;

struct DeviceSystem {
    const double *a, *b, *c, *d;
    int n;
};

/// What is known of an unknown: constant + before (the last unknown of the part before) + after (that of this part).
struct PartUnknown {
    double constant, before, after;
};

/// Rows of a tile in shared memory.
struct TileRows {
    double *a, *b, *c, *d;

    __device__ explicit TileRows(double* shared) : a(shared), b(a + tile_rows), c(b + tile_rows), d(c + tile_rows) {}
};
constexpr int tile_bytes = 4 * tile_rows * static_cast<int>(sizeof(double));

/// Loads the rows low, low + 1, ...; rows beyond the ends are x = 0.
__device__ __forceinline__ void load_rows(const DeviceSystem& system, int low, const TileRows& rows) {
    for (int k = threadIdx.x; k < tile_rows; k += solve_threads) {
        const int i = low + k;
        if (i >= 0 && i < system.n) {
            copy_async(rows.a + k, system.a + i);
            copy_async(rows.b + k, system.b + i);
            copy_async(rows.c + k, system.c + i);
            copy_async(rows.d + k, system.d + i);
        } else {
            rows.a[k] = rows.c[k] = rows.d[k] = 0;
            rows.b[k] = 1;
        }
    }
    wait_for_copies();
    __syncthreads();
    if (threadIdx.x == 0) {
        if (low <= 0 && -low < tile_rows) rows.a[-low] = 0;
        if (system.n - 1 - low >= 0 && system.n - 1 - low < tile_rows) rows.c[system.n - 1 - low] = 0;
    }
    __syncthreads();
}

/// Eliminates downwards the rows of a part but the last: x[k] = d[k] - a[k] before - c[k] x[k+1] from then on. Returns
/// the unknown before the last in terms of the last.
__device__ __forceinline__ PartUnknown eliminate_down(const TileRows& rows, int first) {
    double before = -1, c = 0, d = 0;  // of the row above: x[k-1] = d - before' L - c x[k]; at first x[-1] = L
#pragma unroll
    for (int k = 0; k < part - 1; ++k) {
        const int i = first + k;
        const double a = rows.a[i], scale = 1 / __fma_rn(-a, c, rows.b[i]);
        d = __fma_rn(-a, d, rows.d[i]) * scale;
        before = -a * before * scale;
        c = rows.c[i] * scale;
        rows.a[i] = before;
        rows.c[i] = c;
        rows.d[i] = d;
    }
    return {d, -before, -c};
}

/// From eliminated rows: the first unknown of a part.
__device__ __forceinline__ PartUnknown first_unknown(const TileRows& rows, int first) {
    PartUnknown x{0, 0, 1};
#pragma unroll
    for (int k = part - 2; k >= 0; --k) {
        const int i = first + k;
        const double c = rows.c[i];
        x = {__fma_rn(-c, x.constant, rows.d[i]), __fma_rn(-c, x.before, -rows.a[i]), -c * x.after};
    }
    return x;
}

/// Row of the reduced system.
struct ReducedRow {
    double a, b, c, d;
};

/// The reduced row of this thread's part; that of a tile's last part lacks the part after it.
__device__ __forceinline__ ReducedRow reduce_part(const TileRows& rows, int first, PartUnknown* exchange) {
    const PartUnknown above = eliminate_down(rows, first);
    exchange[threadIdx.x] = first_unknown(rows, first);
    __syncthreads();
    const int last = first + part - 1;
    const PartUnknown below = threadIdx.x + 1 < solve_threads ? exchange[threadIdx.x + 1] : PartUnknown{0, 0, 0};
    const double a = rows.a[last], c = rows.c[last];
    return {a * above.before, __fma_rn(c, below.before, __fma_rn(a, above.after, rows.b[last])), c * below.after,
            __fma_rn(-c, below.constant, __fma_rn(-a, above.constant, rows.d[last]))};
}

/// From eliminated rows and the last unknowns before and of this part: the others, written over d.
__device__ __forceinline__ void solve_part(const TileRows& rows, int first, double before, double last) {
    double x = last;
    rows.d[first + part - 1] = x;
#pragma unroll
    for (int k = part - 2; k >= 0; --k) {
        const int i = first + k;
        x = __fma_rn(-rows.c[i], x, __fma_rn(-rows.a[i], before, rows.d[i]));
        rows.d[i] = x;
    }
}

/// Number of rows of the reduced system, and of the tiles that make it: neighboring tiles share a part.
constexpr int reduced_size(int n) { return (n + part - 1) / part; }
constexpr int reduced_tiles(int n) { return (reduced_size(n) + solve_threads - 2) / (solve_threads - 1); }

struct Reduced {
    double *a, *b, *c, *d;
};

__global__ void __launch_bounds__(solve_threads, 3) reduce_rows(const DeviceSystem system, const Reduced reduced) {
    __shared__ PartUnknown exchange[solve_threads];
    const TileRows rows(launch_memory());
    const int number = static_cast<int>(blockIdx.x) * (solve_threads - 1);
    load_rows(system, number * part, rows);
    const ReducedRow row = reduce_part(rows, static_cast<int>(threadIdx.x) * part, exchange);
    const int p = number + static_cast<int>(threadIdx.x);
    if (threadIdx.x == solve_threads - 1 || p >= (system.n + part - 1) / part) return;
    reduced.a[p] = row.a;
    reduced.b[p] = row.b;
    reduced.c[p] = row.c;
    reduced.d[p] = row.d;
}

/// x of all rows from the last unknowns of all parts.
__global__ void __launch_bounds__(solve_threads, 3)
    expand_rows(const DeviceSystem system, const double* __restrict__ last_unknowns, double* __restrict__ x) {
    const TileRows rows(launch_memory());
    const int low = static_cast<int>(blockIdx.x) * tile_rows, first = static_cast<int>(threadIdx.x) * part;
    const int p = static_cast<int>(blockIdx.x) * solve_threads + static_cast<int>(threadIdx.x);
    const int parts = (system.n + part - 1) / part;
    const double before = p > 0 && p < parts ? last_unknowns[p - 1] : 0, last = p < parts ? last_unknowns[p] : 0;
    load_rows(system, low, rows);
    eliminate_down(rows, first);
    solve_part(rows, first, before, last);
    __syncthreads();
    const int count = min(tile_rows, system.n - low);
    for (int k = threadIdx.x; k < count; k += solve_threads) x[low + k] = rows.d[k];
}

/// Solves the reduced rows of a block's threads by parallel cyclic reduction; beyond the block nothing is coupled.
__device__ __forceinline__ double solve_reduced(ReducedRow row, ReducedRow* exchange) {
    const int t = static_cast<int>(threadIdx.x);
    double scale = 1 / row.b;
    ReducedRow own{row.a * scale, 1, row.c * scale, row.d * scale};  // b is 1 from then on
#pragma unroll 1
    for (int distance = 1; distance < solve_threads; distance *= 2) {
        __syncthreads();
        exchange[t] = own;
        __syncthreads();
        const ReducedRow none{0, 1, 0, 0};
        const ReducedRow above = t >= distance ? exchange[t - distance] : none;
        const ReducedRow below = t + distance < solve_threads ? exchange[t + distance] : none;
        scale = 1 / __fma_rn(-own.a, above.c, __fma_rn(-own.c, below.a, 1));
        own.d = __fma_rn(-own.a, above.d, __fma_rn(-own.c, below.d, own.d)) * scale;
        own.a = -own.a * above.a * scale;
        own.c = -own.c * below.c * scale;
    }
    return own.d;
}

/// Solves a tile whose rows are in shared memory: its unknowns are written over d.
__device__ __forceinline__ void solve_tile(const TileRows& rows, PartUnknown* affine, ReducedRow* exchange,
                                           const ReducedRow& reduced) {
    const int t = static_cast<int>(threadIdx.x);
    const double last = solve_reduced(reduced, exchange);
    affine[t].constant = last;  // after the barriers of solve_reduced no thread reads the old values
    __syncthreads();
    solve_part(rows, t * part, t > 0 ? affine[t - 1].constant : 0, last);
    __syncthreads();
}

/// A system that fits into one block.
__global__ void __launch_bounds__(solve_threads) solve_block(const DeviceSystem system, double* x) {
    __shared__ PartUnknown affine[solve_threads];
    __shared__ ReducedRow exchange[solve_threads];
    const TileRows rows(launch_memory());
    load_rows(system, 0, rows);
    const ReducedRow reduced = reduce_part(rows, static_cast<int>(threadIdx.x) * part, affine);
    solve_tile(rows, affine, exchange, reduced);
    for (int k = threadIdx.x; k < system.n; k += solve_threads) x[k] = rows.d[k];
}

/// Tiles with a halo of `halo_parts` parts at each side. `influence`: the largest share, over all tiles, of a value
/// beyond a halo that reaches an unknown which is written, as the bits of a double (rows in which |a| + |c| < |b|).
__global__ void __launch_bounds__(solve_threads, 3)
    solve_tiles(const DeviceSystem system, int halo_parts, double* __restrict__ x, unsigned long long* influence) {
    __shared__ PartUnknown affine[solve_threads];
    __shared__ ReducedRow exchange[solve_threads];
    const TileRows rows(launch_memory());
    const int t = static_cast<int>(threadIdx.x);
    const int written = (solve_threads - 2 * halo_parts) * part;
    const int begin = static_cast<int>(blockIdx.x) * written, low = begin - halo_parts * part;
    load_rows(system, low, rows);
    const ReducedRow reduced = reduce_part(rows, t * part, affine);

    // In a part of the halo |last unknown| <= share |the one before|, because beyond it the influence only falls.
    const double down = fabs(reduced.a) / (fabs(reduced.b) - fabs(reduced.c));
    const double up = fabs(reduced.c) / (fabs(reduced.b) - fabs(reduced.a));
    const double share = t < halo_parts ? down : up;
    exchange[t].d = t == solve_threads - 1 ? 1 : share;  // the last part lacks what follows it
    __syncthreads();
    if (t < 2) {
        double product_of_shares = 1;
        for (int k = 0; k < halo_parts; ++k) product_of_shares *= exchange[t == 0 ? k : solve_threads - 1 - k].d;
        const bool is_end = t == 0 ? low <= 0 : low + tile_rows >= system.n;
        if (!is_end) {
            const double reached =
                product_of_shares >= 0 ? product_of_shares : INFINITY;  // NaN, negative: not dominant
            atomicMax(influence, static_cast<unsigned long long>(__double_as_longlong(reached)));
        }
    }
    solve_tile(rows, affine, exchange, reduced);
    const int count = min(written, system.n - begin);
    for (int k = t; k < count; k += solve_threads) x[begin + k] = rows.d[halo_parts * part + k];
}

}  // namespace dunlin::waves
