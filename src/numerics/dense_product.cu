// SPDX-License-Identifier: Apache-2.0
#include "numerics/dense_product.cuh"

#include <cstdint>

namespace dunlin::numerics::dense {

namespace {

__device__ float* launch_memory() {
    extern __shared__ float4 shared[];
    return reinterpret_cast<float*>(shared);
}

/// Begins to copy Width floats, of which `there` are read; the others become 0. Not __pipeline_memcpy_async, which
/// branches over all numbers of bytes where it is not a constant.
template <int Width>
__device__ void copy_async(float* shared, const float* global, int there) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    for (int i = 0; i < Width; ++i) shared[i] = i < there ? global[i] : 0.0F;
#else
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    const int bytes = there * static_cast<int>(sizeof(float));
    if constexpr (Width == 4) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(bytes) : "memory");
    } else {
        static_assert(Width == 1);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global), "r"(bytes) : "memory");
    }
#endif
}

/// The copies that were begun since the last call are a group.
__device__ void commit_copies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits for this thread's copies but for those of the last Left groups.
template <int Left>
__device__ void wait_for_copies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
#endif
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
/// c += a b, 16 x 8 x 8, by a warp.
__device__ void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#endif

}  // namespace

}  // namespace dunlin::numerics::dense

#include "numerics/dense_product_kernel.cuh"

namespace dunlin::numerics {

namespace {

using dense::put;

template <class T, bool AByItems, bool BByItems>
void launch_tiling(device::Cuda& cuda, const DenseProduct& job) {
    const auto is_aligned = [](const Factor& factor) {
        return factor.stride % 4 == 0 && reinterpret_cast<std::uintptr_t>(factor.values) % 16 == 0;
    };
    auto* const kernel = is_aligned(job.a) && is_aligned(job.b) ? dense::dense_product_kernel<T, AByItems, BByItems, 4>
                                                                : dense::dense_product_kernel<T, AByItems, BByItems, 1>;
    const dim3 tiles(static_cast<unsigned>((job.rows + T::rows - 1) / T::rows),
                     static_cast<unsigned>((job.cols + dense::tile_cols - 1) / dense::tile_cols));
    constexpr int bytes = dense::block_bytes<T, AByItems, BByItems>;
    device::cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<tiles, T::threads, bytes, cuda.stream()>>>(job);
    device::cuda_check(cudaGetLastError());
}

template <bool AByItems, bool BByItems>
void launch(device::Cuda& cuda, const DenseProduct& job) {
    dense::with_tiling(job.rows, job.cols, cuda.multiprocessors(),
                       [&](auto tiling) { launch_tiling<decltype(tiling), AByItems, BByItems>(cuda, job); });
}

// Products that are too thin for tiles

constexpr int thin = 8;  ///< most columns, or levels

/// A thread per entry: few levels.
struct FewLevels {
    DenseProduct job;
    __device__ void operator()(Offset i) const {
        const auto row = static_cast<Index>(i / job.cols), col = static_cast<Index>(i % job.cols);
        float sum = 0;
        for (Index level = 0; level < job.inner; ++level) sum += *job.a.from(row, level) * *job.b.from(level, col);
        put(job, row, col, sum);
    }
};

constexpr int thin_rows = 8, thin_threads = thin_rows * 32;  ///< rows of a block, a warp each

/// sums[c] += the product of a level with column c.
__device__ void add_level(const DenseProduct& job, float a, Index level, float (&sums)[thin]) {
#pragma unroll
    for (int c = 0; c < thin; ++c) {
        if (c < job.cols) sums[c] += a * *job.b.from(level, c);
    }
}

/// Few columns, a by rows: one warp per row, whose lanes share the levels.
__global__ void few_columns_kernel(DenseProduct job) {
    const Index row = static_cast<Index>(blockIdx.x) * thin_rows + static_cast<Index>(threadIdx.x) / 32;
    if (row >= job.rows) return;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float sums[thin] = {};
#pragma unroll 4
    for (Index level = lane; level < job.inner; level += 32) add_level(job, *job.a.from(row, level), level, sums);
#pragma unroll
    for (int c = 0; c < thin; ++c) {
        if (c >= job.cols) break;
        const double sum = device::group_sum<32>(static_cast<double>(sums[c]));
        if (lane == 0) put(job, row, c, static_cast<float>(sum));
    }
}

constexpr int level_groups = 16;  ///< rows of threads of a block, each of which takes every 16th level

/// Few columns, a by columns: a thread has one of 32 adjacent rows, and a share of the levels.
__global__ void few_columns_transposed_kernel(DenseProduct job) {
    __shared__ float parts[level_groups][thin][32];
    const Index row = static_cast<Index>(blockIdx.x) * 32 + static_cast<Index>(threadIdx.x);
    float sums[thin] = {};
    if (row < job.rows) {
#pragma unroll 4
        for (Index level = static_cast<Index>(threadIdx.y); level < job.inner; level += level_groups)
            add_level(job, *job.a.from(row, level), level, sums);
    }
#pragma unroll
    for (int c = 0; c < thin; ++c) parts[threadIdx.y][c][threadIdx.x] = sums[c];
    __syncthreads();
    const Index col = static_cast<Index>(threadIdx.y);
    if (row >= job.rows || col >= job.cols) return;
    double sum = 0;
    for (int g = 0; g < level_groups; ++g) sum += static_cast<double>(parts[g][col][threadIdx.x]);
    put(job, row, col, static_cast<float>(sum));
}

void multiply_few_columns(device::Cuda& cuda, const DenseProduct& job) {
    const auto blocks_of = [&](int rows) { return static_cast<unsigned>((job.rows + rows - 1) / rows); };
    if (job.a.transposed) {
        few_columns_transposed_kernel<<<blocks_of(32), dim3(32, level_groups), 0, cuda.stream()>>>(job);
    } else {
        few_columns_kernel<<<blocks_of(thin_rows), thin_threads, 0, cuda.stream()>>>(job);
    }
    device::cuda_check(cudaGetLastError());
}

}  // namespace

void multiply(device::Cuda& cuda, const DenseProduct& job) {
    if (job.rows == 0 || job.cols == 0) return;
    if (job.inner <= thin) return cuda.each(Offset{job.rows} * job.cols, FewLevels{job});
    if (job.cols <= thin) return multiply_few_columns(cuda, job);
    if (job.a.transposed) {
        job.b.transposed ? launch<false, true>(cuda, job) : launch<false, false>(cuda, job);
    } else {
        job.b.transposed ? launch<true, true>(cuda, job) : launch<true, false>(cuda, job);
    }
}

}  // namespace dunlin::numerics
