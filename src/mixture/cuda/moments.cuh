// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mixture/cuda/warp_product.cuh"

/// Responsibilities of a chunk of rows and their moments. Sums have an order fixed by the sizes.
namespace dunlin::mixture {

/// Densities of a chunk (components x stride) become responsibilities times a factor of the row.
struct NormalizeTask {
    double* shares;
    Offset stride;
    Index count, components;
    double smallest_exponent;  ///< responsibilities below its exponential are 0
    double* inverses;          ///< by which the shares of each row are to be multiplied
    double* log_likelihoods;   ///< of each row
    Index* labels;             ///< the likeliest component of each row
};

/// A block takes block_threads / Groups rows; each of Groups threads of a row has a run of the components.
template <int Groups>
__global__ void __launch_bounds__(block_threads) normalize_kernel(NormalizeTask task) {
    constexpr int rows = block_threads / Groups, at_once = 4;
    __shared__ double most_of[Groups][rows], sum_of[Groups][rows];
    __shared__ Index likeliest_of[Groups][rows];
    const int own = static_cast<int>(threadIdx.x) % rows, group = static_cast<int>(threadIdx.x) / rows;
    const Offset row = Offset{blockIdx.x} * rows + own;
    const bool is_there = row < task.count;
    const Index run = (task.components + Groups - 1) / Groups;
    const Index begin = group * run, end = is_there ? min(begin + run, task.components) : 0;
    double* const shares = task.shares + row;

    double most = -INFINITY;
    Index likeliest = 0;
#pragma unroll 4
    for (Index k = begin; k < end; ++k) {
        const double density = shares[k * task.stride];
        if (density > most) most = density, likeliest = k;
    }
    most_of[group][own] = most, likeliest_of[group][own] = likeliest;
    __syncthreads();
    most = -INFINITY, likeliest = 0;
#pragma unroll
    for (int g = 0; g < Groups; ++g) {
        if (most_of[g][own] > most) most = most_of[g][own], likeliest = likeliest_of[g][own];
    }

    double sum = 0;
    for (Index k = begin; k < end; k += at_once) {
        double found[at_once];  // all are read before one is written, so that the reads do not wait for each other
#pragma unroll
        for (int e = 0; e < at_once; ++e) found[e] = k + e < end ? shares[(k + e) * task.stride] : -INFINITY;
#pragma unroll
        for (int e = 0; e < at_once; ++e) {
            const double below = found[e] - most;
            const double share = below < task.smallest_exponent ? 0.0 : exp(below);
            if (k + e >= end) break;
            shares[(k + e) * task.stride] = share;
            sum += share;
        }
    }
    sum_of[group][own] = sum;
    __syncthreads();
    if (group > 0 || !is_there) return;
#pragma unroll
    for (int g = 1; g < Groups; ++g) sum += sum_of[g][own];
    task.inverses[row] = 1 / sum;
    task.log_likelihoods[row] = most + log(sum);
    task.labels[row] = likeliest;
}

constexpr int list_room = 2 * window_rows;

/// Rows with a responsibility that is not 0, in order, in shared memory.
struct RowList {
    double shares[list_room];
    Index rows[list_room];
    int counts[block_threads / 32];

    /// Appends those of the rows [begin, begin + window_rows) before `end` to the first `count` of the list; returns
    /// the new count. All threads of the block must call it.
    __device__ int append(int count, const double* row_shares, const double* inverses, Index begin, Index end) {
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
            shares[at++] = found[e] * inverses[first + e];
        }
        __syncthreads();
        return count;
    }
};

/// A segment of a chunk is summed by one block for each component, or some of them, into the sums of that segment: the
/// weights of all components, their first and then their second moments, and the log likelihood.
struct MomentTask {
    const float* rows;
    Index count, cols, components;
    const double* means;   ///< components x cols
    const double* shares;  ///< components x stride
    Offset stride;
    const double* inverses;  ///< of each row, see NormalizeTask
    Index segments, segment_rows;
    double* sums;        ///< segments x size()
    Offset second_size;  ///< of a component: cols, or cols x cols by columns, lower triangle, or 0
    bool adds;           ///< to sums of chunks before, or writes them anew

