// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <type_traits>

#include "sequences/cuda/pairs.cuh"
#include "sequences/matchings.hpp"

/// Distances of tracks. For a dynamic program each lane of a team has up to 8 rows, positions of the shorter track, in
/// registers, and is a column, a position of the longer one, behind the lane above. Axes: coordinates of a position; 0:
/// any number, which are read again for every pair of positions.
namespace dunlin::sequences {

struct TrackTask {
    PairGrid pairs;
    const double* positions;     ///< [axis][position]
    Offset stride;               ///< positions of all tracks
    const double *least, *most;  ///< [item][axis], on the sphere
    const Offset* offsets;
    int dim;
    bool squared, geographic;
    Offset band;
    std::uint64_t of_team;  ///< bytes between strips
};

/// Coordinates of a position in registers, or where they are.
template <int Axes>
struct TrackPosition {
    double at[Axes];
    __device__ static TrackPosition of(const Positions& track, Offset position) {
        TrackPosition place;
#pragma unroll
        for (int c = 0; c < Axes; ++c) place.at[c] = track.at[c * track.stride + position];
        return place;
    }
};
template <>
struct TrackPosition<0> {
    const double* at;
    __device__ static TrackPosition of(const Positions& track, Offset position) { return {track.at + position}; }
};

/// Sum of the squared differences of the coordinates, in their order.
template <int Axes>
__device__ inline double square_between(const TrackPosition<Axes>& a, const TrackPosition<Axes>& b, int dim,
                                        Offset stride) {
    double sum = 0;
    if constexpr (Axes > 0) {
#pragma unroll
        for (int c = 0; c < Axes; ++c) sum += (a.at[c] - b.at[c]) * (a.at[c] - b.at[c]);
    } else {
        for (int c = 0; c < dim; ++c) {
            const double difference = a.at[c * stride] - b.at[c * stride];
            sum += difference * difference;
        }
    }
    return sum;
}

/// Two tracks, `a` not longer than `b`; both of length 0: a team without work.
struct TrackPair {
    Positions a, b;
    Ground ground;  ///< of dtw's costs
};

__device__ inline Positions track_of(const TrackTask& task, Index item) {
    const Offset begin = task.offsets[item];
    return {task.positions + begin, task.stride, task.offsets[item + 1] - begin};
}

__device__ inline TrackPair pair_of(const TrackTask& task, Index i, Index j) {
    Positions a = track_of(task, i), b = track_of(task, j);
    const bool near =
        task.geographic && are_near(task.least + Offset{i} * task.dim, task.most + Offset{i} * task.dim,
                                    task.least + Offset{j} * task.dim, task.most + Offset{j} * task.dim, task.dim);
    const Ground ground = warping_ground(task.geographic, task.squared, near);
    if (a.length > b.length) return {b, a, ground};
    return {a, b, ground};
}

/// Dynamic time warping.
struct Warping {
    template <int Axes>
    __device__ static double cost(double square, Ground ground, bool squared) {
        if constexpr (Axes != 3) {  // no positions on the sphere
            return ground == Ground::square ? square : std::sqrt(square);
        } else {
            const double distance = ground_distance(square, ground);
            return squared && ground != Ground::square ? distance * distance : distance;
        }
    }
    __device__ static double joined(double cost, double path) { return SumOfCosts::joined(cost, path); }
    __device__ static double distance(double sum, bool squared, bool) { return squared ? std::sqrt(sum) : sum; }
};

/// Discrete Frechet distance: largest square, of which the distance is taken at the end.
struct Frechet {
    template <int Axes>
    __device__ static double cost(double square, Ground, bool) {
        return square;
    }
    __device__ static double joined(double cost, double path) { return LargestCost::joined(cost, path); }
    __device__ static double distance(double square, bool, bool geographic) {
        return ground_distance(square, geographic ? Ground::arc : Ground::root);
    }
};

constexpr double track_infinity = std::numeric_limits<double>::infinity();

/// A strip of the program: rows [begin, begin + lanes * of_lane) of the team, along the columns that may match them.
struct TrackStrip {
    Offset begin;
    int of_lane;         ///< rows
    Offset first, last;  ///< columns
    Offset above_last;   ///< of the strip above; -1: there is none
    bool is_last;        ///< there is none below
};

/// The last row of a lane at its last column; of the lane with the last row of `a` that is the result. between:
/// the row above the strip, and on return its last row.
template <class Kind, int Axes>
__device__ inline double run_track_strip(const TrackTask& task, const TeamLane& at, const TrackPair& pair,
                                         const TrackStrip& strip, double* between, bool& stopped) {
    const Offset n = pair.a.length, m = pair.b.length, first_row = strip.begin + Offset{at.lane} * strip.of_lane;
    const bool has_rows = first_row < n, is_banded = task.band < m;
    const auto rows = static_cast<int>(n - first_row < strip.of_lane ? n - first_row : strip.of_lane);
    TrackPosition<Axes> a[positions_of_lane] = {};
    double left[positions_of_lane];  // the column before
#pragma unroll
    for (int k = 0; k < positions_of_lane; ++k) {
        left[k] = track_infinity;
        if (has_rows && k < rows) a[k] = TrackPosition<Axes>::of(pair.a, first_row + k);
    }
    double corner = track_infinity, lowest = track_infinity;  // above left; the lane's last row
    if (at.lane == 0 && strip.begin == 0) corner = 0;         // before the first positions
    if (at.lane == 0 && has_rows && strip.begin > 0 && strip.first > 0) corner = between[strip.first - 1];

    const Offset steps = most_of_warp(n > strip.begin ? strip.last - strip.first + at.lanes : 0);
    for (Offset now = 0; now < steps; ++now) {
        double above = __shfl_up_sync(~0U, lowest, 1U, at.lanes);
        const Offset column = strip.first + now - at.lane;
        if (has_rows && column >= strip.first && column <= strip.last) {
            if (at.lane == 0) above = column <= strip.above_last ? between[column] : track_infinity;
            const TrackPosition<Axes> b = TrackPosition<Axes>::of(pair.b, column);
            double up = above, diagonal = corner;
#pragma unroll
            for (int k = 0; k < positions_of_lane; ++k) {
                if (k < rows) {
                    const Offset shift = column - first_row - k;
                    double value = track_infinity;
                    if (!is_banded || (shift >= -task.band && shift <= task.band + m - n)) {
                        const double square = square_between(a[k], b, task.dim, task.stride);
                        value = Kind::joined(Kind::template cost<Axes>(square, pair.ground, task.squared),
                                             least(least(left[k], up), diagonal));
                    }
                    diagonal = left[k];
                    left[k] = up = value;
                }
            }
            corner = above;
            lowest = up;
            if (!strip.is_last && at.lane == at.lanes - 1) between[column] = lowest;
        }
        if (is_stopped(task.pairs, now)) {
            stopped = true;
            break;
        }
    }
    __syncwarp();  // for the next strip, which reads what the last lane wrote
    return lowest;
}

/// The least cost of a monotone matching, in the lane that returns true.
template <class Kind, int Axes>
__device__ inline bool least_cost_of(const TrackTask& task, const TeamLane& at, const TrackPair& pair, double* between,
                                     double& cost) {
    const Offset n = pair.a.length, m = pair.b.length;
    TrackStrip strip{0, 1, 0, 0, -1, false};
    strip.of_lane =
        n >= Offset{at.lanes} * positions_of_lane ? positions_of_lane : static_cast<int>((n + at.lanes - 1) / at.lanes);
    if (strip.of_lane < 1) strip.of_lane = 1;
    const Offset height = Offset{at.lanes} * strip.of_lane, strips = most_of_warp((n + height - 1) / height);
    bool stopped = false, is_mine = false;
    for (Offset s = 0; s < strips && !stopped; ++s) {
        const Offset end = strip.begin + height < n ? strip.begin + height : n;
        const Offset by_band = end - 1 + task.band + m - n;
        strip.first = strip.begin > task.band ? strip.begin - task.band : 0;
        strip.last = by_band < m - 1 ? by_band : m - 1;
        strip.is_last = end == n;
        const double lowest = run_track_strip<Kind, Axes>(task, at, pair, strip, between, stopped);
        if (strip.begin < n && end == n && at.lane == (n - 1 - strip.begin) / strip.of_lane) {
            cost = lowest;
            is_mine = true;
        }
        strip.above_last = strip.last;
        strip.begin += height;
    }
    return is_mine;
}

/// Largest of the least squared distances of a's positions to those of b, over the positions of this lane.
template <int Axes>
__device__ inline double directed_square(const TrackTask& task, const TeamLane& at, const Positions& a,
                                         const Positions& b) {
    double most_square = 0;
    for (Offset begin = at.lane; begin < a.length; begin += Offset{at.lanes} * positions_of_lane) {
        const Offset left = (a.length - begin + at.lanes - 1) / at.lanes;
        const auto count = static_cast<int>(left < positions_of_lane ? left : positions_of_lane);
        TrackPosition<Axes> here[positions_of_lane];
        double near[positions_of_lane];
#pragma unroll
        for (int k = 0; k < positions_of_lane; ++k) {
            here[k] = TrackPosition<Axes>::of(a, k < count ? begin + Offset{k} * at.lanes : begin);
            near[k] = track_infinity;
        }
        for (Offset j = 0; j < b.length; ++j) {
            const TrackPosition<Axes> other = TrackPosition<Axes>::of(b, j);
#pragma unroll
            for (int k = 0; k < positions_of_lane; ++k) {
                if (k < count) near[k] = least(near[k], square_between(here[k], other, task.dim, task.stride));
            }
            if (j % 1024 == 1023 && *task.pairs.stop != 0) return 0;
        }
#pragma unroll
        for (int k = 0; k < positions_of_lane; ++k) {
            if (k < count) most_square = most(most_square, near[k]);
        }
    }
    return most_square;
}

/// Hausdorff distance.
template <int Axes>
__device__ inline double largest_square_of_team(const TrackTask& task, const TeamLane& at, const TrackPair& pair) {
    double square =
        most(directed_square<Axes>(task, at, pair.a, pair.b), directed_square<Axes>(task, at, pair.b, pair.a));
    for (int mask = at.lanes / 2; mask > 0; mask /= 2) square = most(square, __shfl_xor_sync(~0U, square, mask));
    return square;
}

struct Hausdorff {};

template <class Kind, int Axes>
__global__ void __launch_bounds__(block_threads) track_kernel(const TrackTask task) {
    const PairGrid& grid = task.pairs;
    const TeamLane at(grid.lanes);
    auto* const between = reinterpret_cast<double*>(grid.workspace + blockIdx.x * grid.workspace_bytes +
                                                    static_cast<std::uint64_t>(at.team) * task.of_team);
    for (Offset number = blockIdx.x; number < grid.tiles(); number += gridDim.x) {
        const PairTile tile = tile_at(grid, number);
        if (!grid.is_wanted(tile.row, tile.end - 1)) continue;
        for (Index round = tile.begin; round < tile.end; round += at.teams) {
            if (__any_sync(~0U, *grid.stop != 0)) return;
            const Index column = round + at.team;
            const bool is_wanted = column < tile.end && grid.is_wanted(tile.row, column);
            TrackPair pair{{nullptr, 0, 0}, {nullptr, 0, 0}, Ground::square};
            if (is_wanted) pair = pair_of(task, grid.rows[tile.row], grid.columns[column]);
            double distance = 0;
            bool is_mine = is_wanted && at.lane == 0;
            if constexpr (std::is_same_v<Kind, Hausdorff>) {
                distance = Frechet::distance(largest_square_of_team<Axes>(task, at, pair), false, task.geographic);
            } else {
                double cost = 0;
                is_mine = least_cost_of<Kind, Axes>(task, at, pair, between, cost);
                if (is_mine) distance = Kind::distance(cost, task.squared, task.geographic);
            }
            if (is_mine) grid.out[Offset{tile.row} * grid.column_count + column] = static_cast<float>(distance);
        }
    }
}

}  // namespace dunlin::sequences
