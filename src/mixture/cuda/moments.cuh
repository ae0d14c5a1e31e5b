// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mixture/cuda/warp_product.cuh"

/// Responsibilities of a chunk of rows and their moments. Sums have an order fixed by the sizes.
namespace dunlin::mixture {

/// Densities of a chunk (components x stride) become responsibilities times a factor of the row, whose reciprocal is
/// sums[row].
struct NormalizeTask {
    double* shares;
    Offset stride;
    Index count, components;
    double smallest_exponent;  ///< responsibilities below its exponential are 0
    double* sums;
    double* log_likelihoods;  ///< of each row
    Index* labels;            ///< the likeliest component of each row
    __device__ void operator()(Offset row) const {
        double most = -INFINITY;
        Index likeliest = 0;
        for (Index k = 0; k < components; ++k) {
            const double density = shares[k * stride + row];
            if (density > most) most = density, likeliest = k;
        }
        double sum = 0;
        for (Index k = 0; k < components; ++k) {
            const double below = shares[k * stride + row] - most;
            const double share = below < smallest_exponent ? 0.0 : exp(below);
            shares[k * stride + row] = share;
            sum += share;
        }
        sums[row] = sum;
        log_likelihoods[row] = most + log(sum);
        labels[row] = likeliest;
    }
};

constexpr int list_room = 2 * window_rows;

/// Rows with a responsibility that is not 0, in order, in shared memory.
struct RowList {
    double shares[list_room];
    Index rows[list_room];
    int counts[block_threads / 32];

    /// Appends those of the rows [begin, begin + window_rows) before `end` to the first `count` of the list; returns
    /// the new count. All threads of the block must call it.
    __device__ int append(int count, const double* row_shares, const double* sums, Index begin, Index end) {
        const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
        const Index first = begin + 4 * static_cast<Index>(threadIdx.x);
        double found[4];
        int own = 0;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            found[e] = first + e < end ? row_shares[first + e] : 0.0;
            own += found[e] > 0 ? 1 : 0;
        }
        int upto = own;
        for (int lanes = 1; lanes < 32; lanes *= 2) {
            const int before = __shfl_up_sync(~0U, upto, lanes);
            if (lane >= lanes) upto += before;
        }
        if (lane == 31) counts[warp] = upto;
        __syncthreads();
        int at = count + upto - own;
        for (int w = 0; w < block_threads / 32; ++w) {
            if (w < warp) at += counts[w];
            count += counts[w];
        }
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            if (!(found[e] > 0)) continue;
            rows[at] = first + e;
            shares[at++] = found[e] / sums[first + e];
        }
        __syncthreads();
        return count;
    }
};

/// A segment of a chunk is summed by one block for each component, and added to the sums of that segment and component
/// (slot segment * components + component).
struct MomentTask {
    const float* rows;
    Index count, cols, components;
    const double* means;   ///< components x cols
    const double* shares;  ///< components x stride
    Offset stride;
    const double* sums;  ///< of each row, see NormalizeTask
    Index segments, segment_rows;
    double *weights, *first, *second;  ///< of each slot; second: cols, or cols x cols by columns, lower triangle

    /// Calls use(count) for lists of the rows of a segment.
    template <class Use>
    __device__ void each_list(RowList& list, Index segment, Index component, const Use& use) const {
        const Index end = min(count, (segment + 1) * segment_rows);
        int listed = 0;
        for (Index begin = segment * segment_rows; begin < end; begin += window_rows) {
            listed = list.append(listed, shares + component * stride, sums, begin, end);
            if (listed <= list_room - window_rows && begin + window_rows < end) continue;
            use(listed);
            __syncthreads();
            listed = 0;
        }
    }
};

