// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <type_traits>

#include "sequences/cuda/pairs.cuh"
#include "sequences/matchings.hpp"

/// Distances of tracks. For a dynamic program each lane of a team has up to 8 rows, positions of the row's track, in
/// registers, and is a column, a position of the other one, behind the lane above. Axes: coordinates of a position; 0:
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
    bool is_banded;         ///< the band leaves out cells of some pair
    int of_lane;            ///< rows of a lane
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

/// Two tracks, whose positions are rows and columns; both of length 0: a team without work.
struct TrackPair {
    Positions a, b;
    Ground ground;  ///< of dtw's costs
};

__device__ inline Positions track_of(const TrackTask& task, Index item) {
    const Offset begin = task.offsets[item];
    return {task.positions + begin, task.stride, task.offsets[item + 1] - begin};
}

__device__ inline TrackPair pair_of(const TrackTask& task, Index i, Index j) {
    const bool near =
        task.geographic && are_near(task.least + Offset{i} * task.dim, task.most + Offset{i} * task.dim,
                                    task.least + Offset{j} * task.dim, task.most + Offset{j} * task.dim, task.dim);
    return {track_of(task, i), track_of(task, j), warping_ground(task.geographic, task.squared, near)};
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
    __device__ static double distance(double sum, bool squared, bool) { return warping_distance(sum, squared); }
};

/// Discrete Frechet distance: largest square, of which the distance is taken at the end.
struct Frechet {
    template <int Axes>
    __device__ static double cost(double square, Ground, bool) {
        return square;
    }
    __device__ static double joined(double cost, double path) { return LargestCost::joined(cost, path); }
    __device__ static double distance(double square, bool, bool geographic) {
        return distance_of_square(square, geographic);
    }
};

constexpr double track_infinity = std::numeric_limits<double>::infinity();

/// A strip of the program: some rows of the team from `begin` on, along the columns that may match them.
struct TrackStrip {
    Offset begin;
    Offset first, last;        ///< columns
    Offset above_last;         ///< of the strip above; -1: there is none
    bool is_last;              ///< there is none below
    Offset least_shift, most;  ///< of matched positions: column - row
};

__device__ inline int within(Offset value, int least_value, int most_value) {
    return static_cast<int>(value < least_value ? least_value : value > most_value ? most_value : value);
}

/// The cell of a lane's last row of `a` in the last column. between: the row above the strip, and on return its last
/// row. Rows beyond those of `a` are computed, too: nothing follows from them.
template <class Kind, int Axes>
__device__ inline double run_track_strip(const TrackTask& task, const TeamLane& at, const TrackPair& pair,
                                         const TrackStrip& strip, double* between, bool& stopped) {
    const Offset n = pair.a.length, first_row = strip.begin + Offset{at.lane} * task.of_lane;
    const bool has_rows = first_row < n;
    TrackPosition<Axes> a[positions_of_lane] = {};
    double left[positions_of_lane];  // the column before
#pragma unroll
    for (int k = 0; k < positions_of_lane; ++k) {
        left[k] = track_infinity;
        if (has_rows) a[k] = TrackPosition<Axes>::of(pair.a, first_row + k < n ? first_row + k : n - 1);
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
            const auto b = TrackPosition<Axes>::of(pair.b, column);
            // Rows of the lane within the band
            const Offset shift = column - first_row;
            const int first_k = task.is_banded ? within(shift - strip.most, 0, positions_of_lane) : 0;
            const int last_k =
                task.is_banded ? within(shift - strip.least_shift, -1, positions_of_lane) : positions_of_lane;
            double up = above, diagonal = corner;
#pragma unroll
            for (int k = 0; k < positions_of_lane; ++k) {
                if (k == task.of_lane) break;
                const double square = square_between(a[k], b, task.dim, task.stride);
                double value = Kind::joined(Kind::template cost<Axes>(square, pair.ground, task.squared),
                                            least(least(left[k], up), diagonal));
                if (k < first_k || k > last_k) value = track_infinity;
                diagonal = left[k];
                left[k] = up = value;
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
    double result = left[0];
#pragma unroll
    for (int k = 1; k < positions_of_lane; ++k) {
        if (first_row + k < n && k < task.of_lane) result = left[k];
    }
    return result;
}

/// The least cost of a monotone matching, in the lane that returns true.
template <class Kind, int Axes>
__device__ inline bool least_cost_of(const TrackTask& task, const TeamLane& at, const TrackPair& pair, double* between,
                                     double& cost) {
    const Offset n = pair.a.length, m = pair.b.length, height = Offset{at.lanes} * task.of_lane;
    TrackStrip strip{0, 0, 0, -1, false, (m < n ? m - n : 0) - task.band, (m > n ? m - n : 0) + task.band};
    const Offset strips = most_of_warp((n + height - 1) / height);
    bool stopped = false, is_mine = false;
    for (Offset s = 0; s < strips && !stopped; ++s) {
        const Offset end = strip.begin + height < n ? strip.begin + height : n;
        strip.first = strip.begin + strip.least_shift > 0 ? strip.begin + strip.least_shift : 0;
        strip.last = end - 1 + strip.most < m - 1 ? end - 1 + strip.most : m - 1;
        strip.is_last = end == n;
        const double last = run_track_strip<Kind, Axes>(task, at, pair, strip, between, stopped);
        if (strip.begin < n && end == n && at.lane == (n - 1 - strip.begin) / task.of_lane) {
            cost = last;
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
                distance = distance_of_square(largest_square_of_team<Axes>(task, at, pair), task.geographic);
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
