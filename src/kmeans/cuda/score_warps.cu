// SPDX-License-Identifier: Apache-2.0
#include "distance/cuda/tile_products.cuh"
#include "kmeans/cuda/score_task.cuh"

namespace dunlin::kmeans {

namespace {

using distance::column_in_row;
using distance::TileCursor;
using Tile = distance::WarpTile<32>;
static_assert(row_tile % Tile::a_rows == 0 && score_tile == Tile::b_rows);
constexpr int thread_rows = 2 * Tile::row_blocks;

/// Products of a warp, rows by centroids; a thread has 16 of each of its rows.
using Scores = Tile::Sums;

/// Row r of a thread in the warp's part of a tile, and its score number i.
__device__ int row_of(int r) { return r / 2 * 16 + distance::product_row(r % 2 * 2); }
__device__ float& score_of(Scores& scores, int r, int i) { return scores[r / 2][i / 2 * 4 + r % 2 * 2 + i % 2]; }

/// What the two warps that share rows exchange, for each row of a tile.
struct WarpResults {
    float best[Tile::warps_across][Tile::a_rows], second[Tile::warps_across][Tile::a_rows];
    float lower_bound[Tile::warps_across][Tile::a_rows];
    Index label[Tile::warps_across][Tile::a_rows];
};

/// Scores begin at -|c|^2 / 2.
__device__ void begin_scores(const float* biases, Scores& scores) {
#pragma unroll
    for (int j = 0; j < Tile::column_blocks; ++j) {
        const float2 bias = __ldg(reinterpret_cast<const float2*>(biases + 8 * j) + threadIdx.x % 4);
#pragma unroll
        for (int i = 0; i < Tile::row_blocks; ++i) {
            scores[i][4 * j] = scores[i][4 * j + 2] = bias.x;
            scores[i][4 * j + 1] = scores[i][4 * j + 3] = bias.y;
        }
    }
}

/// Turns the scores of a thread's row r into upper bounds and returns the largest lower bound. A score whose bound
/// overflowed becomes larger than all others and has no lower bound.
__device__ float to_upper_bounds(const ScoreTask& task, Offset row, Index first_column, int r, Scores& scores) {
    const float error = task.errors[row], length = task.lengths[row];
    float lower_bound = -INFINITY;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        const Index k = first_column + column_in_row(i);
        const float off = score_error(error, length, task.centroid_errors[k], task.centroid_lengths[k], task.slack);
        float& score = score_of(scores, r, i);
        const bool counts = off <= 1e30F;
        if (counts) lower_bound = fmaxf(lower_bound, score - off);
        score = counts ? score + off : 3e38F;
    }
    return lower_bound;
}

/// For each row of a thread the two largest upper bounds of its scores, and the largest lower bound.
struct ThreadBestTwo {
    float first[thread_rows], second[thread_rows], lower_bound[thread_rows];
    std::uint32_t tiles[thread_rows / 2];  ///< of the first, 16 bits each

    __device__ void clear() {
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) first[r] = second[r] = lower_bound[r] = -INFINITY, tiles[r / 2] = 0;
    }
    __device__ Index tile(int r) const { return static_cast<Index>(tiles[r / 2] >> r % 2 * 16 & 0xffff); }

    __device__ void update(const ScoreTask& task, Scores& scores, Index now) {
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            const auto score = [&](int i) { return score_of(scores, r, i); };
            const std::uint32_t moved = static_cast<std::uint32_t>(now) << r % 2 * 16;
            if (update_best_two(task, first[r], second[r], score)) {
                tiles[r / 2] = (tiles[r / 2] & (r % 2 == 0 ? 0xffff0000U : 0xffffU)) | moved;
            }
        }
    }

    /// Joins the lanes that share a row and writes the warp's results to shared memory.
    __device__ void publish(WarpResults& results) const {
        const int lane = static_cast<int>(threadIdx.x % 32), across = Tile::column() / Tile::warp_columns;
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            float best = first[r], next = second[r], bound = lower_bound[r];
            Index label = tile(r) * score_tile + Tile::column() + column_in_row(number_of(best));
#pragma unroll
            for (int lanes = 1; lanes < 4; lanes *= 2) {
                const float other = __shfl_xor_sync(~0U, best, lanes), after = __shfl_xor_sync(~0U, next, lanes);
                join(best, next, label, other, after, __shfl_xor_sync(~0U, label, lanes));
                bound = fmaxf(bound, __shfl_xor_sync(~0U, bound, lanes));
            }
            if (lane % 4 != 0) continue;
            const int row = Tile::row() + row_of(r);
            results.best[across][row] = best;
            results.second[across][row] = next;
            results.lower_bound[across][row] = bound;
            results.label[across][row] = label;
        }
    }
};

