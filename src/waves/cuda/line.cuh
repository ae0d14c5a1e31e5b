// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/cuda/axis.cuh"

/// Euler's and Heun's method on a line or ring, several steps at once: a warp holds 32 x `nodes` consecutive nodes in
/// registers, of which the outer ones are a halo that loses one node at each end with each evaluation of the rates.
/// Neighbors across lanes come by shuffles; warps exchange nothing.
namespace dunlin::waves {

struct LineSteps {
    Coefficients coefficients;
    double dt;
    const double *v, *w;
    double *v_out, *w_out;
    int n, steps;
    bool periodic;
    Activations activations = {};
    int flagged_nodes = 0;  ///< that a warp wrote when the flags were set; 0: as many as here
};

/// Looks for activations among the nodes of a lane.
template <Watch watch>
struct LineWatch {
    const LineSteps& line;
    int first, begin, end;  ///< node of the lane's first value; nodes that the warp writes
    Offset step = 0;
    Extremes extremes = {};

    __device__ __forceinline__ void see(int k, double before, double after) {
        if constexpr (watch == Watch::flags) extremes.see(before, after);
        if constexpr (watch == Watch::records) {
            const int node = first + k;
            if (Extremes::of(before, after).may_cross(line.activations.level) && node >= begin && node < end)
                record_crossing(line.activations, line.dt, step, node, before, after);
        }
    }
    /// Whether one of the lane's `count` nodes may have risen to the level.
    [[nodiscard]] __device__ __forceinline__ bool any(int count) const {
        return first < end && first + count > begin && extremes.may_cross(line.activations.level);
    }
};

/// Evaluations of the rates, and so nodes of halo at each end, that a step takes.
template <bool is_heun>
constexpr int evaluations_of = is_heun ? 2 : 1;

/// Nodes that a warp writes, with this many nodes a lane.
template <bool is_heun>
DUNLIN_HD constexpr int written_nodes(int nodes, int steps) {
    return 32 * nodes - 2 * steps * evaluations_of<is_heun>;
}

template <class Law>
__device__ __forceinline__ Node euler_1d(const LineSteps& line, const Node& u, double left, double right) {
    const Node rate = rates<Law>(line.coefficients, u, {laplacian_1d(u.v, left, right), 0}, 0);
    return {euler(line.dt, rate.v, u.v), Law::recovers ? euler(line.dt, rate.w, u.w) : 0};
}

/// A step of all nodes of a warp by Euler's method, in place.
template <class Law, int nodes, class Watcher>
__device__ __forceinline__ void step_euler(const LineSteps& line, double (&v)[nodes], double (&w)[nodes],
                                           Watcher& watcher) {
    double before = of_lane_before(v[nodes - 1]);
    const double right = of_lane_after(v[0]);
#pragma unroll
    for (int k = 0; k < nodes; ++k) {
        const Node u{v[k], w[k]};
        const Node next = euler_1d<Law>(line, u, before, k + 1 < nodes ? v[k + 1] : right);
        watcher.see(k, u.v, next.v);
        before = u.v;
        v[k] = next.v;
        w[k] = next.w;
    }
}

/// A step of Heun's method: the second evaluation follows the first one node behind, so a lane keeps the first
/// evaluation of three nodes only, besides those at its ends.
template <class Law, int nodes, class Watcher>
__device__ __forceinline__ void step_heun(const LineSteps& line, double (&v)[nodes], double (&w)[nodes],
                                          Watcher& watcher) {
    const double left = of_lane_before(v[nodes - 1]), right = of_lane_after(v[0]);
    const Node first = euler_1d<Law>(line, {v[0], w[0]}, left, v[1]);
    const Node last = euler_1d<Law>(line, {v[nodes - 1], w[nodes - 1]}, v[nodes - 2], right);
    double once_before = of_lane_before(last.v);
    const Node once_right{of_lane_after(first.v), 0};
    Node once = first;
    double before = v[0];
#pragma unroll
    for (int k = 0; k < nodes; ++k) {
        Node once_after = once_right;
        if (k + 2 == nodes) once_after = last;
        if (k + 2 < nodes) {
            const double here = v[k + 1];
            once_after = euler_1d<Law>(line, {here, w[k + 1]}, before, v[k + 2]);
            before = here;
        }
        const Node twice = euler_1d<Law>(line, once, once_before, once_after.v);
        const double after = heun(v[k], twice.v);
        watcher.see(k, v[k], after);
        v[k] = after;
        if constexpr (Law::recovers) w[k] = heun(w[k], twice.w);
        once_before = once.v;
        once = once_after;
    }
}

/// Doubles of shared memory that a warp needs.
template <class Law>
DUNLIN_HD constexpr int shared_doubles(int nodes) {
    return 32 * nodes * (Law::recovers ? 2 : 1);
}

/// `nodes` is odd, so that lanes read shared memory at an odd stride, without conflicts.
template <class Law, bool is_heun, int nodes, Watch watch>
__device__ __forceinline__ void step_tile(const LineSteps& line, int tile) {
    static_assert(nodes % 2 == 1 && nodes >= 3 && !Law::spreads && !Law::driven);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    double* v_tile = launch_memory() + Offset{warp} * shared_doubles<Law>(nodes);
    double* w_tile = v_tile + Offset{32} * nodes;
    const int halo = line.steps * evaluations_of<is_heun>, written = written_nodes<is_heun>(nodes, line.steps);
    const int begin = tile * written, low = begin - halo;

    const bool is_inside = low >= 0 && low + 32 * nodes <= line.n;
#pragma unroll 8
    for (int k = 0; k < nodes; ++k) {
        const int i = k * 32 + lane;
        const int from = is_inside ? low + i : node_at(low + i, line.n, line.periodic);
        copy_async(v_tile + i, line.v + from);
        if constexpr (Law::recovers) copy_async(w_tile + i, line.w + from);
    }
    wait_for_copies();
    __syncwarp();

    double v[nodes], w[nodes];
#pragma unroll
    for (int k = 0; k < nodes; ++k) {
        v[k] = v_tile[lane * nodes + k];
        w[k] = Law::recovers ? w_tile[lane * nodes + k] : 0;
    }
    LineWatch<watch> watcher{line, low + lane * nodes, begin, min(begin + written, line.n),
                             line.activations.first_step};
#pragma unroll 1
    for (int step = 0; step < line.steps; ++step) {
        if constexpr (is_heun) {
            step_heun<Law>(line, v, w, watcher);
        } else {
            step_euler<Law>(line, v, w, watcher);
        }
        ++watcher.step;
    }
    if constexpr (watch == Watch::records) return;
    if constexpr (watch == Watch::flags) {
        const bool any = __any_sync(all_lanes, watcher.any(nodes));
        if (lane == 0) line.activations.flags[tile] = any ? 1 : 0;
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < nodes; ++k) {
        v_tile[lane * nodes + k] = v[k];
        if constexpr (Law::recovers) w_tile[lane * nodes + k] = w[k];
    }
    __syncwarp();
    const int count = min(written, line.n - begin);
    for (int i = lane; i < count; i += 32) {
        line.v_out[begin + i] = v_tile[halo + i];
        if constexpr (Law::recovers) line.w_out[begin + i] = w_tile[halo + i];
    }
}

/// A warp a tile; for records fewer warps, each lane of which looks whether a tile has a flag: neighboring tiles, which
/// often have one together, belong to different warps.
template <class Law, bool is_heun, int nodes, int blocks, Watch watch = Watch::nothing>
__global__ void __launch_bounds__(128, blocks) step_line(const LineSteps line) {
    const int warps = static_cast<int>(blockDim.x) / 32;
    const int first = static_cast<int>(blockIdx.x) * warps + static_cast<int>(threadIdx.x) / 32;
    const int written = written_nodes<is_heun>(nodes, line.steps), tiles = (line.n + written - 1) / written;
    if constexpr (watch == Watch::records) {
        const int extent = line.flagged_nodes > 0 ? line.flagged_nodes : written;
        const auto is_flagged = [&](int node) { return line.activations.flags[node / extent] != 0; };
        const int lane = static_cast<int>(threadIdx.x) % 32, all_warps = static_cast<int>(gridDim.x) * warps;
        for (int base = first; base < tiles; base += 32 * all_warps) {
            const int own = base + lane * all_warps, begin = own * written;
            const bool flagged = own < tiles && (is_flagged(begin) || is_flagged(min(begin + written, line.n) - 1));
            if (!__any_sync(all_lanes, flagged)) continue;
            for (int k = 0; k < 32; ++k) {
                if (!__any_sync(all_lanes, flagged && lane == k)) continue;
                step_tile<Law, is_heun, nodes, watch>(line, base + k * all_warps);
                __syncwarp();
            }
        }
    } else if (first < tiles) {
        step_tile<Law, is_heun, nodes, watch>(line, first);
    }
}

}  // namespace dunlin::waves
