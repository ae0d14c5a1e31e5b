// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/input/device_source.cuh"

/// Sums over the pairs of some rows with all items, on a GPU; on a CPU: for_each_tile (configuration.hpp). A thread
/// block takes tiles of 64 rows times 64 items, a thread 4 times 4 pairs. Up to 64 terms are added in float32, the rest
/// in double, in an order that depends on n and the number of all rows only.
namespace dunlin::mds {

constexpr int pair_tile = 64, pairs_per_thread = 4, tile_side = pair_tile / pairs_per_thread,
              tile_threads = tile_side * tile_side;

/// A map on the device and the rows to be summed.
struct PairSumInput {
    Items items;
    const float* weights;  ///< n rows of padded(n); null: 1
    const float* y;        ///< n x dim
    int dim;
    const Index* rows;  ///< null: 0, 1, ..
    Index row_count;
    Index first_row = 0;  ///< of several ranks: the first of row_count rows
    Index all_rows = 0;   ///< of all ranks; 0: row_count

    [[nodiscard]] __device__ Index row(Index r) const { return rows == nullptr ? first_row + r : rows[first_row + r]; }
};

namespace pair_sum_detail {

constexpr int staged = 16;  ///< columns of points in shared memory at a time

struct StagedColumns {
    float row[staged][pair_tile + 4], other[staged][pair_tile + 4];
};

/// Loads columns [first, first + staged) of 64 items, transposed; 0 for item -1 and beyond the last column.
__device__ inline void load_transposed(const Items& items, Index item, Index first, float (*to)[pair_tile + 4]) {
    const int slot = static_cast<int>(threadIdx.x) / 4, quad = static_cast<int>(threadIdx.x) % 4;
    float4 x{0, 0, 0, 0};
    if (item >= 0 && first + quad * 4 < items.stride) x = items.quads(item)[first / 4 + quad];
    to[quad * 4][slot] = x.x;
    to[quad * 4 + 1][slot] = x.y;
    to[quad * 4 + 2][slot] = x.z;
    to[quad * 4 + 3][slot] = x.w;
}

template <bool manhattan>
__device__ void add_columns(const StagedColumns& stage, int count, float (*sum)[pairs_per_thread]) {
    const int ty = static_cast<int>(threadIdx.x) / tile_side, tx = static_cast<int>(threadIdx.x) % tile_side;
    for (int c = 0; c < count; ++c) {
        const float4 a = *reinterpret_cast<const float4*>(&stage.row[c][ty * pairs_per_thread]);
        const float4 b = *reinterpret_cast<const float4*>(&stage.other[c][tx * pairs_per_thread]);
        const float x[pairs_per_thread] = {a.x, a.y, a.z, a.w}, y[pairs_per_thread] = {b.x, b.y, b.z, b.w};
#pragma unroll
        for (int r = 0; r < pairs_per_thread; ++r) {
#pragma unroll
            for (int k = 0; k < pairs_per_thread; ++k) {
                const float apart = x[r] - y[k];
                sum[r][k] += manhattan ? fabsf(apart) : apart * apart;
            }
        }
    }
}

/// delta of a tile of points; mine: the row that this thread loads into shared memory, or -1.
__device__ inline void tile_of_points(const Items& items, Index mine, Index begin, StagedColumns& stage,
                                      float (*delta)[pairs_per_thread]) {
    const Index other = begin + static_cast<Index>(threadIdx.x) / 4;
    for (Index first = 0; first < items.stride; first += staged) {
        __syncthreads();
        load_transposed(items, mine, first, stage.row);
        load_transposed(items, other < items.n ? other : -1, first, stage.other);
        __syncthreads();
        const int count = static_cast<int>(min(Index{staged}, items.stride - first));
        items.kind == DissimilarityKind::sum ? add_columns<true>(stage, count, delta)
                                             : add_columns<false>(stage, count, delta);
    }
#pragma unroll
    for (int r = 0; r < pairs_per_thread; ++r) {
#pragma unroll
        for (int k = 0; k < pairs_per_thread; ++k) delta[r][k] = dissimilarity(delta[r][k], items.kind, items.unit);
    }
}

/// Four entries of a row of a matrix; beyond its end: `none`.
__device__ inline void read_four(const float* row, Index stride, Index column, float none, float* to) {
    float4 x{none, none, none, none};
    if (row != nullptr && column < stride) x = *reinterpret_cast<const float4*>(row + column);
    to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w;
}

/// Coordinates of an item: in registers, or in memory if the dimension is not known at compile time. Those of item -1
/// are not used.
template <int Dim>
struct Coordinates {
    float at[Dim];
    __device__ static Coordinates of(const float* y, int, Index item) {
        Coordinates place;
        for (int c = 0; c < Dim; ++c) place.at[c] = y[Offset{max(item, 0)} * Dim + c];
        return place;
    }
};
template <>
struct Coordinates<0> {
    const float* at;
    __device__ static Coordinates of(const float* y, int dim, Index item) { return {y + Offset{max(item, 0)} * dim}; }
};

}  // namespace pair_sum_detail

/// Calls tally.add(sums, delta, w, d2, here, there) for pairs of a row and another item; sums: Tally::size floats of
/// that row; here, there: their coordinates. parts: (part, row, Tally::size), a part for each run of `columns` items.
/// Dim: of the map; 0: any. Matrix: dissimilarities are given. Two blocks per multiprocessor hide memory latency.
template <int Dim, bool Matrix, class Tally>
__global__ void __launch_bounds__(tile_threads, 2)
    pair_sum_kernel(PairSumInput m, Tally tally, Index columns, double* parts) {
    using namespace pair_sum_detail;
    constexpr int flush_every = 16;
    const int ty = static_cast<int>(threadIdx.x) / tile_side, tx = static_cast<int>(threadIdx.x) % tile_side;
    const int dim = Dim > 0 ? Dim : m.dim;
    const Index first_row = static_cast<Index>(blockIdx.x) * pair_tile,
                begin = static_cast<Index>(blockIdx.y) * columns;
    const Index end = min(m.items.n, begin + columns);
    const auto item_of = [&](Index r) { return r < m.row_count ? m.row(r) : -1; };
    const Index mine = item_of(first_row + static_cast<Index>(threadIdx.x) / 4);
    Index item[pairs_per_thread];
    Coordinates<Dim> here[pairs_per_thread], there[pairs_per_thread];
    for (int r = 0; r < pairs_per_thread; ++r) {
        item[r] = item_of(first_row + ty * pairs_per_thread + r);
        here[r] = Coordinates<Dim>::of(m.y, dim, item[r]);
    }

    float sums[pairs_per_thread][Tally::size] = {};
    double totals[pairs_per_thread][Tally::size] = {};
    int tiles = 0;
    for (Index first = begin; first < end; first += pair_tile) {
        const Index column = first + tx * pairs_per_thread;
        float delta[pairs_per_thread][pairs_per_thread] = {};
        if constexpr (Matrix) {
            for (int r = 0; r < pairs_per_thread; ++r)
                read_four(item[r] < 0 ? nullptr : m.items.row(item[r]), m.items.stride, column, NAN, delta[r]);
        } else {
            __shared__ StagedColumns stage;
            tile_of_points(m.items, mine, first, stage, delta);
        }
        for (int k = 0; k < pairs_per_thread; ++k)
            there[k] = Coordinates<Dim>::of(m.y, dim, column + k < end ? column + k : -1);
#pragma unroll
        for (int r = 0; r < pairs_per_thread; ++r) {
            float w[pairs_per_thread] = {1, 1, 1, 1};
            if (m.weights != nullptr) {
                const Index stride = padded(m.items.n);
                read_four(item[r] < 0 ? nullptr : m.weights + Offset{item[r]} * stride, stride, column, 0, w);
            }
#pragma unroll
            for (int k = 0; k < pairs_per_thread; ++k) {
                float d2 = 0;
                for (int c = 0; c < dim; ++c) d2 += (here[r].at[c] - there[k].at[c]) * (here[r].at[c] - there[k].at[c]);
                tally.add(sums[r], column + k < end ? delta[r][k] : NAN, w[k], d2, here[r].at, there[k].at);
            }
        }
        if (++tiles % flush_every != 0 && first + pair_tile < end) continue;
#pragma unroll
        for (int r = 0; r < pairs_per_thread; ++r) {
#pragma unroll
            for (int s = 0; s < Tally::size; ++s) {
                totals[r][s] += static_cast<double>(sums[r][s]);
                sums[r][s] = 0;
            }
        }
    }
    for (int r = 0; r < pairs_per_thread; ++r) {
        const Index row = first_row + ty * pairs_per_thread + r;
        for (int s = 0; s < Tally::size; ++s) {
            const double total = device::group_sum<tile_side>(totals[r][s]);
            if (tx == 0 && row < m.row_count) parts[(Offset{blockIdx.y} * m.row_count + row) * Tally::size + s] = total;
        }
    }
}

/// Adds the parts of a row in order.
template <int Size>
struct RowSums {
    const double* parts;
    Index row_count;
    int count;

