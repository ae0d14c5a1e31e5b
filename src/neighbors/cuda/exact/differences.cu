// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/exact/differences.cuh"

namespace dunlin::neighbors {

namespace {

constexpr int tile = 128, chunk = 16, threads = 256, per_thread = 8;
constexpr int padded_tile = tile + 4;  ///< columns start in different banks

struct DifferenceTask {
    DifferenceFilter rows;
    float begin_length, factor;  ///< length = begin_length + factor * sum, a lower bound
    const float* limits;
    Index begin, end, tiles_per_strip;
    ListsView lists;
};

/// A chunk of columns of a tile's rows, column-major.
using Panel = float[chunk][padded_tile];

/// A thread's share of a chunk: half of a row.
struct Brought {
    float values[chunk / 2];

    /// Row r of rows, or zeros if r < 0. common: factor for every row instead of the row's own; null: the row's own.
    __device__ void load(const DeviceRows& rows, const double* common, Index r, Index column) {
        const auto half = static_cast<Index>(threadIdx.x % 2) * (chunk / 2);
#pragma unroll
        for (Index c = 0; c < chunk / 2; ++c) {
            const Index at = column + half + c;
            values[c] = r < 0 || at >= rows.cols ? 0.0F
                        : rows.scale == nullptr  ? rows.row(r)[at]
                        : common != nullptr      ? static_cast<float>(static_cast<double>(rows.row(r)[at]) * *common)
                                                 : static_cast<float>(rows.value(r, at));
        }
    }
    __device__ void store(Panel& panel) const {
        const int half = static_cast<int>(threadIdx.x % 2) * (chunk / 2), row = static_cast<int>(threadIdx.x / 2);
#pragma unroll
        for (int c = 0; c < chunk / 2; ++c) panel[half + c][row] = values[c];
    }
};

/// Rows or columns of a thread in the tile: fours, half a tile apart.
__device__ int place_of(int thread, int i) { return thread * 4 + i % 4 + i / 4 * (tile / 2); }

__device__ void take(const float* column, int thread, float (&out)[per_thread]) {
#pragma unroll
    for (int part = 0; part < 2; ++part) {
        const float4 four = *reinterpret_cast<const float4*>(column + thread * 4 + part * (tile / 2));
        out[4 * part] = four.x;
        out[4 * part + 1] = four.y;
        out[4 * part + 2] = four.z;
        out[4 * part + 3] = four.w;
    }
}

using Sums = float[per_thread][per_thread];

template <KeyTerm Of>
__device__ void add(const Panel& queries, const Panel& base, int across, int down, Sums& sums) {
#pragma unroll
    for (int c = 0; c < chunk; ++c) {
        float x[per_thread], y[per_thread];
        take(queries[c], across, x);
        take(base[c], down, y);
#pragma unroll
        for (int i = 0; i < per_thread; ++i) {
#pragma unroll
            for (int j = 0; j < per_thread; ++j) {
                const float difference = x[i] - y[j];
                if (Of == KeyTerm::products) sums[i][j] = fmaf(x[i], y[j], sums[i][j]);
                if (Of == KeyTerm::magnitudes) sums[i][j] += fabsf(difference);
                if (Of == KeyTerm::squares) sums[i][j] = fmaf(difference, difference, sums[i][j]);
            }
        }
    }
}

/// Lists the rows within the queries' limits; with All every row, at its own position.
template <bool All>
__device__ void collect(const DifferenceTask& task, Index query, Index column, int across, int down, const Sums& sums) {
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
        const Index q = query + place_of(across, i);
        if (q >= task.rows.count) continue;
        const float limit = All ? 0.0F : task.limits[q];
#pragma unroll
        for (int j = 0; j < per_thread; ++j) {
            const Index place = column + place_of(down, j);
            const float length = fmaf(sums[i][j], task.factor, task.begin_length);
            if (place >= task.end || (!All && !(length <= limit))) continue;
            const Entry entry = entry_of(length, task.rows.items[place]);
            if (All) {
                task.lists.entries[Offset{q} * task.lists.capacity + place] = entry;
            } else {
                task.lists.append(q, entry);
            }
        }
    }
}

/// Block (s, t): queries of tile t against strip s of the base.
template <KeyTerm Of, bool All>
__global__ void __launch_bounds__(threads) differences_kernel(DifferenceTask task) {
    __shared__ Panel queries, base;
    const DifferenceFilter& rows = task.rows;
    const Index query = static_cast<Index>(blockIdx.y) * tile;
    const auto row = static_cast<Index>(threadIdx.x / 2);
    const int across = static_cast<int>(threadIdx.x % 16), down = static_cast<int>(threadIdx.x / 16);
    const Index q = query + row >= rows.count ? -1 : rows.which == nullptr ? query + row : rows.which[query + row];
    Index column = task.begin + static_cast<Index>(blockIdx.x) * task.tiles_per_strip * tile;
    for (Index t = 0; t < task.tiles_per_strip && column < task.end; ++t, column += tile) {
        const Index b = column + row >= task.end ? -1 : rows.items[column + row];
        Sums sums = {};
        Brought of_queries, of_base;
        of_queries.load(rows.queries, nullptr, q, 0);
        of_base.load(rows.base, rows.base.least_scale, b, 0);
        for (Index c = 0; c < rows.base.cols; c += chunk) {
            __syncthreads();
            of_queries.store(queries);
            of_base.store(base);
            __syncthreads();
            of_queries.load(rows.queries, nullptr, q, c + chunk);
            of_base.load(rows.base, rows.base.least_scale, b, c + chunk);
            add<Of>(queries, base, across, down, sums);
        }
        collect<All>(task, query, column, across, down, sums);
    }
}

template <bool All>
void run(device::Cuda& cuda, const DifferenceFilter& rows, const float* limits, Index begin, Index end,
         const CandidateLists& lists) {
    if (begin >= end || rows.count == 0) return;
    const Index tiles = (end - begin + tile - 1) / tile, across = (rows.count + tile - 1) / tile;
    const Index strips = std::min(tiles, std::max<Index>(1, 16 * cuda.multiprocessors() / across));
    const Index per_strip = (tiles + strips - 1) / strips;
    const Measure measure = measure_of(rows);
    const bool products = rows.base.sum == KeyTerm::products;
    const auto begin_length = static_cast<float>(products ? 1 - measure.error / 2 : 0),
               factor = static_cast<float>(products ? -1 : 1 - measure.shortened);
    const DifferenceTask task{rows, begin_length, factor, limits, begin, end, per_strip, lists.view()};
    const dim3 grid(static_cast<unsigned>((tiles + per_strip - 1) / per_strip), static_cast<unsigned>(across));
    const auto kernel = products                               ? differences_kernel<KeyTerm::products, All>
                        : rows.base.sum == KeyTerm::magnitudes ? differences_kernel<KeyTerm::magnitudes, All>
                                                               : differences_kernel<KeyTerm::squares, All>;
    kernel<<<grid, threads, 0, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

}  // namespace

Measure measure_of(const DifferenceFilter& filter) {
    // Each difference, square and sum is rounded; unit rows were rounded before
    const double shortened = (static_cast<double>(filter.base.cols) + 8) * 0x1p-23;
    if (filter.base.sum == KeyTerm::products) return {.absolute = true, .error = 2 * shortened};
    return {.absolute = filter.base.sum == KeyTerm::magnitudes,
            .scale = 1,
            .shortened = shortened,
            .error = filter.base.scale == nullptr ? 0 : 0x1p-22};
}

void filter_candidates(device::Cuda& cuda, const DifferenceFilter& rows, const float* limits, Index begin, Index end,
                       const CandidateLists& lists) {
    run<false>(cuda, rows, limits, begin, end, lists);
}

void list_all(device::Cuda& cuda, const DifferenceFilter& rows, Index end, const CandidateLists& lists) {
    run<true>(cuda, rows, nullptr, 0, end, lists);
}

}  // namespace dunlin::neighbors
