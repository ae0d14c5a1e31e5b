// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/score_warps.cuh"

namespace dunlin::kmeans {

namespace {

using distance::copy_16;
using distance::end_copies;
using distance::load_blocks;
using distance::multiply_add;
using distance::wait_for_copies;

constexpr int block_rows = 128;                   ///< of a tile; rows are padded to a multiple of it
constexpr int warp_rows = 32, warp_columns = 64;  ///< of a warp's share of a tile
static_assert(row_tile % block_rows == 0);
constexpr int warps_down = block_rows / warp_rows, warps_across = score_tile / warp_columns;
constexpr int threads = 32 * warps_down * warps_across;
constexpr int row_blocks = warp_rows / 16, column_blocks = warp_columns / 8;
constexpr int steps = chunk / 16;
constexpr int thread_rows = 2 * row_blocks;

struct Task : ScoreTask {
    int stages;       ///< chunks of centroids in shared memory
    int row_slots;    ///< chunks of rows there
    bool keeps_rows;  ///< a tile's rows stay there for all centroids
};

using RowChunk = __half[block_rows * chunk];
using CentroidChunk = __half[score_tile * chunk];

/// What the two warps that share rows tell each other.
struct Found {
    float best[warps_across][block_rows], second[warps_across][block_rows], surely[warps_across][block_rows];
    Index label[warps_across][block_rows];
};

/// What a thread copies of a chunk: one part of every copied_rows-th row, from first_copied() on.
constexpr int copied_rows = threads / parts, copies = block_rows / copied_rows;
static_assert(copied_rows % parts == 0);  // so that all of a thread's parts change places alike
__device__ int first_copied() { return static_cast<int>(threadIdx.x) / parts; }
__device__ int copied_part() { return static_cast<int>(threadIdx.x) % parts; }

template <int Rows>
__device__ void copy_rows(__half* to, const __half* from, Index width) {
    to += place(first_copied(), copied_part());
    from += Offset{first_copied()} * width + copied_part() * 8;
#pragma unroll
    for (int i = 0; i < Rows / copied_rows; ++i) {
        copy_16(to + i * copied_rows * chunk, from + Offset{i * copied_rows} * width);
    }
}

/// Rows that are listed, not one after another.
struct Listed {
    Index rows[copies];  ///< those of which this thread copies parts

    __device__ void find(const Task& task, Offset first, Index left) {
#pragma unroll
        for (int i = 0; i < copies; ++i) {
            rows[i] = task.undecided[task.unlisted[first + min(first_copied() + i * copied_rows, left - 1)]];
        }
    }
    __device__ void copy(__half* to, const Task& task, Index column) const {
        to += place(first_copied(), copied_part());
#pragma unroll
        for (int i = 0; i < copies; ++i) {
            copy_16(to + i * copied_rows * chunk,
                    task.rows + Offset{rows[i]} * task.width + column + copied_part() * 8);
        }
    }
};

/// A place in the sequence of chunks: of columns, of tiles of centroids, of tiles of rows.
struct Cursor {
    Index column = 0, tile = 0;
    Offset row;
    int row_slot = 0, stage = 0;

    __device__ void advance(const Task& task, Index tiles) {
        stage = stage + 1 == task.stages ? 0 : stage + 1;
        column += chunk;
        const int first_slot = row_slot - (column / chunk - 1);
        ++row_slot;
        if (column == task.width) {
            column = 0;
            ++tile;
            if (tile < tiles && task.keeps_rows) row_slot = first_slot;
        }
        if (tile == tiles) {
            tile = 0;
            row += Offset{gridDim.x} * block_rows;
        }
        if (row_slot >= task.row_slots) row_slot -= task.row_slots;
    }
};

/// The products of a warp's share of a tile: rows down, centroids across. Those of a chunk of columns are summed by the
/// tensor cores, whose rounding a long sum would feel, the chunks in float32.
using Scores = float[row_blocks][column_blocks][4];

struct Fragments {
    std::uint32_t rows[row_blocks][4], centroids[column_blocks / 2][4];

