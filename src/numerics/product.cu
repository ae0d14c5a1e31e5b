// SPDX-License-Identifier: Apache-2.0
#include "numerics/product.cuh"

namespace dunlin::numerics {

namespace {

constexpr int side = 16, threads = side * side;  ///< threads of a block: side x side

/// A block computes Rows x Cols entries, a thread Rows / 16 x Cols / 16 of them, in runs of up to 4 adjacent ones.
/// LaneSpan: the entries of a thread along one dimension.
template <int Size>
struct LaneSpan {
    static constexpr int each = Size / side, run = each < 4 ? each : 4;

    /// Position of entry `value` of a thread in [0, 16).
    __device__ static constexpr int place(int thread, int value) {
        return value / run * (side * run) + thread * run + value % run;
    }
};

/// The part of a factor's tiles (Depth x Size) that a thread prefetches.
template <class Real, int Size, int Depth, bool LevelsTogether>
struct Fetch {
    static constexpr int each = Size * Depth / threads;
    static constexpr int item_step = LevelsTogether ? threads / Depth : 0;
    static constexpr int level_step = LevelsTogether ? 0 : threads / Size;

    int item, level;
    Index items;  ///< items of the factor, from the first of the tile on
    Offset item_stride, level_stride;
    const Real* from;
    Real values[each];

    /// first: the first value of the tile; strides between the items and levels of the factor.
    __device__ Fetch(const Real* first, Index factor_items, Offset stride_of_items, Offset stride_of_levels)
        : item(static_cast<int>(threadIdx.x) / (LevelsTogether ? Depth : 1) % Size),
          level(static_cast<int>(threadIdx.x) / (LevelsTogether ? 1 : Size) % Depth),
          items(factor_items),
          item_stride(stride_of_items),
          level_stride(stride_of_levels),
          from(first + item * item_stride + level * level_stride) {}

