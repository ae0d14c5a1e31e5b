// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "waves/cuda/axis.cuh"

/// Euler's method on a 2-D grid, several steps at once: a warp moves along y over a strip of 32 x `columns` columns.
/// For each step, a level, it keeps the last two rows of v and the last row of w in registers: a row that enters a
/// level lets the row before it leave, a step later, for the next level. If levels are pipelined, the next one takes
/// that row when another enters: a row of registers more per level, but the levels do not wait for each other.
namespace dunlin::waves {

struct GridSteps {
    Coefficients coefficients;
    double dt;
    const double *v, *w;
    double *v_out, *w_out;
    int width, height, rows;  ///< rows: that a warp writes
    bool periodic_x, periodic_y;
    Activations activations = {};
};

/// Looks for activations among the cells of a lane in the row that leaves a level; for flags also in the halo's rows.
template <Watch watch>
struct GridWatch {
    const GridSteps& grid;
    int x, begin, end;  ///< first column; rows that the warp writes
    bool writes;        ///< false: a lane in the halo
    Extremes extremes = {};

    __device__ __forceinline__ void see(int k, int y, int step, double before, double after) {
        if constexpr (watch == Watch::flags) extremes.see(before, after);
        if constexpr (watch == Watch::records) {
            const bool is_near = Extremes::of(before, after).may_cross(grid.activations.level);
            if (is_near && writes && y >= begin && y < end && x + k < grid.width) {
                record_crossing(grid.activations, grid.dt, grid.activations.first_step + step,
                                static_cast<Offset>(y) * grid.width + x + k, before, after);
            }
        }
    }
    /// Whether a cell that the warp writes may have risen to the level since the last call.
    [[nodiscard]] __device__ __forceinline__ bool take_any() {
        const bool any = __any_sync(all_lanes, writes && extremes.may_cross(grid.activations.level));
        extremes = {};
        return any;
    }
};

/// Columns of halo at each side of a strip: whole lanes.
DUNLIN_HD constexpr int strip_halo(int columns, int steps) { return (steps + columns - 1) / columns * columns; }
DUNLIN_HD constexpr int strip_width(int columns, int steps) { return 32 * columns - 2 * strip_halo(columns, steps); }

/// Rows that a warp writes so that all warps together take the least time: they run in turns of `slots`, the number
/// that the device holds at once, and each turn takes as long as a warp's rows and its halo.
inline int balanced_rows(int height, int strips, int slots, int steps) {
    int best = height;
    long long least = -1;
    for (int turns = 1; turns <= 16; ++turns) {
        const int tiles = static_cast<int>(static_cast<long long>(turns) * slots / strips);
        if (tiles < 1) continue;
        const int rows = height / tiles + (height % tiles > 0 ? 1 : 0);
        const long long time = static_cast<long long>(turns) * (rows + 2LL * steps);
        if (least < 0 || time < least) best = rows, least = time;
    }
    return best;
}

template <int columns>
struct Cells {
    double v[columns], w[columns];
};

/// Loads the cells of a lane in one row. Single loads are faster than pairs, which tie registers together.
template <class Law, int columns>
__device__ __forceinline__ void load_cells(const GridSteps& grid, int x, int y, bool is_inside, Cells<columns>& cells) {
    const long long row = static_cast<long long>(node_at(y, grid.height, grid.periodic_y)) * grid.width;
#pragma unroll
    for (int k = 0; k < columns; ++k) {
        const int column = is_inside ? x + k : node_at(x + k, grid.width, grid.periodic_x);
        cells.v[k] = grid.v[row + column];
        if constexpr (Law::recovers) cells.w[k] = grid.w[row + column];
    }
}

template <class Law, int columns>
__device__ __forceinline__ void store_cells(const GridSteps& grid, int x, int y, const Cells<columns>& cells) {
    const long long row = static_cast<long long>(y) * grid.width;
#pragma unroll
    for (int k = 0; k < columns; ++k) {
        if (x + k >= grid.width) return;
        grid.v_out[row + x + k] = cells.v[k];
        if constexpr (Law::recovers) grid.w_out[row + x + k] = cells.w[k];
    }
}

/// Rows of one step: v of two rows, whose roles change with each row that enters, and w of the later.
template <int columns>
struct Level {
    double v[2][columns], w[columns];
};

/// A row enters the level of `step` and the row before it, y, leaves, one step later. `newest`: which row of v is the
/// later.
template <class Law, int columns, int newest, class Watcher>
__device__ __forceinline__ void pass_level(const GridSteps& grid, Level<columns>& level, Cells<columns>& cells, int y,
                                           int step, Watcher& watcher) {
    const double(&here)[columns] = level.v[newest];
    const double left = of_lane_before(here[columns - 1]), right = of_lane_after(here[0]);
    Cells<columns> next;
#pragma unroll
    for (int k = 0; k < columns; ++k) {
        const Node u{here[k], level.w[k]};
        const double laplacian = laplacian_2d(u.v, k > 0 ? here[k - 1] : left, k + 1 < columns ? here[k + 1] : right,
                                              level.v[1 - newest][k], cells.v[k]);
        const Node rate = rates<Law>(grid.coefficients, u, {laplacian, 0}, 0);
        next.v[k] = euler(grid.dt, rate.v, u.v);
        watcher.see(k, y, step, u.v, next.v[k]);
        next.w[k] = Law::recovers ? euler(grid.dt, rate.w, u.w) : 0;
    }
#pragma unroll
    for (int k = 0; k < columns; ++k) {
        level.v[1 - newest][k] = cells.v[k];
        level.w[k] = cells.w[k];
        cells.v[k] = next.v[k];
        cells.w[k] = next.w[k];
    }
}

/// The part of a grid that a warp computes: a strip of columns, rows [begin, end).
struct GridPart {
    int strip, begin, end;
};

/// Rows that enter while a tile of `rows` rows with its halo is computed, in periods of as many rows as a pass has
/// steps. A period has a flag of its own: an activation in it is in the period's rows or the `steps` rows before them.
DUNLIN_HD constexpr int periods_of(int rows, int steps) { return (rows + 3 * steps - 1) / steps; }
/// Parts of `steps` rows, which are computed once more if they have a flag.
DUNLIN_HD constexpr int parts_of(int rows, int steps) { return (rows + steps - 1) / steps; }

/// Computes a tile. `flags`: of its periods, at this distance.
template <class Law, int columns, int steps, Watch watch>
__device__ __forceinline__ void step_tile(const GridSteps& grid, const GridPart& tile, int* flags, int distance) {
    static_assert(!Law::spreads && !Law::driven && steps >= 2);
    constexpr int halo = strip_halo(columns, steps);
    const int lane = threadIdx.x;
    const int low = tile.strip * strip_width(columns, steps) - halo, x = low + lane * columns;
    const int begin = tile.begin, end = tile.end;
    const bool is_inside = low >= 0 && low + 32 * columns <= grid.width;
    const bool writes = lane * columns >= halo && lane * columns < 32 * columns - halo;
    GridWatch<watch> watcher{grid, x, begin, end, writes};

    // all levels begin with the first row, so that what leaves before it looks like an activation only near one
    Cells<columns> next = {};
    load_cells<Law, columns>(grid, x, begin - steps, is_inside, next);
    Level<columns> levels[steps];
#pragma unroll
    for (int t = 0; t < steps; ++t) {
#pragma unroll
        for (int k = 0; k < columns; ++k) {
            levels[t].v[0][k] = levels[t].v[1][k] = next.v[k];
            levels[t].w[k] = next.w[k];
        }
    }
    const auto pass = [&](auto newest, int y) {
        Cells<columns> cells = next;
        load_cells<Law, columns>(grid, x, y + 1, is_inside, next);
#pragma unroll
        for (int t = 0; t < steps; ++t)
            pass_level<Law, columns, decltype(newest)::value>(grid, levels[t], cells, y - t - 1, t, watcher);
        const int done = y - steps;
        if (watch != Watch::records && writes && done >= begin && done < end)
            store_cells<Law, columns>(grid, x, done, cells);
    };
    int period_end = begin;
#pragma unroll 1
    for (int y = begin - steps; y < end + steps; y += 2) {
        pass(std::integral_constant<int, 0>{}, y);
        pass(std::integral_constant<int, 1>{}, y + 1);
        if (watch == Watch::flags && (y + 2 >= period_end || y + 2 >= end + steps)) {
            const bool any = watcher.take_any();
            if (lane == 0) *flags = any ? 1 : 0;
            flags += distance;
            period_end += steps;
        }
    }
}

/// A warp a tile; for records fewer warps, each lane of which looks whether a part of a tile has a flag: neighboring
/// parts, which often have one together, belong to different warps.
template <class Law, int columns, int steps, int blocks, Watch watch = Watch::nothing>
__global__ void __launch_bounds__(32, blocks) step_grid(const GridSteps grid) {
    constexpr int width = strip_width(columns, steps);
    const int strips = (grid.width + width - 1) / width, periods = periods_of(grid.rows, steps);
    const auto flags_of = [&](int strip, int row) {  // of the first period of the tile that begins with this row
        return grid.activations.flags + strip + Offset{strips} * (row / grid.rows) * periods;
    };
    if constexpr (watch != Watch::records) {
        const int strip = static_cast<int>(blockIdx.x), begin = static_cast<int>(blockIdx.y) * grid.rows;
        step_tile<Law, columns, steps, watch>(grid, {strip, begin, min(begin + grid.rows, grid.height)},
                                              watch == Watch::flags ? flags_of(strip, begin) : nullptr, strips);
    } else {
        const int parts = parts_of(grid.rows, steps), tiles = (grid.height + grid.rows - 1) / grid.rows;
        const int all = strips * tiles * parts, warps = static_cast<int>(gridDim.x);
        const auto part_of = [&](int number) {
            const int row = number / strips / parts * grid.rows, begin = row + number / strips % parts * steps;
            return GridPart{number % strips, begin, min(min(begin + steps, row + grid.rows), grid.height)};
        };
        const auto is_flagged = [&](int number) {
            const int part = number / strips % parts;
            const GridPart tile = part_of(number);
            if (tile.begin >= tile.end) return false;
            const int* flags = flags_of(tile.strip, tile.begin - part * steps) + Offset{part} * strips;
            return flags[strips] != 0 || flags[2 * strips] != 0;
        };
        const int lane = threadIdx.x;
        for (int base = static_cast<int>(blockIdx.x); base < all; base += 32 * warps) {
            const int own = base + lane * warps;
            const bool flagged = own < all && is_flagged(own);
            if (!__any_sync(all_lanes, flagged)) continue;
            for (int k = 0; k < 32; ++k) {
                if (!__any_sync(all_lanes, flagged && lane == k)) continue;
                step_tile<Law, columns, steps, watch>(grid, part_of(base + k * warps), nullptr, 0);
            }
        }
    }
}

}  // namespace dunlin::waves
