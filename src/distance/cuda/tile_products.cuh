// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distance/cuda/half_tiles.cuh"

/// Products of tiles of half-precision rows by mma.sync, which all GPUs have. A block takes tiles of A one after
/// another, each against all its tiles of B; a ring of chunks in shared memory is filled ahead of the products.
namespace dunlin::distance {

/// How the warps of a block share a tile: 4 x 2 of them, WarpRows x 64 products each.
template <int WarpRows>
struct WarpTile {
    static constexpr int warps_down = 4, warps_across = 2, warp_rows = WarpRows, warp_columns = 64;
    static constexpr int warps = warps_down * warps_across, threads = 32 * warps;
    static constexpr int a_rows = warps_down * warp_rows, b_rows = warps_across * warp_columns;
    static constexpr int row_blocks = warp_rows / 16, column_blocks = warp_columns / 8;
    static_assert(b_rows == b_tile);

    using ChunkA = __half[a_rows * half_chunk];
    using ChunkB = __half[b_rows * half_chunk];
    /// Products of one lane: [block of 16 rows][product]. product_row and product_column give the place of a product.
    using Sums = float[row_blocks][4 * column_blocks];

    __device__ static void clear(Sums& sums) {
#pragma unroll
        for (int i = 0; i < row_blocks * column_blocks * 4; ++i) (&sums[0][0])[i] = 0;
    }
    __device__ static void add(const Sums& more, Sums& sums) {
#pragma unroll
        for (int i = 0; i < row_blocks * column_blocks * 4; ++i) (&sums[0][0])[i] += (&more[0][0])[i];
    }

    /// The first row and column of this warp's products in the tile.
    __device__ static int row() { return static_cast<int>(threadIdx.x / 32) % warps_down * warp_rows; }
    __device__ static int column() { return static_cast<int>(threadIdx.x / 32) / warps_down * warp_columns; }

    /// Operands of a warp in a step of 16 columns.
    struct Fragments {
        std::uint32_t a[row_blocks][4], b[column_blocks / 2][4];

        __device__ void load(const __half* chunk_a, const __half* chunk_b, int step) {
#pragma unroll
            for (int i = 0; i < row_blocks; ++i) load_a(a[i], chunk_a, row() + 16 * i, step);
#pragma unroll
            for (int j = 0; j < column_blocks / 2; ++j) load_b(b[j], chunk_b, column() + 16 * j, step);
        }
        __device__ void multiply(Sums& sums) const {
#pragma unroll
            for (int i = 0; i < row_blocks; ++i) {
#pragma unroll
                for (int j = 0; j < column_blocks; ++j) {
                    multiply_add(&sums[i][4 * j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
                }
            }
        }
    };
};

/// A thread copies one part of rows first_copied(), first_copied() + copied_rows, ... of a chunk.
constexpr int copied_rows = WarpTile<16>::threads / chunk_parts;
static_assert(copied_rows % chunk_parts == 0);  // so that all parts of a thread are permuted alike
__device__ inline int first_copied() { return static_cast<int>(threadIdx.x) / chunk_parts; }

/// Enqueues the copies of this thread's parts; row(i): the chunk's columns of the i-th row it copies.
template <int Rows, class Row>
__device__ __forceinline__ void copy_chunk(__half* to, const Row& row) {
    const int part = static_cast<int>(threadIdx.x) % chunk_parts;
    to += swizzled(first_copied(), part);
#pragma unroll
    for (int i = 0; i < Rows / copied_rows; ++i) copy_16(to + i * copied_rows * half_chunk, row(i) + part * 8);
}
/// copy_chunk() for consecutive rows.
template <int Rows>
__device__ __forceinline__ void copy_chunk(__half* to, const __half* from, Index width) {
    from += Offset{first_copied()} * width;
    copy_chunk<Rows>(to, [&](int i) { return from + Offset{i * copied_rows} * width; });
}

/// The work of a block: tiles of A from row a_first on, a_step rows apart, while below a_end, each times b_tiles tiles
/// of B.
struct TileWork {
    Offset a_first, a_end, a_step;
    Index b_tiles, width;
    int a_slots;   ///< chunks of A in shared memory
    bool keeps_a;  ///< a tile of A stays there for all tiles of B; otherwise it is copied for each
};

/// A position in the sequence of chunks: of columns, of tiles of B, of tiles of A.
struct TileCursor {
    Offset row;  ///< of A
    Index column = 0, tile = 0;
    int a_slot = 0, stage = 0;

