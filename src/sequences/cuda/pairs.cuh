// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "sequences/cuda/sizes.hpp"

/// What the kernels of sequences share: the pairs of a launch, in tiles of a row and some columns, one after the other
/// for a block. The teams of a block take columns in turn. All lanes of a warp make the same calls of shuffles: those
/// without a pair, or whose pair is shorter, go on without work.
namespace dunlin::sequences {

/// The pairs of a launch.
struct PairGrid {
    const Index *rows, *columns;  ///< items
    Index row_count, column_count;
    bool upper;  ///< only columns after the row
    int lanes;   ///< of a team
    float* out;  ///< row_count x column_count
    unsigned char* workspace;
    std::uint64_t workspace_bytes;  ///< of a block
    const volatile int* stop;       ///< not 0: the results are not needed any more

    [[nodiscard]] DUNLIN_HD Index chunk() const { return tile_columns(lanes); }
    [[nodiscard]] DUNLIN_HD Index chunks() const { return (column_count + chunk() - 1) / chunk(); }
    [[nodiscard]] DUNLIN_HD Offset tiles() const { return Offset{row_count} * chunks(); }
    [[nodiscard]] DUNLIN_HD bool is_wanted(Index row, Index column) const {
        return column < column_count && (!upper || column > row);
    }
};

/// A tile: columns [begin, end) of a row.
struct PairTile {
    Index row, begin, end;
};
DUNLIN_HD inline PairTile tile_at(const PairGrid& grid, Offset number) {
    const auto begin = static_cast<Index>(number % grid.chunks() * grid.chunk());
    const Index left = grid.column_count - begin;
    return {static_cast<Index>(number / grid.chunks()), begin, begin + (left < grid.chunk() ? left : grid.chunk())};
}

/// Where a thread is.
struct TeamLane {
    int lanes, lane, team, teams;
    __device__ explicit TeamLane(int lanes_of_team)
        : lanes(lanes_of_team),
          lane(static_cast<int>(threadIdx.x) % lanes),
          team(static_cast<int>(threadIdx.x) / lanes),
          teams(block_threads / lanes) {}
};

/// The largest value of the warp.
__device__ inline Offset most_of_warp(Offset value) {
    for (int mask = 16; mask > 0; mask /= 2) {
        const Offset other = __shfl_xor_sync(~0U, value, mask);
        value = value > other ? value : other;
    }
    return value;
}

/// Whether a stop was requested, asked once in a while; the same in all lanes of the warp.
__device__ inline bool is_stopped(const PairGrid& grid, Offset step) {
    constexpr Offset steps_between = 1024;
    return step % steps_between == steps_between - 1 && __any_sync(~0U, *grid.stop != 0);
}

}  // namespace dunlin::sequences
