// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distance/cuda/tile_products_hopper.cuh"
#include "kmeans/cuda/score_task.cuh"

/// Shared memory of the wgmma kernel of k-means and the producer that fills it. Only for sm_90a.
namespace dunlin::kmeans::hopper {

using distance::half_chunk;
using distance::RingCursor;
using distance::warpgroup;

constexpr int row_slots = 4, stages = 5;  ///< chunks in shared memory: of rows, of centroids
constexpr int most_chunks = 4;
static_assert(most_chunks <= row_slots && most_chunks < stages);
constexpr int multipliers = row_tile / 64;  ///< warpgroups that multiply, 64 rows each; one more copies
constexpr int threads = warpgroup * (multipliers + 1);
constexpr int thread_rows = 2, halves = 2;  ///< of a warpgroup's rows; of a tile of centroids

struct SharedTiles {
    __half rows[row_slots][row_tile * half_chunk];
    __half centroids[stages][score_tile * half_chunk];
    float biases[stages][score_tile];  ///< with the first chunk of a tile
    distance::ChunkRing<row_slots> row_ring;
    distance::ChunkRing<stages> centroid_ring;
    distance::Barrier order[multipliers];  ///< opens for the warpgroup that multiplies next
};

struct ScoreMaps {
    CUtensorMap rows, centroids;
};

__device__ inline Index tiles_of(const ScoreTask& task) { return (task.clusters + score_tile - 1) / score_tile; }

/// Tiles of rows and tiles of centroids of a block. The rows whose candidates are collected may be few: several blocks
/// then share the centroids of a tile of rows.
template <bool Collects>
class BlockWork {
public:
    __device__ BlockWork(const ScoreTask& task, Offset rows) : each_(tiles_of(task)) {
        if constexpr (!Collects) return;
        const Offset tiles = (rows + row_tile - 1) / row_tile;
        const auto sharers = static_cast<Index>(max(Offset{1}, Offset{gridDim.x} / max(tiles, Offset{1})));
        each_ = (tiles_of(task) + sharers - 1) / sharers;
        shares_ = (tiles_of(task) + each_ - 1) / each_;
    }
    __device__ void next() { item_ += gridDim.x; }

    [[nodiscard]] __device__ Offset row() const { return (Collects ? item_ / shares_ : item_) * row_tile; }
    [[nodiscard]] __device__ Index begin() const { return Collects ? static_cast<Index>(item_ % shares_) * each_ : 0; }
    [[nodiscard]] __device__ Index end(const ScoreTask& task) const { return min(begin() + each_, tiles_of(task)); }

private:
    Offset item_ = blockIdx.x;
    Index each_, shares_ = 1;  ///< tiles of centroids; blocks that share a tile of rows
};

/// Copies rows and centroids to shared memory: one thread, or all of a warpgroup where rows are gathered.
template <bool Collects>
class ScoreProducer {
public:
    __device__ ScoreProducer(const ScoreTask& task, const ScoreMaps& maps, SharedTiles& shared, Offset rows)
        : task_(task), maps_(maps), shared_(shared), rows_(rows) {}

    __device__ void run() {
        for (BlockWork<Collects> work(task_, rows_); work.row() < rows_; work.next()) {
            for (Index tile = work.begin(); tile < work.end(task_); ++tile) {
                for (Index column = 0; column < task_.width; column += half_chunk) {
                    if (tile == work.begin()) fill_rows(work.row(), column);
                    if (threadIdx.x == 0) fill_centroids(tile, column);
                    at_.next();
                }
            }
        }
    }

private:
    static constexpr int warp_rows = row_tile / (warpgroup / 32);

    __device__ void fill_rows(Offset row, Index column) {
        if (Collects && column == 0) find_rows(row);
        shared_.row_ring.wait_empty(row_at_);
        __half* to = shared_.rows[row_at_.slot];
        if constexpr (Collects) {
            gather(to, column);
            distance::arrive(shared_.row_ring.full[row_at_.slot]);
        } else {
            distance::Barrier& full = shared_.row_ring.begin_fill(row_at_, sizeof(shared_.rows[0]));
            distance::copy_box(to, maps_.rows, column, static_cast<Index>(row), full);
        }
        row_at_.next();
    }

    /// Undecided rows are scattered. A warp copies 64 of a tile; each lane has the numbers of two of them.
    __device__ void find_rows(Offset row) {
        const Offset first = row + static_cast<Offset>(threadIdx.x / 32 * warp_rows + threadIdx.x % 32);
#pragma unroll
        for (int i = 0; i < 2; ++i) gathered_[i] = task_.undecided[task_.unlisted[min(first + 32 * i, rows_ - 1)]];
    }
    __device__ void gather(__half* to, Index column) {
        const int lane = static_cast<int>(threadIdx.x % 32), part = lane % distance::chunk_parts;
#pragma unroll
        for (int i = 0; i < warp_rows; i += 32 / distance::chunk_parts) {
            const Offset from = __shfl_sync(~0U, gathered_[i / 32], i % 32 + lane / distance::chunk_parts);
            const int row = static_cast<int>(threadIdx.x / 32) * warp_rows + i + lane / distance::chunk_parts;
            distance::copy_16(to + distance::swizzled(row, part), task_.rows + from * task_.width + column + part * 8);
        }
        distance::end_copies();
        distance::wait_for_copies<0>();
        distance::publish_writes();
    }

    __device__ void fill_centroids(Index tile, Index column) {
        const int slot = at_.slot;
        shared_.centroid_ring.wait_empty(at_);
        const std::size_t of_biases = column == 0 ? sizeof(shared_.biases[0]) : 0;
        distance::Barrier& full = shared_.centroid_ring.begin_fill(at_, sizeof(shared_.centroids[0]) + of_biases);
        distance::copy_box(shared_.centroids[slot], maps_.centroids, column, tile * score_tile, full);
        if (column != 0) return;
        distance::copy_bytes(shared_.biases[slot], task_.biases + Offset{tile} * score_tile, sizeof(shared_.biases[0]),
                             full);
    }

    const ScoreTask& task_;
    const ScoreMaps& maps_;
    SharedTiles& shared_;
    Offset rows_;
    RingCursor<row_slots> row_at_;
    RingCursor<stages> at_;
    Index gathered_[2];
};

}  // namespace dunlin::kmeans::hopper
