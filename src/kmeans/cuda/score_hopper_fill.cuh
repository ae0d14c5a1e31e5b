// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distance/cuda/wgmma.cuh"
#include "kmeans/cuda/score_task.cuh"

/// How rows and centroids come to where warpgroups multiply them. Only for sm_90a.
namespace dunlin::kmeans::hopper {

using distance::arrive;
using distance::Barrier;
using distance::Turn;
using distance::wait_for;

constexpr int row_slots = 4, stages = 5;  ///< chunks of a tile of rows, of centroids, in shared memory
constexpr int most_chunks = 4;
static_assert(most_chunks <= row_slots && most_chunks < stages);
constexpr int group = 128;                  ///< threads of a warpgroup
constexpr int multipliers = row_tile / 64;  ///< warpgroups that multiply, 64 rows each; one more copies
constexpr int threads = group * (multipliers + 1);
constexpr int thread_rows = 2, halves = 2;  ///< of a warpgroup's rows; of a tile of centroids

struct Shared {
    __half rows[row_slots][row_tile * chunk];
    __half centroids[stages][score_tile * chunk];
    float biases[stages][score_tile];  ///< with the first chunk of a tile
    Barrier rows_full[row_slots], rows_empty[row_slots], full[stages], empty[stages];
    Barrier order[multipliers];  ///< whose turn it is to multiply
};
constexpr std::size_t alignment = 1024;  ///< of swizzled rows
constexpr std::size_t shared_bytes = sizeof(Shared) + alignment;

struct Maps {
    CUtensorMap rows, centroids;
};

__device__ inline Index tiles_of(const ScoreTask& task) { return (task.clusters + score_tile - 1) / score_tile; }

/// Which rows a block scores against which tiles of centroids. Those whose candidates are collected may be few: blocks
/// share the centroids of a tile of rows then.
template <bool Collects>
class Work {
public:
    __device__ Work(const ScoreTask& task, Offset rows) : each_(tiles_of(task)) {
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

/// The fillers: one thread, or where rows are gathered all of a warpgroup.
template <bool Collects>
class Filler {
public:
    __device__ Filler(const ScoreTask& task, const Maps& maps, Shared& shared, Offset rows)
        : task_(task), maps_(maps), shared_(shared), rows_(rows) {}

    __device__ void run() {
        for (Work<Collects> work(task_, rows_); work.row() < rows_; work.next()) {
            for (Index tile = work.begin(); tile < work.end(task_); ++tile) {
                for (Index column = 0; column < task_.width; column += chunk) {
                    if (tile == work.begin()) fill_rows(work.row(), column);
                    if (threadIdx.x == 0) fill_centroids(tile, column);
                    turn_.next();
                }
            }
        }
    }

private:
    static constexpr int warp_rows = row_tile / (group / 32);

    __device__ void fill_rows(Offset row, Index column) {
        const int slot = row_turn_.slot;
        if (Collects && column == 0) find_rows(row);
        wait_for(shared_.rows_empty[slot], row_turn_.parity ^ 1);
        if constexpr (Collects) {
            gather(shared_.rows[slot], column);
            arrive(shared_.rows_full[slot]);
        } else {
            distance::arrive_expecting(shared_.rows_full[slot], sizeof(shared_.rows[0]));
            distance::copy_box(shared_.rows[slot], maps_.rows, column, static_cast<Index>(row),
                               shared_.rows_full[slot]);
        }
        row_turn_.next();
    }

    /// Undecided rows lie anywhere. A warp brings 64 of a tile's; each lane knows where two of them are.
    __device__ void find_rows(Offset row) {
        const Offset first = row + static_cast<Offset>(threadIdx.x / 32 * warp_rows + threadIdx.x % 32);
#pragma unroll
        for (int i = 0; i < 2; ++i) at_[i] = task_.undecided[task_.unlisted[min(first + 32 * i, rows_ - 1)]];
    }
    __device__ void gather(__half* to, Index column) {
        const int lane = static_cast<int>(threadIdx.x % 32), part = lane % parts;
#pragma unroll
        for (int i = 0; i < warp_rows; i += 32 / parts) {
            const Offset from = __shfl_sync(~0U, at_[i / 32], i % 32 + lane / parts);
            const int row = static_cast<int>(threadIdx.x / 32) * warp_rows + i + lane / parts;
            distance::copy_16(to + place(row, part), task_.rows + from * task_.width + column + part * 8);
        }
        distance::end_copies();
        distance::wait_for_copies<0>();
        distance::publish_writes();
    }

    __device__ void fill_centroids(Index tile, Index column) {
        const int slot = turn_.slot;
        wait_for(shared_.empty[slot], turn_.parity ^ 1);
        const std::size_t of_biases = column == 0 ? sizeof(shared_.biases[0]) : 0;
        distance::arrive_expecting(shared_.full[slot],
                                   static_cast<std::uint32_t>(sizeof(shared_.centroids[0]) + of_biases));
        distance::copy_box(shared_.centroids[slot], maps_.centroids, column, tile * score_tile, shared_.full[slot]);
        if (column != 0) return;
        distance::copy_bytes(shared_.biases[slot], task_.biases + Offset{tile} * score_tile, sizeof(shared_.biases[0]),
                             shared_.full[slot]);
    }

    const ScoreTask& task_;
    const Maps& maps_;
    Shared& shared_;
    Offset rows_;
    Turn<row_slots> row_turn_;
    Turn<stages> turn_;
    Index at_[2];  ///< gathered rows
};

}  // namespace dunlin::kmeans::hopper
