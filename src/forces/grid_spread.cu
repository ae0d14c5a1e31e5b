#include <climits>
#include <cstring>

#include "forces/grid_cells.cuh"

namespace dunlin::forces {

namespace {

constexpr int threads = 128, warps = threads / 32;
constexpr int most_chunk = 4096;  // points that a block spreads: their sum on a node fits 31 bits
static_assert(most_chunk * 0.3025 * (1 << charge_bits) < INT_MAX);

/// Nodes of a block's tile, in shared memory.
template <int D>
constexpr int tile_nodes = D == 2 ? 5120 : 8192;

/// Integers in the order of the floats; the map is its own inverse.
__host__ __device__ std::int32_t ordered(std::int32_t bits) { return bits >= 0 ? bits : bits ^ 0x7fffffff; }

float from_ordered(std::int32_t key) {
    const std::int32_t bits = ordered(key);
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

/// Least and largest of some numbers per axis.
template <int D>
struct Range {
    std::int32_t least[D], most[D];

    __device__ Range() {
#pragma unroll
        for (int d = 0; d < D; ++d) least[d] = INT_MAX, most[d] = INT_MIN;
    }
    __device__ void include(int axis, std::int32_t value) {
        least[axis] = min(least[axis], value), most[axis] = max(most[axis], value);
    }
    /// Of all threads, to what all can see.
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
__global__ void box_kernel(Index n, const float* y, OrderedBox* box) {
    Range<D> range;
    for (Offset i = Offset{blockIdx.x} * threads + threadIdx.x; i < n; i += Offset{gridDim.x} * threads) {
#pragma unroll
        for (int d = 0; d < D; ++d) range.include(d, ordered(__float_as_int(y[i * D + d])));
    }
    range.merge_into(*box);
}

/// The nodes that a chunk of points is spread to: cells of its points, and how its rows lie in shared memory.
template <int D>
struct Tile {
    int least[D], most[D];

    __device__ int width(int axis) const { return most[axis] - least[axis] + grid_order; }
    __device__ Offset rows() const {
        if constexpr (D == 2)
            return width(1);
        else
            return Offset{width(1)} * width(2);
    }
    /// From row to row: such that the 32 nodes a warp adds to lie in 32 banks, where there is room for that.
    __device__ int pitch() const {
        const int wide = (width(0) - grid_order + 31) / 32 * 32 + grid_order;
        return wide * rows() <= tile_nodes<D> ? wide : width(0);
    }
    __device__ bool fits() const { return width(0) * rows() <= tile_nodes<D>; }
};

/// The tile of points [begin, end), for all threads; counts the strays among them.
template <int D>
__device__ void find_tile(Index begin, Index end, const float* y, GridField* field, Tile<D>& tile) {
    if (threadIdx.x < D) tile.least[threadIdx.x] = INT_MAX, tile.most[threadIdx.x] = INT_MIN;
    __syncthreads();
    Range<D> range;
    for (Index i = begin + static_cast<Index>(threadIdx.x); i < end; i += threads) {
        const auto place = place_of<D>(*field, y, i);
        if (place.stray) atomicAdd(&field->strays, 1ULL);
#pragma unroll
        for (int d = 0; d < D; ++d) range.include(d, place.cell[d]);
    }
    range.merge_into(tile);
    __syncthreads();
}

/// Up to 32 points whose splines a warp adds: weights along each axis, and the first node.
template <int D>
struct Batch {
    static constexpr int row = 36;  // floats between weights, such that six of them lie in other banks
    alignas(16) float weight[D * grid_order * row];
    alignas(16) int first[32];

    /// A lane's point; without one, nothing is added to node 0.
    __device__ void set(int lane, bool there, const CellPlace<D>& place, const int (&corner)[D],
                        const CudaGridStrides& strides) {
        int at[D];
#pragma unroll
        for (int d = 0; d < D; ++d) {
            at[d] = place.cell[d] - corner[d];
            float of_point[grid_order];
            math::bspline_weights<grid_order>(place.into[d], of_point);
            const float scale = !there ? 0.0F : d == 0 ? static_cast<float>(1 << charge_bits) : 1.0F;
#pragma unroll
            for (int m = 0; m < grid_order; ++m) weight[(d * grid_order + m) * row + lane] = scale * of_point[m];
        }
        first[lane] = there ? node_at<D>(at, strides) : 0;
    }
    __device__ float4 weights(int axis, int node, int point) const {
        return *reinterpret_cast<const float4*>(weight + (axis * grid_order + node) * row + point);
    }
    __device__ float one_weight(int axis, int node, int point) const {
        return weight[(axis * grid_order + node) * row + point];
    }
};

/// 32 of the 36 nodes of each plane, a lane each, for four points at a time.
template <int D, class Add>
__device__ void add_most_nodes(const Batch<D>& batch, int lane, const CudaGridStrides& strides, const Add& add) {
    const int x = lane % grid_order, y = lane / grid_order, node = x + y * strides.row;
#pragma unroll 2
    for (int point = 0; point < 32; point += 4) {
        const float4 wx = batch.weights(0, x, point), wy = batch.weights(1, y, point);
        const float4 w{wx.x * wy.x, wx.y * wy.y, wx.z * wy.z, wx.w * wy.w};
        const int4 first = *reinterpret_cast<const int4*>(batch.first + point);
#pragma unroll
        for (int z = 0; z < (D == 2 ? 1 : grid_order); ++z) {
            const int there = node + z * strides.plane;
            const float4 wz = D == 2 ? float4{1, 1, 1, 1} : batch.weights(D - 1, z, point);
            add(there + first.x, __float2int_rn(w.x * wz.x));
            add(there + first.y, __float2int_rn(w.y * wz.y));
            add(there + first.z, __float2int_rn(w.z * wz.z));
            add(there + first.w, __float2int_rn(w.w * wz.w));
        }
    }
}

/// The last four, of eight points at a time.
template <int D, class Add>
__device__ void add_last_nodes(const Batch<D>& batch, int lane, const CudaGridStrides& strides, const Add& add) {
    constexpr int y = grid_order - 1;
    const int x = 2 + lane % 4;
#pragma unroll
    for (int point = lane / 4; point < 32; point += 8) {
        const float w = batch.one_weight(0, x, point) * batch.one_weight(1, y, point);
        const int node = batch.first[point] + x + y * strides.row;
#pragma unroll
        for (int z = 0; z < (D == 2 ? 1 : grid_order); ++z) {
            const float wz = D == 2 ? 1 : batch.one_weight(D - 1, z, point);
            add(node + z * strides.plane, __float2int_rn(w * wz));
        }
    }
}

/// add(node, charge) for every node of every point of [begin, end); nodes are counted from `corner`.
template <int D, class Add>
__device__ void add_points(Index begin, Index end, const float* y, const GridField& field, const int (&corner)[D],
                           const CudaGridStrides& strides, Batch<D>& batch, const Add& add) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (Index first = begin + static_cast<Index>(threadIdx.x) / 32 * 32; first < end; first += threads) {
        const Index i = min(first + lane, end - 1);
        batch.set(lane, first + lane < end, place_of<D>(field, y, i), corner, strides);
        __syncwarp();
        add_most_nodes<D>(batch, lane, strides, add);
        add_last_nodes<D>(batch, lane, strides, add);
        __syncwarp();
    }
}

template <int D>
__device__ void flush_tile(const Tile<D>& tile, int pitch, const int* charges, const CudaGridStrides& strides,
                           GridCharge* total) {
    const int width = tile.width(0), rows = static_cast<int>(tile.rows());
    for (int r = static_cast<int>(threadIdx.x) / 32; r < rows; r += warps) {
        int at[D] = {tile.least[0], tile.least[1] + (D == 2 ? r : r % tile.width(1))};
        if constexpr (D == 3) at[2] = tile.least[2] + r / tile.width(1);
        GridCharge* to = total + node_at<D>(at, strides);
        for (int x = static_cast<int>(threadIdx.x) % 32; x < width; x += 32) {
            const int charge = charges[r * pitch + x];
            if (charge != 0) atomicAdd(to + x, static_cast<GridCharge>(charge));
        }
    }
}

/// A block per chunk of points. Where they lie close together they share a tile in shared memory; points in an order
/// that says nothing of where they lie go to the grid one by one.
template <int D>
__global__ void __launch_bounds__(threads)
    spread_kernel(Index n, Index chunk, const float* y, GridField* field, CudaGridStrides strides, GridCharge* total) {
    __shared__ Tile<D> tile;
    __shared__ Batch<D> batches[warps];
    __shared__ int charges[tile_nodes<D>];
    Batch<D>& batch = batches[threadIdx.x / 32];
    const auto begin = static_cast<Index>(Offset{blockIdx.x} * chunk);
    const auto end = static_cast<Index>(min(Offset{n}, Offset{begin} + chunk));
    find_tile<D>(begin, end, y, field, tile);
    if (!tile.fits()) {
        const int corner[D] = {};
        add_points<D>(begin, end, y, *field, corner, strides, batch,
                      [&](int node, int charge) { atomicAdd(total + node, static_cast<GridCharge>(charge)); });
        return;
    }
    const int pitch = tile.pitch(), nodes = pitch * static_cast<int>(tile.rows());
    for (int i = static_cast<int>(threadIdx.x); i < nodes; i += threads) charges[i] = 0;
    __syncthreads();
    add_points<D>(begin, end, y, *field, tile.least, {pitch, pitch * tile.width(1)}, batch,
                  [&](int node, int charge) { atomicAdd(charges + node, charge); });
    __syncthreads();
    flush_tile<D>(tile, pitch, charges, strides, total);
}

}  // namespace

OrderedBox OrderedBox::nothing() { return {{INT_MAX, INT_MAX, INT_MAX}, {INT_MIN, INT_MIN, INT_MIN}}; }
float OrderedBox::least_of(int axis) const { return from_ordered(least[axis]); }
float OrderedBox::most_of(int axis) const { return from_ordered(most[axis]); }

void find_box(device::Cuda& cuda, MatrixView<const float> y, device::CudaCell<OrderedBox>& box) {
    cuda.set(box, OrderedBox::nothing());
    const Offset wanted = (Offset{y.rows} + threads - 1) / threads, most = Offset{8} * cuda.multiprocessors();
    auto* kernel = y.cols == 2 ? box_kernel<2> : box_kernel<3>;
    kernel<<<static_cast<unsigned>(std::min(wanted, most)), threads, 0, cuda.stream()>>>(y.rows, y.data,
                                                                                         cuda.address(box));
    device::cuda_check(cudaGetLastError());
}

GridField field_around(const OrderedBox& box, const GridShape& shape) {
    GridField field{};
    for (int a = 0; a < shape.dim; ++a) {
        const int cells = cells_within(shape.nodes[static_cast<std::size_t>(a)]);
        const double middle = (static_cast<double>(box.least_of(a)) + static_cast<double>(box.most_of(a))) / 2;
        field.origin[a] = static_cast<float>(middle - cells * shape.spacing / 2);
        field.most[a] = static_cast<float>(cells);
    }
    field.inverse_spacing = static_cast<float>(1 / shape.spacing);
    return field;
}

void spread(device::Cuda& cuda, MatrixView<const float> y, GridField* field, const CudaGridStrides& strides,
            GridCharge* charges) {
    const Offset share = y.rows / (Offset{16} * cuda.multiprocessors()) / threads * threads;
    const auto chunk = static_cast<Index>(std::clamp<Offset>(share, threads, most_chunk));
    const auto blocks = static_cast<unsigned>((Offset{y.rows} + chunk - 1) / chunk);
    auto* kernel = y.cols == 2 ? spread_kernel<2> : spread_kernel<3>;
    kernel<<<blocks, threads, 0, cuda.stream()>>>(y.rows, chunk, y.data, field, strides, charges);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::forces