/// Weights, first moments about the mean and, if `Second`, second moments of the columns. A block takes `lanes`
/// columns, a power of two of at most most_lanes.
template <bool Second>
__global__ void __launch_bounds__(block_threads) moment_kernel(MomentTask task, int lanes) {
    __shared__ RowList list;
    __shared__ double parts[block_threads];
    const auto slots = static_cast<unsigned>(task.segments) * static_cast<unsigned>(task.components);
    const auto slot = static_cast<Index>(blockIdx.x % slots);
    const Index component = slot % task.components;
    const int lane = static_cast<int>(threadIdx.x) % lanes, begin = static_cast<int>(threadIdx.x) / lanes,
              step = block_threads / lanes;
    const Index col = static_cast<Index>(blockIdx.x / slots) * lanes + lane;
    const bool has_col = col < task.cols;
    const double mean = has_col ? task.means[Offset{component} * task.cols + col] : 0.0;

    double weight = 0, first = 0, second = 0;
    task.each_list(list, slot / task.components, component, [&](int listed) {
        for (int i = begin; i < listed; i += step) {
            const double share = list.shares[i];
            weight += share;
            if (!has_col) continue;
            const double x = static_cast<double>(task.rows[Offset{list.rows[i]} * task.cols + col]) - mean;
            first += share * x;
            if (Second) second += share * (x * x);
        }
    });
    const auto total = [&](double value) {
        __syncthreads();
        parts[threadIdx.x] = value;
        __syncthreads();
        double sum = 0;
        if (begin == 0) {
            for (int i = 0; i < step; ++i) sum += parts[i * lanes + lane];
        }
        return sum;
    };
    weight = total(weight), first = total(first);
    if (Second) second = total(second);
    if (begin != 0 || !has_col) return;
    if (col == 0) task.weights[slot] += weight;
    task.first[Offset{slot} * task.cols + col] += first;
    if (Second) task.second[Offset{slot} * task.cols + col] += second;
}

/// Second moments about the mean: a tile of the lower triangle of sum r (x - mean)(x - mean)^T a block.
__global__ void __launch_bounds__(block_threads, 2) outer_kernel(MomentTask task) {
    constexpr int pitch = tile_side + 4;  // a warp reads 4 x 4 neighbors of a tile without bank conflicts
    __shared__ RowList list;
    __shared__ double left[tile_depth][pitch], right[tile_depth][pitch];
    const auto pairs = static_cast<unsigned>(tile_pairs(task.cols));
    const auto slot = static_cast<Index>(blockIdx.x / pairs);
    Index below = 0, pair = static_cast<Index>(blockIdx.x % pairs);
    while (pair > below) pair -= ++below;  // row and column of the tile
    const Index component = slot % task.components, first_row = below * tile_side, first_col = pair * tile_side;
    const double* mean = task.means + Offset{component} * task.cols;
    const int level = static_cast<int>(threadIdx.x) / 16, item = static_cast<int>(threadIdx.x) % 16;
    const bool needs_warp = first_row + TileSums::warp_row() < task.cols &&
                            first_col + TileSums::warp_col() < task.cols &&
                            first_col + TileSums::warp_col() < first_row + TileSums::warp_row() + warp_rows;

    double row_means[4], col_means[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        const Index row = first_row + item + 16 * e, col = first_col + item + 16 * e;
        row_means[e] = row < task.cols ? mean[row] : 0.0;
        col_means[e] = col < task.cols ? mean[col] : 0.0;
    }
    TileSums sums;
    task.each_list(list, slot / task.components, component, [&](int listed) {
        double rows[4], cols[4];
        const auto fetch = [&](int begin) {
            const bool there = begin + level < listed;
            const double share = there ? list.shares[begin + level] : 0.0;
            const float* x = task.rows + (there ? Offset{list.rows[begin + level]} * task.cols : 0);
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const Index row = first_row + item + 16 * e, col = first_col + item + 16 * e;
                rows[e] = there && row < task.cols ? share * (static_cast<double>(x[row]) - row_means[e]) : 0.0;
                cols[e] = there && col < task.cols ? static_cast<double>(x[col]) - col_means[e] : 0.0;
            }
        };
        fetch(0);
        for (int begin = 0; begin < listed; begin += tile_depth) {
            __syncthreads();
#pragma unroll
            for (int e = 0; e < 4; ++e) left[level][item + 16 * e] = rows[e], right[level][item + 16 * e] = cols[e];
            __syncthreads();
            fetch(begin + tile_depth);
            if (!needs_warp) continue;
            sums.add([&](int row, int l) { return left[l][row]; }, [&](int l, int col) { return right[l][col]; });
        }
    });
    double* to = task.second + Offset{slot} * task.cols * task.cols;
#pragma unroll
    for (int m = 0; m < 4; ++m) {
#pragma unroll
        for (int n = 0; n < 2; ++n) {
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const Index row = first_row + TileSums::row(m), col = first_col + TileSums::col(n) + e;
                if (row < task.cols && col <= row) to[Offset{col} * task.cols + row] += sums.at[m][n][e];
            }
        }
    }
}

}  // namespace dunlin::mixture
