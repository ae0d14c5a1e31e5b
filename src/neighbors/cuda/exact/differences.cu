// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda/exact/differences.cuh"

#include "distance/cuda/difference_tiles.cuh"

namespace dunlin::neighbors {

namespace {

using Tile = distance::DifferenceTile;
constexpr int tile = Tile::rows, chunk = Tile::chunk, threads = Tile::threads, per_thread = Tile::per_thread;

struct DifferenceTask {
    DifferenceFilter rows;
    float begin_length, factor;  ///< length = begin_length + factor * sum, a lower bound
    const float* limits;
    Index begin, end, tiles_per_strip;
    ListsView lists;
};

/// A thread's share of a chunk of row r, or zeros if r < 0. common: factor for every row instead of the row's own;
/// null: the row's own.
__device__ void load(const DeviceRows& rows, const double* common, Index r, Index column, Tile::Share& share) {
#pragma unroll
    for (Index c = 0; c < chunk / 2; ++c) {
        const Index at = column + Tile::half() + c;
        share[c] = r < 0 || at >= rows.cols ? 0.0F
                   : rows.scale == nullptr  ? rows.row(r)[at]
                   : common != nullptr      ? static_cast<float>(static_cast<double>(rows.row(r)[at]) * *common)
                                            : static_cast<float>(rows.value(r, at));
    }
}

/// Lists the rows within the queries' limits; with All every row, at its own position.
template <bool All>
__device__ void collect(const DifferenceTask& task, Index query, Index column, const Tile::Sums& sums) {
#pragma unroll
    for (int i = 0; i < per_thread; ++i) {
        const Index q = query + Tile::place_of(Tile::across(), i);
        if (q >= task.rows.count) continue;
        const float limit = All ? 0.0F : task.limits[q];
#pragma unroll
        for (int j = 0; j < per_thread; ++j) {
            const Index place = column + Tile::place_of(Tile::down(), j);
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
template <class Term, bool All>
__global__ void __launch_bounds__(threads) differences_kernel(DifferenceTask task) {
    __shared__ Tile::Panel queries, base;
    const DifferenceFilter& rows = task.rows;
    const Index query = static_cast<Index>(blockIdx.y) * tile;
    const auto row = static_cast<Index>(Tile::row());
    const Index q = query + row >= rows.count ? -1 : rows.which == nullptr ? query + row : rows.which[query + row];
    Index column = task.begin + static_cast<Index>(blockIdx.x) * task.tiles_per_strip * tile;
    for (Index t = 0; t < task.tiles_per_strip && column < task.end; ++t, column += tile) {
        const Index b = column + row >= task.end ? -1 : rows.items[column + row];
        Tile::Sums sums = {};
        Tile::Share of_queries, of_base;
        load(rows.queries, nullptr, q, 0, of_queries);
        load(rows.base, rows.base.least_scale, b, 0, of_base);
        for (Index c = 0; c < rows.base.cols; c += chunk) {
            __syncthreads();
            Tile::store(of_queries, queries);
            Tile::store(of_base, base);
            __syncthreads();
            load(rows.queries, nullptr, q, c + chunk, of_queries);
            load(rows.base, rows.base.least_scale, b, c + chunk, of_base);
            Tile::add<Term>(queries, base, sums);
        }
        collect<All>(task, query, column, sums);
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
    const auto kernel = products                               ? differences_kernel<distance::AddProduct, All>
                        : rows.base.sum == KeyTerm::magnitudes ? differences_kernel<distance::AddMagnitude, All>
                                                               : differences_kernel<distance::AddSquare, All>;
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