    __device__ math::Vec<double, Size> operator[](Offset row) const {
        math::Vec<double, Size> sum;
        for (int part = 0; part < count; ++part) {
            for (int s = 0; s < Size; ++s) sum.at[s] += parts[(Offset{part} * row_count + row) * Size + s];
        }
        return sum;
    }
};

/// Sums tally over all pairs of each row. The sums are kept in `parts`, which grows as needed. Dim: m.dim, or 0.
template <int Dim, class Tally>
RowSums<Tally::size> sum_over_pairs(device::Cuda& cuda, const PairSumInput& m, const Tally& tally,
                                    device::CudaBuffer<double>& parts) {
    constexpr Index least_blocks = 1056;  // eight for each of the 132 multiprocessors of an H100
    const auto tiles_of = [](Index rows) { return (rows + pair_tile - 1) / pair_tile; };
    const Index row_tiles = tiles_of(m.row_count), column_tiles = tiles_of(m.items.n);
    const Index all_tiles = tiles_of(m.all_rows > 0 ? m.all_rows : m.row_count);
    const Index wanted = (least_blocks + all_tiles - 1) / all_tiles;
    const Index tiles_of_part = std::max<Index>(1, column_tiles / std::clamp<Index>(wanted, 1, 512));
    const Index count = (column_tiles + tiles_of_part - 1) / tiles_of_part;
    const auto size = static_cast<std::size_t>(Offset{count} * m.row_count * Tally::size);
    if (parts.size() < size) cuda.resize(parts, size);
    const bool matrix = m.items.kind == DissimilarityKind::given;
    const auto kernel = matrix ? pair_sum_kernel<Dim, true, Tally> : pair_sum_kernel<Dim, false, Tally>;
    kernel<<<dim3(static_cast<unsigned>(row_tiles), static_cast<unsigned>(count)), tile_threads, 0, cuda.stream()>>>(
        m, tally, tiles_of_part * pair_tile, parts.data());
    device::cuda_check(cudaGetLastError());
    return {parts.data(), m.row_count, count};
}

}  // namespace dunlin::mds
