// SPDX-License-Identifier: Apache-2.0
#include <climits>
#include <cstring>

#include "forces/grid/cells.cuh"

namespace dunlin::forces {

namespace {

/// Threads per block; fewer in 3-D, where tiles and weights need more shared memory.
template <int D>
constexpr int threads = D == 2 ? 256 : 128;

/// Nodes of a block's tile in shared memory.
template <int D>
constexpr int tile_nodes = D == 2 ? 5120 : 8192;

/// Maps the bits of floats to integers of the same order; its own inverse.
__host__ __device__ std::int32_t ordered(std::int32_t bits) { return bits >= 0 ? bits : bits ^ 0x7fffffff; }

double from_ordered(std::int32_t key) {
    const std::int32_t bits = ordered(key);
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return static_cast<double>(value);
}

/// Minimum and maximum per axis.
template <int D>
struct CoordinateRange {
    std::int32_t least[D], most[D];

    __device__ CoordinateRange() {
#pragma unroll
        for (int d = 0; d < D; ++d) least[d] = INT_MAX, most[d] = INT_MIN;
    }
    __device__ void include(int axis, std::int32_t value) {
        least[axis] = min(least[axis], value), most[axis] = max(most[axis], value);
    }
    /// Merges the ranges of all threads into shared or global memory.
    template <class Shared>
    __device__ void merge_into(Shared& all) {
#pragma unroll
        for (int d = 0; d < D; ++d) {
            for (int step = 16; step > 0; step /= 2) {
                least[d] = min(least[d], __shfl_xor_sync(~0U, least[d], step));
                most[d] = max(most[d], __shfl_xor_sync(~0U, most[d], step));
            }
            if (threadIdx.x % 32 == 0) atomicMin(&all.least[d], least[d]), atomicMax(&all.most[d], most[d]);
        }
    }
};

template <int D>
__global__ void box_kernel(Index n, const float* y, GridSurvey* survey) {
    CoordinateRange<D> range;
    for (Offset i = Offset{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += Offset{gridDim.x} * blockDim.x) {
#pragma unroll
        for (int d = 0; d < D; ++d) range.include(d, ordered(__float_as_int(y[i * D + d])));
    }
    range.merge_into(*survey);
}

/// Range of cells of the points that a block spreads in shared memory, and the layout of their nodes there.
template <int D>
struct Tile {
    int least[D], most[D];
    bool whole;  ///< all points of the block are inside

    __device__ int width(int axis) const { return most[axis] - least[axis] + grid_order; }
    __device__ Offset rows() const {
        if constexpr (D == 2) return width(1);
        return Offset{width(1)} * width(D - 1);
    }
    /// Distance between rows. If memory allows it is chosen so that the 32 nodes to which a warp adds lie in 32 banks.
    __device__ int pitch() const {
        const int wide = (width(0) - grid_order + 31) / 32 * 32 + grid_order;
        return wide * rows() <= tile_nodes<D> ? wide : width(0);
    }
    __device__ bool fits() const { return width(0) * rows() <= tile_nodes<D>; }
    __device__ bool has(const int (&cell)[D]) const {
        bool inside = true;
#pragma unroll
        for (int d = 0; d < D; ++d) inside &= cell[d] >= least[d] && cell[d] <= most[d];
        return inside;
    }
    /// Restricts the tile to a window around a cell.
    __device__ void cut(const int (&cell)[D]) {
        constexpr int cells = D == 2 ? 64 : 14, side = cells + grid_order;
        static_assert((D == 2 ? side * side : side * side * side) <= tile_nodes<D>);
#pragma unroll
        for (int d = 0; d < D; ++d) {
            least[d] = max(least[d], min(cell[d] - cells / 2, most[d] - cells));
            most[d] = min(most[d], least[d] + cells);
        }
    }
};

/// Finds the tile of points [begin, end) and counts points outside the grid. All threads call it. If the points do not
/// fit into a tile it is a window around the middle point; others are outside.
template <int D>
__device__ void find_tile(Index begin, Index end, const float* y, const GridField& field, GridSurvey* survey,
                          Tile<D>& tile) {
    if (threadIdx.x < D) tile.least[threadIdx.x] = INT_MAX, tile.most[threadIdx.x] = INT_MIN;
    __syncthreads();
    CoordinateRange<D> range;
    for (Index i = begin + static_cast<Index>(threadIdx.x); i < end; i += threads<D>) {
        const auto place = position_of<D>(field, y, i);
        if (place.stray) atomicAdd(&survey->strays, 1ULL);
#pragma unroll
        for (int d = 0; d < D; ++d) range.include(d, place.cell[d]);
    }
    range.merge_into(tile);
    __syncthreads();
    if (threadIdx.x == 0) {
        tile.whole = tile.fits();
        if (!tile.whole) tile.cut(position_of<D>(field, y, begin + (end - begin) / 2).cell);
    }
    __syncthreads();
}

/// Up to 32 points whose splines a warp adds: weights along each axis, and the first node (see ChargeTarget).
template <int D>
struct Batch {
    static constexpr int row = 36;  // floats between weights, chosen so that six of them lie in different banks
    alignas(16) float weight[D * grid_order * row];
    alignas(16) int first[32];

    /// Sets the point of a lane and its factor; a lane without a point gets weight 0 at node 0.
    __device__ void set(int lane, bool there, float factor, const CellPosition<D>& place, int first_node) {
#pragma unroll
        for (int d = 0; d < D; ++d) {
            float of_point[grid_order];
            math::bspline_weights<grid_order>(place.into[d], of_point);
            const float scale = !there ? 0.0F : d == 0 ? factor * static_cast<float>(1 << charge_bits) : 1.0F;
#pragma unroll
            for (int m = 0; m < grid_order; ++m) weight[(d * grid_order + m) * row + lane] = scale * of_point[m];
        }
        first[lane] = there ? first_node : 0;
    }
    __device__ float4 weights(int axis, int node, int point) const {
        return *reinterpret_cast<const float4*>(weight + (axis * grid_order + node) * row + point);
    }
};

/// Destination of charges: the tile, or the grid for points outside a tile that is not whole. First nodes in the grid
/// are stored as ~first.
template <int D, bool Whole>
struct ChargeTarget {
    int* tile;
    GridCharge* grid;
    CudaGridStrides in_tile, in_grid;

    __device__ int first(const Tile<D>& cells, const int (&cell)[D]) const {
        int within[D];
#pragma unroll
        for (int d = 0; d < D; ++d) within[d] = cell[d] - cells.least[d];
        return Whole || cells.has(cell) ? node_at<D>(within, in_tile) : ~node_at<D>(cell, in_grid);
    }
    __device__ void add(int first, int x, int y, int z, int charge) const {
        if (Whole || first >= 0) {
            atomicAdd(tile + first + x + y * in_tile.row + z * in_tile.plane, charge);
        } else {
            atomicAdd(grid + ~first + x + y * in_grid.row + z * in_grid.plane, static_cast<GridCharge>(charge));
        }
    }
};

/// Adds the charges of four points at node (x, y) of every plane. If all four lie in one cell their sum is added.
template <int D, bool Whole>
__device__ void add_four(const Batch<D>& batch, int point, int x, int y, const ChargeTarget<D, Whole>& nodes) {
    const float4 wx = batch.weights(0, x, point), wy = batch.weights(1, y, point);
    const float4 w{wx.x * wy.x, wx.y * wy.y, wx.z * wy.z, wx.w * wy.w};
    const int4 first = *reinterpret_cast<const int4*>(batch.first + point);
    const bool together = first.x == first.y && first.x == first.z && first.x == first.w;
#pragma unroll
    for (int z = 0; z < (D == 2 ? 1 : grid_order); ++z) {
        const float4 wz = D == 2 ? float4{1, 1, 1, 1} : batch.weights(D - 1, z, point);
        const int a = __float2int_rn(w.x * wz.x), b = __float2int_rn(w.y * wz.y);
        const int c = __float2int_rn(w.z * wz.z), d = __float2int_rn(w.w * wz.w);
        if (together) {
            nodes.add(first.x, x, y, z, a + b + c + d);
        } else {
            nodes.add(first.x, x, y, z, a);
            nodes.add(first.y, x, y, z, b);
            nodes.add(first.z, x, y, z, c);
            nodes.add(first.w, x, y, z, d);
        }
    }
}

/// Adds 32 of the 36 nodes of each plane, one per lane, for all points; then the last four nodes, for four points per
/// lane.
template <int D, bool Whole>
__device__ void add_batch(const Batch<D>& batch, int lane, const ChargeTarget<D, Whole>& nodes) {
#pragma unroll 2
    for (int point = 0; point < 32; point += 4) {
        add_four(batch, point, lane % grid_order, lane / grid_order, nodes);
    }
    add_four(batch, lane / 4 * 4, 2 + lane % 4, grid_order - 1, nodes);
}

/// Adds all points of [begin, end), 32 per warp.
template <int D, bool Whole>
__device__ void add_points(Index begin, Index end, const float* y, const float* weights, const GridField& field,
                           const Tile<D>& tile, const ChargeTarget<D, Whole>& nodes, Batch<D>& batch) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (Index first = begin + static_cast<Index>(threadIdx.x) / 32 * 32; first < end; first += threads<D>) {
        const Index point = min(first + lane, end - 1);
        const auto place = position_of<D>(field, y, point);
        const float factor = weights == nullptr ? 1.0F : weights[point];
        batch.set(lane, first + lane < end, factor, place, nodes.first(tile, place.cell));
        __syncwarp();
        add_batch(batch, lane, nodes);
        __syncwarp();
    }
}

template <int D>
__device__ void flush_tile(const Tile<D>& tile, int pitch, const int* charges, const CudaGridStrides& strides,
                           GridCharge* total) {
    const int width = tile.width(0), rows = static_cast<int>(tile.rows());
    for (int r = static_cast<int>(threadIdx.x) / 32; r < rows; r += threads<D> / 32) {
        int at[D] = {tile.least[0], tile.least[1] + (D == 2 ? r : r % tile.width(1))};
        if constexpr (D == 3) at[2] = tile.least[2] + r / tile.width(1);
        GridCharge* to = total + node_at<D>(at, strides);
        for (int x = static_cast<int>(threadIdx.x) % 32; x < width; x += 32) {
            const int charge = charges[r * pitch + x];
            if (charge != 0) atomicAdd(to + x, static_cast<GridCharge>(charge));
        }
    }
}

/// One block per chunk of points. Points that lie close together share a tile in shared memory.
template <int D>
__global__ void __launch_bounds__(threads<D>)
    spread_kernel(Index n, Index chunk, const float* y, const float* weights, const GridField* field,
                  CudaGridStrides strides, GridCharge* total, GridSurvey* survey) {
    __shared__ Tile<D> tile;
    __shared__ Batch<D> batches[threads<D> / 32];
    __shared__ int charges[tile_nodes<D>];
    const auto begin = static_cast<Index>(Offset{blockIdx.x} * chunk);
    const auto end = static_cast<Index>(min(Offset{n}, Offset{begin} + chunk));
    find_tile<D>(begin, end, y, *field, survey, tile);
    const int pitch = tile.pitch(), nodes = pitch * static_cast<int>(tile.rows());
    for (int i = static_cast<int>(threadIdx.x); i < nodes; i += threads<D>) charges[i] = 0;
    __syncthreads();
    const CudaGridStrides within{pitch, pitch * tile.width(1)};
    Batch<D>& batch = batches[threadIdx.x / 32];
    if (tile.whole) {
        add_points(begin, end, y, weights, *field, tile, ChargeTarget<D, true>{charges, total, within, strides}, batch);
    } else {
        add_points(begin, end, y, weights, *field, tile, ChargeTarget<D, false>{charges, total, within, strides},
                   batch);
    }
    __syncthreads();
    flush_tile<D>(tile, pitch, charges, strides, total);
}

}  // namespace

GridSurvey::GridSurvey() : least{INT_MAX, INT_MAX, INT_MAX}, most{INT_MIN, INT_MIN, INT_MIN} {}
double GridSurvey::least_of(int axis) const { return from_ordered(least[axis]); }
double GridSurvey::max_of(int axis) const { return from_ordered(most[axis]); }

void find_box(device::Cuda& cuda, MatrixView<const float> y, GridSurvey* survey) {
    const auto blocks =
        static_cast<unsigned>(std::min((Offset{y.rows} + 255) / 256, Offset{4} * cuda.multiprocessors()));
    auto* kernel = y.cols == 2 ? box_kernel<2> : box_kernel<3>;
    kernel<<<blocks, 256, 0, cuda.stream()>>>(y.rows, y.data, survey);
    device::cuda_check(cudaGetLastError());
}

GridField field_around(const GridSurvey& survey, const GridShape& shape) {
    GridField field{};
    for (int a = 0; a < shape.dim; ++a) {
        const int cells = cells_within(shape.nodes[static_cast<std::size_t>(a)]);
        const double middle = (survey.least_of(a) + survey.max_of(a)) / 2;
        field.origin[a] = static_cast<float>(middle - cells * shape.spacing / 2);
        field.most[a] = static_cast<float>(cells);
    }
    field.inverse_spacing = static_cast<float>(1 / shape.spacing);
    return field;
}

void spread(device::Cuda& cuda, MatrixView<const float> y, const GridField* field, const CudaGridStrides& strides,
            GridCharge* charges, GridSurvey* survey, const float* weights) {
    const int block = y.cols == 2 ? threads<2> : threads<3>;
    const Offset share = y.rows / (Offset{16} * cuda.multiprocessors()) / block * block;
    const auto chunk = static_cast<Index>(std::clamp<Offset>(share, block, max_chunk));
    const auto blocks = static_cast<unsigned>((Offset{y.rows} + chunk - 1) / chunk);
    auto* kernel = y.cols == 2 ? spread_kernel<2> : spread_kernel<3>;
    kernel<<<blocks, block, 0, cuda.stream()>>>(y.rows, chunk, y.data, weights, field, strides, charges, survey);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::forces