    __device__ void load(const __half* of_rows, const __half* of_centroids, int row, int column, int step) {
        const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
        for (int i = 0; i < row_blocks; ++i) {
            load_blocks(rows[i], of_rows + place(row + 16 * i + lane % 16, 2 * step + lane / 16));
        }
#pragma unroll
        for (int j = 0; j < column_blocks / 2; ++j) {
            const int at = column + 16 * j + lane % 8 + lane / 16 * 8;
            load_blocks(centroids[j], of_centroids + place(at, 2 * step + lane / 8 % 2));
        }
    }
    __device__ void multiply(Scores& scores) const {
#pragma unroll
        for (int i = 0; i < row_blocks; ++i) {
#pragma unroll
            for (int j = 0; j < column_blocks; ++j) {
                multiply_add(scores[i][j], rows[i], centroids[j / 2][j % 2 * 2], centroids[j / 2][j % 2 * 2 + 1]);
            }
        }
    }
};

/// Scores begin at -|c|^2 / 2.
__device__ void begin(const float* biases, Scores& scores) {
#pragma unroll
    for (int j = 0; j < column_blocks; ++j) {
        const float2 bias = __ldg(reinterpret_cast<const float2*>(biases + 8 * j) + threadIdx.x % 4);
#pragma unroll
        for (int i = 0; i < row_blocks; ++i) {
            scores[i][j][0] = scores[i][j][2] = bias.x;
            scores[i][j][1] = scores[i][j][3] = bias.y;
        }
    }
}

__device__ void add(const Scores& chunk_of_them, Scores& scores) {
#pragma unroll
    for (int i = 0; i < row_blocks * column_blocks * 4; ++i) (&scores[0][0][0])[i] += (&chunk_of_them[0][0][0])[i];
}

/// Where a thread's row r lies in its warp's share, and its column (j, e).
__device__ int row_of(int r) { return r / 2 * 16 + r % 2 * 8 + static_cast<int>(threadIdx.x % 32 / 4); }
__device__ int column_of(int j, int e) { return 8 * j + static_cast<int>(threadIdx.x % 4) * 2 + e; }

/// Raises each score of a thread's row r by what it may be off; returns what the best surely is. Halves that overflowed
/// say nothing: such a score is above all.
__device__ float raise_to_most(const Task& task, Offset row, Index first_column, int r, Scores& scores) {
    const float error = task.errors[row], length = task.lengths[row];
    float surely = -INFINITY;
#pragma unroll
    for (int j = 0; j < column_blocks; ++j) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
            const Index k = first_column + column_of(j, e);
            const float off = score_error(error, length, task.centroid_errors[k], task.centroid_lengths[k], task.slack);
            float& score = scores[r / 2][j][r % 2 * 2 + e];
            const bool counts = off <= 1e30F;
            if (counts) surely = fmaxf(surely, score - off);
            score = counts ? score + off : 3e38F;
        }
    }
    return surely;
}

/// For each of a thread's rows the best two of what its scores may be, and what the best surely is.
struct Best {
    float first[thread_rows], second[thread_rows], surely[thread_rows];
    std::uint32_t tiles[thread_rows / 2];  ///< of the first, 16 bits each

    __device__ void clear() {
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) first[r] = second[r] = surely[r] = -INFINITY, tiles[r / 2] = 0;
    }
    __device__ Index tile(int r) const { return static_cast<Index>(tiles[r / 2] >> r % 2 * 16 & 0xffff); }

    __device__ void meet(const Task& task, const Scores& scores, Index now) {
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            const auto score = [&](int i) { return scores[r / 2][i / 2][r % 2 * 2 + i % 2]; };
            const std::uint32_t moved = static_cast<std::uint32_t>(now) << r % 2 * 16;
            if (meet_16(task, first[r], second[r], score)) {
                tiles[r / 2] = (tiles[r / 2] & (r % 2 == 0 ? 0xffff0000U : 0xffffU)) | moved;
            }
        }
    }
};