/// Labels row i of the tile, or lists it; by thread i.
__device__ void label_row(const ScoreTask& task, Offset first_row, const WarpResults& results) {
    const int i = static_cast<int>(threadIdx.x);
    const Offset row = first_row + i;
    if (i >= Tile::a_rows || row >= task.n) return;
    float best = results.best[0][i], second = results.second[0][i];
    Index label = results.label[0][i];
    join(best, second, label, results.best[1][i], results.second[1][i], results.label[1][i]);
    task.labels[row] = label;
    const float lower_bound = fmaxf(results.lower_bound[0][i], results.lower_bound[1][i]);
    if (!(second < lower_bound)) list_row(task, row, lower_bound, 0);
}

/// Finds the best two centroids of rows [0, rows). Collects: the rows are the undecided ones without candidates, and
/// centroids that reach their thresholds are listed.
template <bool Collects>
class BestTwoConsumer {
public:
    static constexpr bool sums_chunks = true;

    __device__ BestTwoConsumer(const ScoreTask& task, Offset rows, WarpResults& results)
        : task_(task), rows_(rows), results_(results) {}

    __device__ void copy_a(__half* to, const TileCursor& at) {
        if constexpr (Collects) {
            if (at.column == 0) find_rows(at.row);
            distance::copy_chunk<Tile::a_rows>(
                to, [&](int i) { return task_.rows + Offset{listed_[i]} * task_.width + at.column; });
        } else {
            distance::copy_chunk<Tile::a_rows>(to, task_.rows + at.row * task_.width + at.column, task_.width);
        }
    }
    __device__ void copy_b(__half* to, const TileCursor& at) {
        distance::copy_chunk<score_tile>(to, task_.centroids + Offset{at.tile} * score_tile * task_.width + at.column,
                                         task_.width);
    }

    __device__ void begin(const TileCursor& at, Scores& scores) {
        if (at.tile == 0) best_.clear();
        begin_scores(task_.biases + at.tile * score_tile + Tile::column(), scores);
    }

    __device__ void take(const TileCursor& at, const TileCursor& next, Scores& scores) {
        const Index first_column = at.tile * score_tile + Tile::column();
        const Offset first_row = at.row + Tile::row();
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            const Offset i = min(first_row + row_of(r), rows_ - 1);
            const Offset row = Collects ? Offset{task_.undecided[task_.unlisted[i]]} : i;
            const float lower_bound = to_upper_bounds(task_, row, first_column, r, scores);
            if constexpr (!Collects) best_.lower_bound[r] = fmaxf(best_.lower_bound[r], lower_bound);
        }
        if constexpr (Collects) {
            collect(scores, first_row, first_column);
        } else {
            best_.update(task_, scores, at.tile);
            if (next.tile != 0) return;
            best_.publish(results_);
            __syncthreads();
            label_row(task_, at.row, results_);
        }
    }