    template <int Stages>
    __device__ void advance(const TileWork& work) {
        stage = stage + 1 == Stages ? 0 : stage + 1;
        column += half_chunk;
        const int first_slot = a_slot - (column / half_chunk - 1);
        ++a_slot;
        if (column == work.width) {
            column = 0;
            ++tile;
            if (tile < work.b_tiles && work.keeps_a) a_slot = first_slot;
        }
        if (tile == work.b_tiles) {
            tile = 0;
            row += work.a_step;
        }
        if (a_slot >= work.a_slots) a_slot -= work.a_slots;
    }
};

/// Copies run ahead by all stages but one, and the fragments of a step are loaded while those of the step before are
/// multiplied. By the whole block. A Consumer has
///     copy_a(to, cursor), copy_b(to, cursor): enqueue the copies of a chunk,
///     begin(cursor, sums): the sums of a tile before its first product,
///     take(cursor, next, sums): the products of this warp of the tile at `cursor`, before that at `next`,
///     sums_chunks: the tensor cores sum the products of one chunk only, chunks are summed in float32 (long sums on
///     tensor cores lose accuracy).
template <class Tile, int Stages, class Consumer>
__device__ __forceinline__ void tile_products(const TileWork& work, typename Tile::ChunkA* chunks_a,
                                              typename Tile::ChunkB* chunks_b, Consumer& consumer) {
    TileCursor ahead{.row = work.a_first}, now = ahead;
    const auto copy_next = [&] {
        if (ahead.row < work.a_end) {
            if (ahead.tile == 0 || !work.keeps_a) consumer.copy_a(chunks_a[ahead.a_slot], ahead);
            consumer.copy_b(chunks_b[ahead.stage], ahead);
            ahead.advance<Stages>(work);
        }
        end_copies();  // an empty group too, so that they can be counted
    };
#pragma unroll 1
    for (int s = 0; s + 1 < Stages; ++s) copy_next();
    wait_for_copies<Stages - 2>();
    __syncthreads();
    typename Tile::Fragments fragments[2];
    fragments[0].load(chunks_a[0], chunks_b[0], 0);

    typename Tile::Sums sums, of_chunk;
    typename Tile::Sums& running = Consumer::sums_chunks ? of_chunk : sums;
    while (now.row < work.a_end) {
        if (now.column == 0) consumer.begin(now, sums);
        if constexpr (Consumer::sums_chunks) Tile::clear(of_chunk);
        copy_next();
        const TileCursor here = now;
#pragma unroll
        for (int step = 0; step < chunk_steps; ++step) {
            if (step + 1 < chunk_steps) {
                fragments[(step + 1) % 2].load(chunks_a[here.a_slot], chunks_b[here.stage], step + 1);
            } else {
                now.advance<Stages>(work);
                wait_for_copies<Stages - 2>();
                __syncthreads();  // the next chunk has come, and this one may be overwritten
                fragments[0].load(chunks_a[now.a_slot], chunks_b[now.stage], 0);
            }
            fragments[step % 2].multiply(running);
        }
        if constexpr (Consumer::sums_chunks) Tile::add(of_chunk, sums);
        if (now.column == 0) consumer.take(here, now, sums);
    }
    wait_for_copies<0>();
}

}  // namespace dunlin::distance