__device__ void collect(const Task& task, const Scores& scores, Offset first_row, Offset rows, Index first_column) {
#pragma unroll
    for (int r = 0; r < thread_rows; ++r) {
        const Offset row = first_row + row_of(r);
        const Index entry = row < rows ? task.unlisted[row] : -1;
        const float threshold = row < rows ? task.thresholds[entry] : INFINITY;
        list_reaching(
            task, entry, threshold, [&](int i) { return scores[r / 2][i / 2][r % 2 * 2 + i % 2]; },
            [&](int i) { return first_column + column_of(i / 2, i % 2); });
    }
}

/// Leaves what a warp found for its rows where all can read it.
__device__ void publish(const Best& best, int row, int column, Found& found) {
    const int lane = static_cast<int>(threadIdx.x % 32), across = column / warp_columns;
#pragma unroll
    for (int r = 0; r < thread_rows; ++r) {
        const auto index = static_cast<int>(__float_as_uint(best.first[r]) & 15U);
        float first = best.first[r], second = best.second[r], surely = best.surely[r];
        Index label = best.tile(r) * score_tile + column + column_of(index / 2, index % 2);
#pragma unroll
        for (int lanes = 1; lanes < 4; lanes *= 2) {
            const float other = __shfl_xor_sync(~0U, first, lanes), next = __shfl_xor_sync(~0U, second, lanes);
            join(first, second, label, other, next, __shfl_xor_sync(~0U, label, lanes));
            surely = fmaxf(surely, __shfl_xor_sync(~0U, surely, lanes));
        }
        if (lane % 4 != 0) continue;
        const int at = row + row_of(r);
        found.best[across][at] = first;
        found.second[across][at] = second;
        found.surely[across][at] = surely;
        found.label[across][at] = label;
    }
}

/// Labels row i of the tile, or lists it; by thread i.
__device__ void settle(const Task& task, Offset first_row, const Found& found) {
    const int i = static_cast<int>(threadIdx.x);
    const Offset row = first_row + i;
    if (i >= block_rows || row >= task.n) return;
    float best = found.best[0][i], second = found.second[0][i];
    Index label = found.label[0][i];
    join(best, second, label, found.best[1][i], found.second[1][i], found.label[1][i]);
    task.labels[row] = label;
    const float surely = fmaxf(found.surely[0][i], found.surely[1][i]);
    if (!(second < surely)) list_row(task, row, surely, 0);
}

