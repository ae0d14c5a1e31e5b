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
    [[nodiscard]] __device__ __forceinline__ bool any() const {
        return writes && extremes.may_cross(grid.activations.level);
    }
};

/// Columns of halo at each side of a strip: whole lanes.
DUNLIN_HD constexpr int strip_halo(int columns, int steps) { return (steps + columns - 1) / columns * columns; }
DUNLIN_HD constexpr int strip_width(int columns, int steps) { return 32 * columns - 2 * strip_halo(columns, steps); }

/// Rows that enter after a row before it has taken all steps and leaves.
DUNLIN_HD constexpr int row_delay(int steps, bool pipelined) { return pipelined ? 2 * steps - 1 : steps; }

/// Rows that a warp writes so that all warps together take the least time: they run in turns of `slots`, the number
/// that the device holds at once, and each turn takes as long as a warp's rows, its halo and the delay.
inline int balanced_rows(int height, int strips, int slots, int steps, bool pipelined) {
    int best = height;
    long long least = -1;
    for (int turns = 1; turns <= 16; ++turns) {
        const int tiles = static_cast<int>(static_cast<long long>(turns) * slots / strips);
        if (tiles < 1) continue;
        const int rows = height / tiles + (height % tiles > 0 ? 1 : 0);
        const long long time = static_cast<long long>(turns) * (rows + steps + row_delay(steps, pipelined));
        if (least < 0 || time < least) best = rows, least = time;
    }
    return best;
}

template <int columns>
struct Cells {
    double v[columns], w[columns];
};

/// Loads the cells of a lane in one row.
template <class Law, int columns, bool is_vector>
__device__ __forceinline__ void load_cells(const GridSteps& grid, int x, int y, bool is_inside, Cells<columns>& cells) {
    const long long row = static_cast<long long>(node_at(y, grid.height, grid.periodic_y)) * grid.width;
    if (is_inside && is_vector) {
#pragma unroll
        for (int k = 0; k < columns; k += 2) {
            const double2 v = *reinterpret_cast<const double2*>(grid.v + row + x + k);
            cells.v[k] = v.x, cells.v[k + 1] = v.y;
            if constexpr (Law::recovers) {
                const double2 w = *reinterpret_cast<const double2*>(grid.w + row + x + k);
                cells.w[k] = w.x, cells.w[k + 1] = w.y;
            }
        }
        return;
    }
#pragma unroll
    for (int k = 0; k < columns; ++k) {
        const int column = is_inside ? x + k : node_at(x + k, grid.width, grid.periodic_x);
        cells.v[k] = grid.v[row + column];
        if constexpr (Law::recovers) cells.w[k] = grid.w[row + column];
    }
}

template <class Law, int columns, bool is_vector>
__device__ __forceinline__ void store_cells(const GridSteps& grid, int x, int y, const Cells<columns>& cells) {
    const long long row = static_cast<long long>(y) * grid.width;
    if constexpr (is_vector) {
        if (x >= grid.width) return;
#pragma unroll
        for (int k = 0; k < columns; k += 2) {
            *reinterpret_cast<double2*>(grid.v_out + row + x + k) = make_double2(cells.v[k], cells.v[k + 1]);
            if constexpr (Law::recovers)
                *reinterpret_cast<double2*>(grid.w_out + row + x + k) = make_double2(cells.w[k], cells.w[k + 1]);
        }
    } else {
#pragma unroll
        for (int k = 0; k < columns; ++k) {
            if (x + k >= grid.width) return;
            grid.v_out[row + x + k] = cells.v[k];
            if constexpr (Law::recovers) grid.w_out[row + x + k] = cells.w[k];
        }
    }
}

/// Rows of one step: v of two rows, whose roles change with each row that enters, and w of the later.
template <int columns>
struct Level {
    double v[2][columns], w[columns];
};