    /// Fetches the next tile, which has `levels` levels; zeros beyond.
    __device__ void take(Index levels) {
#pragma unroll
        for (int e = 0; e < each; ++e) {
            const bool there = item + e * item_step < items && level + e * level_step < levels;
            values[e] = there ? from[e * (item_step * item_stride + level_step * level_stride)] : Real{};
        }
        from += Depth * level_stride;
    }
    template <int Stride>
    __device__ void put(Real (&tile)[Depth][Stride]) const {
#pragma unroll
        for (int e = 0; e < each; ++e) tile[level + e * level_step][item + e * item_step] = values[e];
    }
};

/// A thread's entries of one level of a tile.
template <class Real, int Size, int Depth, int Stride>
__device__ void read_level(const Real (&tile)[Depth][Stride], int level, int thread,
                           Real (&values)[LaneSpan<Size>::each]) {
    struct alignas(sizeof(Real) * LaneSpan<Size>::run) Run {
        Real values[LaneSpan<Size>::run];
    };
#pragma unroll
    for (int v = 0; v < LaneSpan<Size>::each; v += LaneSpan<Size>::run) {
        const Run run = *reinterpret_cast<const Run*>(&tile[level][LaneSpan<Size>::place(thread, v)]);
#pragma unroll
        for (int i = 0; i < LaneSpan<Size>::run; ++i) values[v + i] = run.values[i];
    }
}

template <class Real, int Rows, int Cols, int Depth, bool ByRows>
__global__ void __launch_bounds__(threads, sizeof(Real) == 4 ? 2 : 1) product_kernel(ChunkedProduct<Real> job) {
    constexpr int pad = 16 / sizeof(Real);  // keeps runs aligned and spreads a transposed tile over the banks
    __shared__ alignas(32) Real a_tile[Depth][Rows + pad], b_tile[Depth][Cols + pad];
    const Index row = static_cast<Index>(blockIdx.x) * Rows, col = static_cast<Index>(blockIdx.y) * Cols;
    if (job.upper_only && col + Cols <= row) return;
    const Index begin = static_cast<Index>(blockIdx.z) * job.chunk, end = min(begin + job.chunk, job.inner);
    const int up = static_cast<int>(threadIdx.x) / side, along = static_cast<int>(threadIdx.x) % side;

    const Offset a_item = ByRows ? job.inner : 1, a_level = ByRows ? 1 : job.rows;
    Fetch<Real, Rows, Depth, ByRows> a(job.a + row * a_item + begin * a_level, job.rows - row, a_item, a_level);
    Fetch<Real, Cols, Depth, false> b(job.b + col + Offset{begin} * job.cols, job.cols - col, 1, job.cols);

    Real sum[LaneSpan<Rows>::each][LaneSpan<Cols>::each] = {};
    a.take(end - begin);
    b.take(end - begin);
    for (Index first = begin; first < end; first += Depth) {
        __syncthreads();
        a.put(a_tile);
        b.put(b_tile);
        __syncthreads();
        a.take(end - first - Depth);
        b.take(end - first - Depth);
#pragma unroll
        for (int level = 0; level < Depth; ++level) {
            Real left[LaneSpan<Rows>::each], right[LaneSpan<Cols>::each];
            read_level<Real, Rows>(a_tile, level, up, left);
            read_level<Real, Cols>(b_tile, level, along, right);
#pragma unroll
            for (int i = 0; i < LaneSpan<Rows>::each; ++i) {
#pragma unroll
                for (int j = 0; j < LaneSpan<Cols>::each; ++j) sum[i][j] += left[i] * right[j];
            }
        }
    }

    Real* part = job.parts + Offset{blockIdx.z} * job.rows * job.stride;
#pragma unroll
    for (int i = 0; i < LaneSpan<Rows>::each; ++i) {
#pragma unroll
        for (int j = 0; j < LaneSpan<Cols>::each; ++j) {
            const Index r = row + LaneSpan<Rows>::place(up, i), c = col + LaneSpan<Cols>::place(along, j);
            if (r < job.rows && c < job.cols) part[Offset{r} * job.stride + c] = sum[i][j];
        }
    }
}

/// Depth: columns of a and rows of b that a block holds at once.
template <class Real, int Rows, int Cols, int Depth>
void launch(device::Cuda& cuda, const ChunkedProduct<Real>& job) {
    const dim3 blocks(static_cast<unsigned>((job.rows + Rows - 1) / Rows),
                      static_cast<unsigned>((job.cols + Cols - 1) / Cols), static_cast<unsigned>(job.count()));
    if (job.left == Left::by_rows) {
        product_kernel<Real, Rows, Cols, Depth, true><<<blocks, threads, 0, cuda.stream()>>>(job);
    } else {
        product_kernel<Real, Rows, Cols, Depth, false><<<blocks, threads, 0, cuda.stream()>>>(job);
    }
    device::cuda_check(cudaGetLastError());
}

template <class Real>
struct SumOfParts {
    const Real* parts;
    int count;
    Index cols, stride;
    Offset size;
    Real* sum;
    __device__ void operator()(Offset i) const {
        double total = 0;
        for (int p = 0; p < count; ++p) total += static_cast<double>(parts[p * size + i]);
        sum[i / cols * stride + i % cols] = static_cast<Real>(total);
    }
};

}  // namespace

template <class Real>
void multiply_chunks(device::Cuda& cuda, const ChunkedProduct<Real>& product) {
    if (product.rows == 0 || product.cols == 0) return;
    if (product.cols <= 16) return launch<Real, 128, 16, 16>(cuda, product);
    if constexpr (sizeof(Real) == sizeof(float)) {
        if (product.cols > 128) return launch<Real, 128, 128, 8>(cuda, product);
    }
    launch<Real, 64, 32, 16>(cuda, product);
}

template void multiply_chunks<float>(device::Cuda&, const ChunkedProduct<float>&);
template void multiply_chunks<double>(device::Cuda&, const ChunkedProduct<double>&);

template <class Real>
void multiply(device::Cuda& cuda, ChunkedProduct<Real> product, device::CudaBuffer<Real>& parts) {
    constexpr Offset entries_of_a_block = 2048;
    constexpr Index shortest = 64;
    const Offset size = Offset{product.rows} * product.cols;
    const Offset blocks = std::max<Offset>(1, (size + entries_of_a_block - 1) / entries_of_a_block);
    const Offset wanted = std::max<Offset>(1, 4 * Offset{cuda.multiprocessors()} / blocks);
    product.chunk = std::max(shortest, static_cast<Index>((product.inner + wanted - 1) / wanted));
    if (product.count() == 1) return multiply_chunks(cuda, product);

    const auto needed = static_cast<std::size_t>(size) * static_cast<std::size_t>(product.count());
    if (parts.size() < needed) cuda.resize(parts, needed);
    const SumOfParts<Real> sum{parts.data(), product.count(), product.cols, product.stride, size, product.parts};
    product.parts = parts.data();
    product.stride = product.cols;
    multiply_chunks(cuda, product);
    cuda.each(size, sum);
}

template void multiply<float>(device::Cuda&, ChunkedProduct<float>, device::CudaBuffer<float>&);
template void multiply<double>(device::Cuda&, ChunkedProduct<double>, device::CudaBuffer<double>&);

}  // namespace dunlin::numerics