/// Every block takes one tile of rows after another, each against all centroids; copies run ahead by all stages but
/// one, and the fragments of a step are loaded while those of the step before are multiplied. Collects: the rows are
/// the undecided ones, and what reaches their thresholds is listed.
template <bool Collects, int Stages>
__global__ void __launch_bounds__(threads, 1) score_kernel(Task task) {
    static_assert(threads >= block_rows && warps_across == 2);
    if (task.progress->reason != Reason::going_on) return;
    const Offset rows = Collects ? Offset{*task.unlisted_count} : Offset{task.n};
    if (Offset{blockIdx.x} * block_rows >= rows) return;
    extern __shared__ __align__(128) unsigned char shared[];
    auto* row_chunks = reinterpret_cast<RowChunk*>(shared);
    auto* centroid_chunks = reinterpret_cast<CentroidChunk*>(row_chunks + task.row_slots);
    Found& found = *reinterpret_cast<Found*>(centroid_chunks + Stages);
    const int warp = static_cast<int>(threadIdx.x / 32);
    const int row = warp % warps_down * warp_rows, column = warp / warps_down * warp_columns;
    const Index tiles = (task.clusters + score_tile - 1) / score_tile;

    Cursor ahead{.row = Offset{blockIdx.x} * block_rows}, now = ahead;
    Listed listed;
    const auto copy_next = [&] {
        if (ahead.row < rows) {
            __half* to = row_chunks[ahead.row_slot];
            if (ahead.tile == 0 || !task.keeps_rows) {
                if constexpr (Collects) {
                    if (ahead.column == 0) {
                        listed.find(task, ahead.row, static_cast<Index>(min(rows - ahead.row, Offset{block_rows})));
                    }
                    listed.copy(to, task, ahead.column);
                } else {
                    copy_rows<block_rows>(to, task.rows + ahead.row * task.width + ahead.column, task.width);
                }
            }
            copy_rows<score_tile>(centroid_chunks[ahead.stage],
                                  task.centroids + Offset{ahead.tile} * score_tile * task.width + ahead.column,
                                  task.width);
            ahead.advance(task, tiles);
        }
        end_copies();  // an empty group too, so that they can be counted
    };
    for (int s = 0; s + 1 < Stages; ++s) copy_next();
    wait_for_copies<Stages - 2>();
    __syncthreads();
    Fragments fragments[2];
    fragments[0].load(row_chunks[0], centroid_chunks[0], row, column, 0);

    Best best;
    Scores scores, of_chunk;
    while (now.row < rows) {
        if (now.column == 0) {
            if (now.tile == 0) best.clear();
            begin(task.biases + now.tile * score_tile + column, scores);
        }
#pragma unroll
        for (int i = 0; i < row_blocks * column_blocks * 4; ++i) (&of_chunk[0][0][0])[i] = 0;
        copy_next();
        const Cursor here = now;
#pragma unroll
        for (int step = 0; step < steps; ++step) {
            if (step + 1 < steps) {
                fragments[(step + 1) % 2].load(row_chunks[here.row_slot], centroid_chunks[here.stage], row, column,
                                               step + 1);
            } else {
                now.advance(task, tiles);
                wait_for_copies<Stages - 2>();
                __syncthreads();  // the next chunk has come, and this one may be overwritten
                fragments[0].load(row_chunks[now.row_slot], centroid_chunks[now.stage], row, column, 0);
            }
            fragments[step % 2].multiply(of_chunk);
        }
        add(of_chunk, scores);
        if (now.column != 0) continue;
        const Index first_column = here.tile * score_tile + column;
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            const Offset at = min(here.row + row + row_of(r), rows - 1);
            const Offset of = Collects ? Offset{task.undecided[task.unlisted[at]]} : at;
            const float surely = raise_to_most(task, of, first_column, r, scores);
            if constexpr (!Collects) best.surely[r] = fmaxf(best.surely[r], surely);
        }
        if constexpr (Collects) {
            collect(task, scores, here.row + row, rows, first_column);
        } else {
            best.meet(task, scores, here.tile);
            if (now.tile != 0) continue;
            publish(best, row, column, found);
            __syncthreads();
            settle(task, here.row, found);
        }
    }
    wait_for_copies<0>();
}

std::size_t shared_bytes(int stages, int row_slots) {
    return static_cast<std::size_t>(row_slots) * sizeof(RowChunk) +
           static_cast<std::size_t>(stages) * sizeof(CentroidChunk) + sizeof(Found);
}

template <bool Collects, int Stages>
void launch(device::Cuda& cuda, const ScoreTask& task, int row_slots, bool keeps_rows) {
    const std::size_t bytes = shared_bytes(Stages, row_slots);
    device::cuda_check(cudaFuncSetAttribute(score_kernel<Collects, Stages>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(bytes)));
    const Offset tiles = (Offset{task.n} + block_rows - 1) / block_rows;
    const auto blocks = static_cast<unsigned>(std::min<Offset>(tiles, cuda.multiprocessors()));
    score_kernel<Collects, Stages><<<blocks, threads, bytes, cuda.stream()>>>({task, Stages, row_slots, keeps_rows});
    device::cuda_check(cudaGetLastError());
}

/// Rows of so many columns that they come anew for every tile of centroids take more stages, if there is room.
template <bool Collects>
void launch(device::Cuda& cuda, const ScoreTask& task) {
    constexpr int few = 3, many = 6;
    int most = 0;
    device::cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.run().gpu()));
    const auto fits = [&](int stages, int slots) {
        return shared_bytes(stages, slots) <= static_cast<std::size_t>(most);
    };
    const int kept = std::max(2 * (task.width / chunk), few);
    if (fits(few, kept)) return launch<Collects, few>(cuda, task, kept, true);
    if (fits(many, many)) return launch<Collects, many>(cuda, task, many, false);
    launch<Collects, few>(cuda, task, few, false);
}

}  // namespace

void score_by_warps(device::Cuda& cuda, const ScoreTask& task, bool collects) {
    collects ? launch<true>(cuda, task) : launch<false>(cuda, task);
}

}  // namespace dunlin::kmeans