/// A row enters the level of `step` and the row before it, y, leaves, one step later. `newest`: which row of v is the
/// later. `enters` and `leaves` may be the same.
template <class Law, int columns, int newest, class Watcher>
__device__ __forceinline__ void pass_level(const GridSteps& grid, Level<columns>& level, const Cells<columns>& enters,
                                           Cells<columns>& leaves, int y, int step, Watcher& watcher) {
    const double(&here)[columns] = level.v[newest];
    const double left = of_lane_before(here[columns - 1]), right = of_lane_after(here[0]);
    Cells<columns> next;
#pragma unroll
    for (int k = 0; k < columns; ++k) {
        const Node u{here[k], level.w[k]};
        const double laplacian = laplacian_2d(u.v, k > 0 ? here[k - 1] : left, k + 1 < columns ? here[k + 1] : right,
                                              level.v[1 - newest][k], enters.v[k]);
        const Node rate = rates<Law>(grid.coefficients, u, {laplacian, 0}, 0);
        next.v[k] = euler(grid.dt, rate.v, u.v);
        watcher.see(k, y, step, u.v, next.v[k]);
        next.w[k] = Law::recovers ? euler(grid.dt, rate.w, u.w) : 0;
    }
#pragma unroll
    for (int k = 0; k < columns; ++k) {
        level.v[1 - newest][k] = enters.v[k];
        level.w[k] = enters.w[k];
        leaves.v[k] = next.v[k];
        leaves.w[k] = next.w[k];
    }
}

/// `is_vector`: the width is a multiple of `columns`, which is even.
template <class Law, int columns, int steps, bool is_vector, int blocks, bool pipelined, Watch watch = Watch::nothing>
__global__ void __launch_bounds__(32, blocks) step_grid(const GridSteps grid) {
    static_assert(!Law::spreads && !Law::driven);
    constexpr int halo = strip_halo(columns, steps), delay = row_delay(steps, pipelined);
    const int lane = threadIdx.x;
    const int low = static_cast<int>(blockIdx.x) * strip_width(columns, steps) - halo, x = low + lane * columns;
    const int begin = static_cast<int>(blockIdx.y) * grid.rows, end = min(begin + grid.rows, grid.height);
    const bool is_inside = low >= 0 && low + 32 * columns <= grid.width;
    const bool writes = lane * columns >= halo && lane * columns < 32 * columns - halo;

    const int tile = static_cast<int>(blockIdx.x + gridDim.x * blockIdx.y);
    if (watch == Watch::records && grid.activations.flags[tile] == 0) return;
    GridWatch<watch> watcher{grid, x, begin, end, writes};

    // all levels begin with the first row, so that what leaves before it looks like an activation only near one
    Cells<columns> next = {};
    load_cells<Law, columns, is_vector>(grid, x, begin - steps, is_inside, next);
    Level<columns> levels[steps];
    Cells<columns> moving[pipelined ? steps + 1 : 1];  // [t]: the row that enters level t
#pragma unroll
    for (int t = 0; t < steps; ++t) {
#pragma unroll
        for (int k = 0; k < columns; ++k) {
            levels[t].v[0][k] = levels[t].v[1][k] = next.v[k];
            levels[t].w[k] = next.w[k];
        }
        if constexpr (pipelined) moving[t] = next;
    }
    const auto pass = [&](auto newest, int y) {
        moving[0] = next;
        load_cells<Law, columns, is_vector>(grid, x, y + 1, is_inside, next);
#pragma unroll
        for (int k = 0; k < steps; ++k) {
            const int t = pipelined ? steps - 1 - k : k, enters = pipelined ? t : 0, leaves = pipelined ? t + 1 : 0;
            pass_level<Law, columns, decltype(newest)::value>(grid, levels[t], moving[enters], moving[leaves],
                                                              y - row_delay(t + 1, pipelined), t, watcher);
        }
        const int done = y - delay;
        if (watch != Watch::records && writes && done >= begin && done < end)
            store_cells<Law, columns, is_vector>(grid, x, done, moving[pipelined ? steps : 0]);
    };
#pragma unroll 1
    for (int y = begin - steps; y < end + delay; y += 2) {
        pass(std::integral_constant<int, 0>{}, y);
        pass(std::integral_constant<int, 1>{}, y + 1);
    }
    if constexpr (watch == Watch::flags) {
        const bool any = __any_sync(all_lanes, watcher.any());
        if (lane == 0) grid.activations.flags[tile] = any ? 1 : 0;
    }
}

}  // namespace dunlin::waves