    [[nodiscard]] DUNLIN_HD Offset size() const { return components * (1 + cols + second_size) + 1; }
    __device__ void put(double& sum, double value) const { sum = adds ? sum + value : value; }
    [[nodiscard]] DUNLIN_HD double* log_likelihood(Index segment) const { return sums + (segment + 1) * size() - 1; }
    [[nodiscard]] DUNLIN_HD double* weight(Index segment, Index component) const {
        return sums + segment * size() + component;
    }
    [[nodiscard]] DUNLIN_HD double* first(Index segment, Index component) const {
        return sums + segment * size() + components + Offset{component} * cols;
    }
    [[nodiscard]] DUNLIN_HD double* second(Index segment, Index component) const {
        return first(segment, components) + component * second_size;
    }

    /// Calls use(count) for lists of the rows of a segment.
    template <class Use>
    __device__ void each_list(RowList& list, Index segment, Index component, const Use& use) const {
        const Index end = min(count, (segment + 1) * segment_rows);
        int listed = 0;
        for (Index begin = segment * segment_rows; begin < end; begin += window_rows) {
            listed = list.append(listed, shares + component * stride, inverses, begin, end);
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
    const Index component = slot % task.components, segment = slot / task.components;
    const int lane = static_cast<int>(threadIdx.x) % lanes, begin = static_cast<int>(threadIdx.x) / lanes,
              step = block_threads / lanes;
    const Index col = static_cast<Index>(blockIdx.x / slots) * lanes + lane;
    const bool has_col = col < task.cols;
    const double mean = has_col ? task.means[Offset{component} * task.cols + col] : 0.0;

    double weight = 0, first = 0, second = 0;
    task.each_list(list, segment, component, [&](int listed) {
#pragma unroll 4
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
    if (col == 0) task.put(*task.weight(segment, component), weight);
    task.put(task.first(segment, component)[col], first);
    if (Second) task.put(task.second(segment, component)[col], second);
}

/// All moments of rows of at most few_columns columns. A block takes a segment and components_of_block components, a
/// thread one product of columns of one of them and, if there are threads for it, a share of the rows.
template <bool Full>
__global__ void __launch_bounds__(block_threads) few_columns_kernel(MomentTask task) {
    __shared__ double x[few_rows * few_columns], shares[few_components][few_rows + 1], parts[block_threads];
    const int thread = static_cast<int>(threadIdx.x);
    const Index products = products_of(task.cols, Full), of_block = components_of_block(task.components, products);
    const Index tiles = (task.components + of_block - 1) / of_block;
    const Index segment = static_cast<Index>(blockIdx.x) / tiles,
                first_component = static_cast<Index>(blockIdx.x) % tiles * of_block;
    const Index here = min(of_block, task.components - first_component);
    const int sums = of_block * products, sets = block_threads / sums, set = thread / sums;
    const Index own = thread % sums / products, component = first_component + own;
    Index a = thread % products, b = a;
    if (Full) {
        a = 0;
        while (b > a) b -= ++a;  // row and column of the product in the lower triangle
    }
    const bool is_used = set < sets && own < here;
    const double* const mean = task.means + (is_used ? Offset{component} * task.cols : 0);
    const double mean_a = mean[a], mean_b = mean[b];

    double weight = 0, first = 0, second = 0;
    const Index end = min(task.count, (segment + 1) * task.segment_rows);
    for (Index begin = segment * task.segment_rows; begin < end; begin += few_rows) {
        const Index rows = min(few_rows, end - begin);
        __syncthreads();
        for (Index i = thread; i < rows * task.cols; i += block_threads)
            x[i] = static_cast<double>(task.rows[Offset{begin} * task.cols + i]);
        for (Index i = thread; i < here * few_rows; i += block_threads) {
            const Index k = i / few_rows, row = i % few_rows;
            if (row >= rows) continue;
            shares[k][row] =
                task.shares[(first_component + k) * task.stride + begin + row] * task.inverses[begin + row];
        }
        __syncthreads();
        if (!is_used) continue;
#pragma unroll 4
        for (Index row = set; row < rows; row += sets) {
            const double share = shares[own][row], from_mean = x[row * task.cols + a] - mean_a;
            weight += share;
            first += share * from_mean;
            second += share * (from_mean * (Full ? x[row * task.cols + b] - mean_b : from_mean));
        }
    }
    const auto total = [&](double value) {
        __syncthreads();
        parts[thread] = value;
        __syncthreads();
        double sum = 0;
        if (set == 0) {
            for (int i = 0; i < sets; ++i) sum += parts[i * sums + thread];
        }
        return sum;
    };
    weight = total(weight), first = total(first), second = total(second);
    if (set > 0 || !is_used) return;
    if (a == 0) task.put(*task.weight(segment, component), weight);
    if (a == b) task.put(task.first(segment, component)[a], first);
    if (Full) {
        task.put(task.second(segment, component)[b * task.cols + a], second);
    } else if (task.second_size > 0) {
        task.put(task.second(segment, component)[a], second);
    }
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
    double* const to = task.second(slot / task.components, component);
#pragma unroll
    for (int m = 0; m < 4; ++m) {
#pragma unroll
        for (int n = 0; n < 2; ++n) {
#pragma unroll
            for (int e = 0; e < 2; ++e) {
                const Index row = first_row + TileSums::row(m), col = first_col + TileSums::col(n) + e;
                if (row < task.cols && col <= row) task.put(to[Offset{col} * task.cols + row], sums.at[m][n][e]);
            }
        }
    }
}

/// The log likelihood of each segment, a block of threads each.
__global__ void __launch_bounds__(block_threads) likelihood_kernel(MomentTask task, const double* log_likelihoods) {
    __shared__ double parts[block_threads];
    const int thread = static_cast<int>(threadIdx.x);
    const auto segment = static_cast<Index>(blockIdx.x);
    const Index end = min(task.count, (segment + 1) * task.segment_rows);
    double sum = 0;
#pragma unroll 8
    for (Index row = segment * task.segment_rows + thread; row < end; row += block_threads) sum += log_likelihoods[row];
    parts[thread] = sum;
    for (int half = block_threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half) parts[thread] += parts[thread + half];
    }
    if (thread == 0) task.put(*task.log_likelihood(segment), parts[0]);
}

/// Groups of threads that share the segments of a block of rows; few segments are read by one thread for each value.
constexpr int groups_of_segments = 16;
constexpr Index few_segments = 8;

/// Sums of the segments of blocks of rows, `width` values of the `pitch` of each.
struct BlockTask {
    const double* sums;  ///< (blocks x segments) x pitch, from the first of the values on
    Offset pitch, width;
    Index blocks, segments;
    double* of_blocks;  ///< where the sums of the blocks go, blocks x width; null: into the total
    double* total;      ///< width
    bool adds;          ///< to the total of blocks before, or writes it anew
};

/// Adds segments to blocks, and blocks to the total, in orders that the number of segments alone determines. A block of
/// threads takes block_threads / Groups values and, with gridDim.y > 1, some of the blocks of rows.
template <int Groups>
__global__ void __launch_bounds__(block_threads) add_blocks_kernel(BlockTask task) {
    constexpr int values = block_threads / Groups;
    __shared__ double parts[Groups][values];
    const int value = static_cast<int>(threadIdx.x) % values, group = static_cast<int>(threadIdx.x) / values;
    const Offset at = Offset{blockIdx.x} * values + value;
    const bool is_there = at < task.width, is_kept = task.of_blocks != nullptr;
    bool adds = task.adds;
    double total = is_there && !is_kept && adds ? task.total[at] : 0.0;
    for (Index block = static_cast<Index>(blockIdx.y); block < task.blocks; block += static_cast<Index>(gridDim.y)) {
        double sum = 0;
        if (is_there) {
            const double* const sums = task.sums + Offset{block} * task.segments * task.pitch + at;
#pragma unroll 8
            for (Index segment = group; segment < task.segments; segment += Groups) sum += sums[segment * task.pitch];
        }
        if (Groups > 1) {
            __syncthreads();
            parts[group][value] = sum;
            __syncthreads();
            if (group > 0) continue;
#pragma unroll
            for (int g = 1; g < Groups; ++g) sum += parts[g][value];
        }
        if (!is_there) continue;
        if (is_kept) {
            task.of_blocks[block * task.width + at] = sum;
        } else {
            total = adds ? total + sum : sum, adds = true;
        }
    }
    if (is_there && group == 0 && !is_kept) task.total[at] = total;
}

/// The total of the sums of blocks, added as add_blocks_kernel adds them.
struct AddBlocks {
    const double* of_blocks;
    Offset width;
    Index blocks;
    double* total;
    __device__ void operator()(Offset at) const {
        double sum = of_blocks[at];
#pragma unroll 8
        for (Index block = 1; block < blocks; ++block) sum += of_blocks[block * width + at];
        total[at] = sum;
    }
};

}  // namespace dunlin::mixture
