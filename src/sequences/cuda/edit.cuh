// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sequences/cuda/pairs.cuh"
#include "sequences/edit.hpp"

/// Edit distances by bit vectors. Each lane of a team has 64 rows of the pattern and is a symbol of the text behind the
/// lane above. Needs launch_memory().
namespace dunlin::sequences {

struct EditTask {
    PairGrid pairs;
    const std::uint32_t* symbols;
    /// Slot of each symbol in the table: its number within the strip, from 1 in the order of first appearance
    const std::uint16_t* slots;
    const Offset* offsets;
    std::uint32_t alphabet;
    EditTable table;        ///< for the longest row
    std::uint64_t of_team;  ///< bytes between strips
};

/// A string, or the rest of one.
struct GpuText {
    const std::uint32_t* symbols;
    const std::uint16_t* slots;
    Offset length;
};

/// The table of a strip in memory, shared by the teams of a block.
struct StripTable {
    unsigned long long* vectors;  ///< [slot][lane]
    std::uint16_t* slots;         ///< of each symbol of the alphabet; 0: not in the strip
};

/// Replaces the strip `old` by another one. All threads of the block.
__device__ inline void fill_table(const StripTable& table, int lanes, const GpuText& old, const GpuText& strip,
                                  std::uint32_t alphabet) {
    const Offset thread = threadIdx.x, different = strip.length < alphabet ? strip.length : Offset{alphabet};
    __syncthreads();  // all teams are done with it
    for (Offset row = thread; row < old.length; row += block_threads) table.slots[old.symbols[row]] = 0;
    for (Offset i = thread; i < (different + 1) * lanes; i += block_threads) table.vectors[i] = 0;
    __syncthreads();
    for (Offset row = thread; row < strip.length; row += block_threads) {
        const std::uint16_t slot = strip.slots[row];
        table.slots[strip.symbols[row]] = slot;
        atomicOr(&table.vectors[Offset{slot} * lanes + row / bits_of_lane], 1ULL << (row % bits_of_lane));
    }
    __syncthreads();
}

/// Moves a team's strip along a text. between: differences of the row above the strip, and on return of its last row;
/// is_first, is_last: the strip has no strip above, below. Returns the sum of the vertical differences of a lane's rows
/// (`rows` of the strip) after the text.
__device__ inline int run_strip(const PairGrid& grid, const StripTable& table, const TeamLane& at, const GpuText& text,
                                Offset rows, bool is_first, bool is_last, unsigned char* between) {
    EditColumn<std::uint64_t> column{~std::uint64_t{0}, 0};
    unsigned below = 0;
    const Offset steps = most_of_warp(text.length > 0 ? text.length + at.lanes - 1 : 0);
    for (Offset now = 0; now < steps; ++now) {
        unsigned above = __shfl_up_sync(~0U, below, 1U, at.lanes);
        const Offset place = now - at.lane;
        if (place >= 0 && place < text.length) {
            if (at.lane == 0) above = is_first ? 1U : between[place];
            const Offset slot = table.slots[text.symbols[place]];
            below = edit_strip_step(column, std::uint64_t{table.vectors[slot * at.lanes + at.lane]}, above);
            if (!is_last && at.lane == at.lanes - 1) between[place] = static_cast<unsigned char>(below);
        }
        if (is_stopped(grid, now)) break;
    }
    __syncwarp();  // for the next strip, which reads what the last lane wrote
    const Offset mine = rows - Offset{at.lane} * bits_of_lane;
    return vertical_sum(column, static_cast<int>(mine < bits_of_lane ? mine : bits_of_lane));
}

__device__ inline int sum_of_team(int value, int lanes) {
    for (int mask = lanes / 2; mask > 0; mask /= 2) value += __shfl_xor_sync(~0U, value, mask);
    return value;
}

__device__ inline GpuText text_of(const EditTask& task, Index item) {
    const Offset begin = task.offsets[item];
    return {task.symbols + begin, task.slots + begin, task.offsets[item + 1] - begin};
}

__device__ inline GpuText strip_of(const GpuText& text, Offset begin) {
    const Offset left = text.length - begin;
    return {text.symbols + begin, text.slots + begin, left < edit_strip ? left : edit_strip};
}

__global__ void __launch_bounds__(block_threads) edit_kernel(const EditTask task) {
    const PairGrid& grid = task.pairs;
    const TeamLane at(grid.lanes);
    auto* shared = reinterpret_cast<unsigned char*>(launch_memory());
    unsigned char* own = grid.workspace + blockIdx.x * grid.workspace_bytes;
    const auto take = [&](bool is_shared, std::uint64_t bytes) {
        unsigned char*& from = is_shared ? shared : own;
        return from += bytes, from - bytes;
    };
    StripTable table{};
    table.vectors = reinterpret_cast<unsigned long long*>(take(task.table.shares_vectors(), task.table.vectors));
    table.slots = reinterpret_cast<std::uint16_t*>(take(task.table.shares_slots(), task.table.slots));
    unsigned char* const between = own + static_cast<std::uint64_t>(at.team) * task.of_team;
    for (std::uint32_t i = threadIdx.x; i < task.alphabet; i += block_threads) table.slots[i] = 0;

    GpuText filled{nullptr, nullptr, 0};  // the strip in the table
    for (Offset number = blockIdx.x; number < grid.tiles(); number += gridDim.x) {
        const PairTile tile = tile_at(grid, number);
        if (!grid.is_wanted(tile.row, tile.end - 1)) continue;
        const GpuText pattern = text_of(task, grid.rows[tile.row]);
        bool is_filled = false;  // with the only strip
        for (Index round = tile.begin; round < tile.end; round += at.teams) {
            if (is_filled && __syncthreads_or(*grid.stop) != 0) return;
            const Index column = round + at.team;
            const bool is_wanted = column < tile.end && grid.is_wanted(tile.row, column);
            GpuText text{nullptr, nullptr, 0};
            if (is_wanted) text = text_of(task, grid.columns[column]);
            Offset distance = text.length;
            for (Offset begin = 0; begin < pattern.length; begin += edit_strip) {
                const GpuText strip = strip_of(pattern, begin);
                if (!is_filled) {
                    if (__syncthreads_or(*grid.stop) != 0) return;
                    fill_table(table, at.lanes, filled, strip, task.alphabet);
                    filled = strip;
                    is_filled = pattern.length <= edit_strip;
                }
                const bool is_last = begin + edit_strip >= pattern.length;
                distance +=
                    sum_of_team(run_strip(grid, table, at, text, strip.length, begin == 0, is_last, between), at.lanes);
            }
            if (is_wanted && at.lane == 0)
                grid.out[Offset{tile.row} * grid.column_count + column] = static_cast<float>(distance);
        }
    }
}

}  // namespace dunlin::sequences
