#include <climits>
#include <cstring>

#include "forces/grid_points.cuh"
#include "math/bspline.hpp"

namespace dunlin::forces {

namespace {

constexpr int threads = 256;
constexpr int most_chunk = 4096;  // points that a block spreads: their sum on a node fits 31 bits
static_assert(most_chunk * 0.3025 * (1 << charge_bits) < INT_MAX);

constexpr int tile_nodes = 7000;  // of a block's tile, in shared memory

template <int D>
constexpr int nodes_of_point = D == 2 ? grid_order * grid_order : grid_order * grid_order * grid_order;

/// Integers in the order of the floats; the map is its own inverse.
__host__ __device__ std::int32_t ordered(std::int32_t bits) { return bits >= 0 ? bits : bits ^ 0x7fffffff; }

float from_ordered(std::int32_t key) {
    const std::int32_t bits = ordered(key);
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

/// The cell a point lies in, and how far it is into the cell.
template <int D>
struct CellPlace {
    int cell[D];
    float into[D];
    bool stray = false;
};

template <int D>
__device__ CellPlace<D> place_of(const GridField& field, const float* y, Index i) {
    CellPlace<D> place;
#pragma unroll
    for (int d = 0; d < D; ++d) {
        const float at = (y[Offset{i} * D + d] - field.origin[d]) * field.inverse_spacing;
        const float held = fminf(fmaxf(at, 0.0F), field.most[d]);
        place.stray |= held != at;
        place.cell[d] = static_cast<int>(held);
        place.into[d] = held - static_cast<float>(place.cell[d]);
    }
    return place;
}

template <int D>
__global__ void box_kernel(Index n, const float* y, OrderedBox* box) {
    std::int32_t least[D], most[D];
#pragma unroll
    for (int d = 0; d < D; ++d) least[d] = INT_MAX, most[d] = INT_MIN;
    for (Offset i = Offset{blockIdx.x} * threads + threadIdx.x; i < n; i += Offset{gridDim.x} * threads) {
#pragma unroll
        for (int d = 0; d < D; ++d) {
            const std::int32_t key = ordered(__float_as_int(y[i * D + d]));
            least[d] = min(least[d], key), most[d] = max(most[d], key);
        }
    }
#pragma unroll
    for (int d = 0; d < D; ++d) {
        for (int step = 16; step > 0; step /= 2) {
            least[d] = min(least[d], __shfl_xor_sync(~0U, least[d], step));
            most[d] = max(most[d], __shfl_xor_sync(~0U, most[d], step));
        }
        if (threadIdx.x % 32 == 0) atomicMin(&box->least[d], least[d]), atomicMax(&box->most[d], most[d]);
    }
}

/// The nodes that a chunk of points is spread to.
template <int D>
struct Tile {
    int least[D], most[D];  ///< cells

    __device__ int width(int axis) const { return most[axis] - least[axis] + grid_order; }
    __device__ Offset nodes() const {
        Offset product = 1;
#pragma unroll
        for (int d = 0; d < D; ++d) product *= width(d);
        return product;
    }
};

template <int D>
__device__ int node_at(const int (&at)[D], const CudaGridStrides& strides) {
    if constexpr (D == 2)
        return at[0] + at[1] * strides.row;
    else
        return at[0] + at[1] * strides.row + at[2] * strides.plane;
}

/// The tile of points [begin, end), for all threads; counts the strays among them.
template <int D>
__device__ void find_tile(Index begin, Index end, const float* y, GridField* field, Tile<D>& tile) {
    if (threadIdx.x < D) tile.least[threadIdx.x] = INT_MAX, tile.most[threadIdx.x] = INT_MIN;
    __syncthreads();
    int least[D], most[D];
#pragma unroll
    for (int d = 0; d < D; ++d) least[d] = INT_MAX, most[d] = INT_MIN;
    for (Index i = begin + static_cast<Index>(threadIdx.x); i < end; i += threads) {
        const auto place = place_of<D>(*field, y, i);
        if (place.stray) atomicAdd(&field->strays, 1ULL);
#pragma unroll
        for (int d = 0; d < D; ++d) least[d] = min(least[d], place.cell[d]), most[d] = max(most[d], place.cell[d]);
    }
#pragma unroll
    for (int d = 0; d < D; ++d) {
        for (int step = 16; step > 0; step /= 2) {
            least[d] = min(least[d], __shfl_xor_sync(~0U, least[d], step));
            most[d] = max(most[d], __shfl_xor_sync(~0U, most[d], step));
        }
        if (threadIdx.x % 32 == 0) atomicMin(&tile.least[d], least[d]), atomicMax(&tile.most[d], most[d]);
    }
    __syncthreads();
}

/// Points whose splines are being added: the weights along each axis and the first node.
template <int D>
struct Batch {
    static constexpr int row = D * grid_order + 1;  // odd: no two threads in one bank
    float weight[threads * row];
    int first[threads];

    __device__ int charge(int point, int node) const {
        const float* w = weight + point * row;
        float product = w[node % grid_order] * w[grid_order + node / grid_order % grid_order];
        if constexpr (D == 3) product *= w[2 * grid_order + node / (grid_order * grid_order)];
        return __float2int_rn(product);
    }
};

template <int D>
__device__ void load_point(Batch<D>& batch, const CellPlace<D>& place, const int (&corner)[D],
                           const CudaGridStrides& strides) {
    int at[D];
#pragma unroll
    for (int d = 0; d < D; ++d) {
        at[d] = place.cell[d] - corner[d];
        float weight[grid_order];
        math::bspline_weights<grid_order>(place.into[d], weight);
        const float scale = d == 0 ? static_cast<float>(1 << charge_bits) : 1.0F;
        float* to = batch.weight + threadIdx.x * Batch<D>::row + d * grid_order;
#pragma unroll
        for (int m = 0; m < grid_order; ++m) to[m] = scale * weight[m];
    }
    batch.first[threadIdx.x] = node_at<D>(at, strides);
}

/// add(node, charge) for every node of every point of [begin, end); nodes are counted from `corner`.
template <int D, class Add>
__device__ void add_points(Index begin, Index end, const float* y, const GridField& field, const int (&corner)[D],
                           const CudaGridStrides& strides, Batch<D>& batch, const Add& add) {
    constexpr int nodes = nodes_of_point<D>;
    for (Index first = begin; first < end; first += threads) {
        const int count = min(threads, end - first);
        const int thread = static_cast<int>(threadIdx.x);
        if (thread < count) load_point<D>(batch, place_of<D>(field, y, first + thread), corner, strides);
        __syncthreads();
        for (int item = thread; item < count * nodes; item += threads) {
            const int point = item / nodes, node = item % nodes;
            const int at[3] = {node % grid_order, node / grid_order % grid_order, node / (grid_order * grid_order)};
            add(batch.first[point] + at[0] + at[1] * strides.row + at[2] * strides.plane, batch.charge(point, node));
        }
        __syncthreads();
    }
}

template <int D>
__device__ void flush_tile(const Tile<D>& tile, const int* charges, const CudaGridStrides& strides, GridCharge* total) {
    const int width = tile.width(0), rows = static_cast<int>(tile.nodes()) / width;
    for (int r = static_cast<int>(threadIdx.x) / 32; r < rows; r += threads / 32) {
        int at[D] = {tile.least[0], tile.least[1] + (D == 2 ? r : r % tile.width(1))};
        if constexpr (D == 3) at[2] = tile.least[2] + r / tile.width(1);
        GridCharge* to = total + node_at<D>(at, strides);
        for (int x = static_cast<int>(threadIdx.x) % 32; x < width; x += 32) {
            const int charge = charges[r * width + x];
            if (charge != 0) atomicAdd(to + x, static_cast<GridCharge>(charge));
        }
    }
}

/// A block per chunk of points. Where they lie close together they share a tile in shared memory; points in an order
/// that says nothing of where they lie go to the grid one by one.
template <int D>
__global__ void __launch_bounds__(threads) spread_kernel(Index n, Index chunk, const float* y, GridField* field,
                                                         CudaGridStrides strides, GridCharge* charges) {
    __shared__ Tile<D> tile;
    __shared__ Batch<D> batch;
    __shared__ int tile_charges[tile_nodes];
    const Index begin = static_cast<Index>(blockIdx.x) * chunk,
                end = static_cast<Index>(min(Offset{n}, Offset{begin} + chunk));
    find_tile<D>(begin, end, y, field, tile);
    const Offset nodes = tile.nodes();
    if (nodes > tile_nodes) {
        const int corner[D] = {};
        add_points<D>(begin, end, y, *field, corner, strides, batch,
                      [&](int node, int charge) { atomicAdd(charges + node, static_cast<GridCharge>(charge)); });
        return;
    }
    for (int i = static_cast<int>(threadIdx.x); i < nodes; i += threads) tile_charges[i] = 0;
    __syncthreads();
    const CudaGridStrides within{tile.width(0), tile.width(0) * tile.width(1)};
    add_points<D>(begin, end, y, *field, tile.least, within, batch,
                  [&](int node, int charge) { atomicAdd(tile_charges + node, charge); });
    flush_tile<D>(tile, tile_charges, strides, charges);
}

/// The spline through the nodes at a point: its value, and its slopes per cell.
template <int D>
struct Spline {
    float value = 0, slope[D] = {};
};

__device__ void add_plane(const float* nodes, int row, const float (&x)[grid_order], const float (&dx)[grid_order],
                          const float (&y)[grid_order], const float (&dy)[grid_order], Spline<2>& sum) {
#pragma unroll
    for (int r = 0; r < grid_order; ++r) {
        float value = 0, slope = 0;
#pragma unroll
        for (int c = 0; c < grid_order; ++c) {
            const float node = __ldg(nodes + r * row + c);
            value += node * x[c], slope += node * dx[c];
        }
        sum.value += value * y[r], sum.slope[0] += slope * y[r], sum.slope[1] += value * dy[r];
    }
}

template <int D>
__device__ Spline<D> spline_at(const CellPlace<D>& place, const float* potential, const CudaGridStrides& strides) {
    float weight[D][grid_order], slope[D][grid_order];
#pragma unroll
    for (int d = 0; d < D; ++d) {
        math::bspline_weights<grid_order>(place.into[d], weight[d]);
        math::bspline_slopes<grid_order>(place.into[d], slope[d]);
    }
    const float* nodes = potential + node_at<D>(place.cell, strides);
    if constexpr (D == 2) {
        Spline<2> sum;
        add_plane(nodes, strides.row, weight[0], slope[0], weight[1], slope[1], sum);
        return sum;
    } else {
        Spline<3> sum;
#pragma unroll
        for (int p = 0; p < grid_order; ++p) {
            Spline<2> plane;
            add_plane(nodes + p * strides.plane, strides.row, weight[0], slope[0], weight[1], slope[1], plane);
            sum.value += plane.value * weight[2][p];
            sum.slope[0] += plane.slope[0] * weight[2][p], sum.slope[1] += plane.slope[1] * weight[2][p];
            sum.slope[2] += plane.value * slope[2][p];
        }
        return sum;
    }
}

template <int D>
__global__ void __launch_bounds__(threads)
    gather_kernel(Index n, const float* y, const GridField* field, CudaGridStrides strides, const float* potential,
                  const double* self, double* parts, unsigned* done, float* force, double* mass) {
    const Offset i = Offset{blockIdx.x} * threads + threadIdx.x;
    double value = 0;
    if (i < n) {
        const auto spline = spline_at<D>(place_of<D>(*field, y, static_cast<Index>(i)), potential, strides);
#pragma unroll
        for (int d = 0; d < D; ++d) force[i * D + d] = field->force_scale * spline.slope[d];
        value = static_cast<double>(spline.value);
    }
    value = device::block_sum<threads>(value);
    if (threadIdx.x == 0) parts[blockIdx.x] = value;
    if (!device::is_last_block(done)) return;
    double total = 0;
    for (unsigned p = threadIdx.x; p < gridDim.x; p += threads) total += parts[p];
    total = device::block_sum<threads>(total);
    const double count = n;
    if (threadIdx.x == 0) {
        *mass = field->mass_scale * (total - count * *self) + field->mass_floor * count * (count - 1);
    }
}

unsigned gather_blocks(Index points) { return static_cast<unsigned>((Offset{points} + threads - 1) / threads); }

}  // namespace

OrderedBox OrderedBox::nothing() { return {{INT_MAX, INT_MAX, INT_MAX}, {INT_MIN, INT_MIN, INT_MIN}}; }
float OrderedBox::least_of(int axis) const { return from_ordered(least[axis]); }
float OrderedBox::most_of(int axis) const { return from_ordered(most[axis]); }

void find_box(device::Cuda& cuda, MatrixView<const float> y, device::CudaCell<OrderedBox>& box) {
    cuda.set(box, OrderedBox::nothing());
    const int blocks = static_cast<int>(std::min<Offset>(gather_blocks(y.rows), 2 * cuda.multiprocessors()));
    auto* kernel = y.cols == 2 ? box_kernel<2> : box_kernel<3>;
    kernel<<<blocks, threads, 0, cuda.stream()>>>(y.rows, y.data, cuda.address(box));
    device::cuda_check(cudaGetLastError());
}

void spread(device::Cuda& cuda, MatrixView<const float> y, GridField* field, const CudaGridStrides& strides,
            GridCharge* charges) {
    const Offset share = y.rows / (Offset{8} * cuda.multiprocessors()) / threads * threads;
    const auto chunk = static_cast<Index>(std::clamp<Offset>(share, threads, most_chunk));
    const auto blocks = static_cast<unsigned>((Offset{y.rows} + chunk - 1) / chunk);
    auto* kernel = y.cols == 2 ? spread_kernel<2> : spread_kernel<3>;
    kernel<<<blocks, threads, 0, cuda.stream()>>>(y.rows, chunk, y.data, field, strides, charges);
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

void GatherScratch::resize(device::Cuda& cuda, Index points) {
    cuda.resize(parts, gather_blocks(points));
    if (done.size() == 0) cuda.fill(done, 1, 0U);
}

void gather(device::Cuda& cuda, MatrixView<const float> y, const GridField* field, const CudaGridStrides& strides,
            const float* potential, const double* self, GatherScratch& scratch, MatrixView<float> force, double* mass) {
    auto* kernel = y.cols == 2 ? gather_kernel<2> : gather_kernel<3>;
    kernel<<<gather_blocks(y.rows), threads, 0, cuda.stream()>>>(
        y.rows, y.data, field, strides, potential, self, scratch.parts.data(), scratch.done.data(), force.data, mass);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::forces