private:
    __device__ void find_rows(Offset first) {
        const auto left = static_cast<Index>(min(rows_ - first, Offset{Tile::a_rows}));
#pragma unroll
        for (int i = 0; i < copies; ++i) {
            listed_[i] =
                task_.undecided[task_.unlisted[first +
                                               min(distance::first_copied() + i * distance::copied_rows, left - 1)]];
        }
    }

    __device__ void collect(Scores& scores, Offset first_row, Index first_column) {
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            const Offset row = first_row + row_of(r);
            const Index entry = row < rows_ ? task_.unlisted[row] : -1;
            const float threshold = row < rows_ ? task_.thresholds[entry] : INFINITY;
            list_reaching(
                task_, entry, threshold, [&](int i) { return score_of(scores, r, i); },
                [&](int i) { return first_column + column_in_row(i); });
        }
    }

    static constexpr int copies = Tile::a_rows / distance::copied_rows;

    const ScoreTask& task_;
    Offset rows_;
    WarpResults& results_;
    ThreadBestTwo best_;
    Index listed_[copies];  ///< rows of which this thread copies parts
};

struct ScoreRing {
    int row_slots;    ///< chunks of rows in shared memory
    bool keeps_rows;  ///< a tile's rows stay there for all centroids
};

std::size_t shared_bytes(int stages, int row_slots) {
    return static_cast<std::size_t>(row_slots) * sizeof(Tile::ChunkA) +
           static_cast<std::size_t>(stages) * sizeof(Tile::ChunkB) + sizeof(WarpResults);
}

/// Every block takes one tile of rows after another, each against all centroids.
template <bool Collects, int Stages>
__global__ void __launch_bounds__(Tile::threads, 1) score_kernel(ScoreTask task, ScoreRing ring) {
    static_assert(Tile::threads >= Tile::a_rows && Tile::warps_across == 2);
    if (task.progress->reason != Reason::going_on) return;
    const Offset rows = Collects ? Offset{*task.unlisted_count} : Offset{task.n};
    if (Offset{blockIdx.x} * Tile::a_rows >= rows) return;
    extern __shared__ __align__(128) unsigned char shared[];
    auto* row_chunks = reinterpret_cast<Tile::ChunkA*>(shared);
    auto* centroid_chunks = reinterpret_cast<Tile::ChunkB*>(row_chunks + ring.row_slots);
    BestTwoConsumer<Collects> consumer(task, rows, *reinterpret_cast<WarpResults*>(centroid_chunks + Stages));
    const distance::TileWork work{.a_first = Offset{blockIdx.x} * Tile::a_rows,
                                  .a_end = rows,
                                  .a_step = Offset{gridDim.x} * Tile::a_rows,
                                  .b_tiles = (task.clusters + score_tile - 1) / score_tile,
                                  .width = task.width,
                                  .a_slots = ring.row_slots,
                                  .keeps_a = ring.keeps_rows};
    distance::tile_products<Tile, Stages>(work, row_chunks, centroid_chunks, consumer);
}

template <bool Collects, int Stages>
void launch(device::Cuda& cuda, const ScoreTask& task, const ScoreRing& ring) {
    const Offset tiles = (Offset{task.n} + Tile::a_rows - 1) / Tile::a_rows;
    const auto blocks = static_cast<unsigned>(std::min<Offset>(tiles, cuda.multiprocessors()));
    distance::launch_with_shared(cuda, score_kernel<Collects, Stages>, blocks, Tile::threads,
                                 shared_bytes(Stages, ring.row_slots), task, ring);
}

/// Rows of so many columns that they are copied again for every tile of centroids take more stages, if they fit.
template <bool Collects>
void launch(device::Cuda& cuda, const ScoreTask& task) {
    constexpr int few = 3, many = 6;
    const std::size_t most = distance::most_shared_memory(cuda);
    const int kept = std::max(2 * (task.width / distance::half_chunk), few);
    if (shared_bytes(few, kept) <= most) return launch<Collects, few>(cuda, task, {kept, true});
    if (shared_bytes(many, many) <= most) return launch<Collects, many>(cuda, task, {many, false});
    launch<Collects, few>(cuda, task, {few, false});
}

}  // namespace

void score_by_warps(device::Cuda& cuda, const ScoreTask& task, bool collects) {
    collects ? launch<true>(cuda, task) : launch<false>(cuda, task);
}

}  // namespace dunlin::kmeans
