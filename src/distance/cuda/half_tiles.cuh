// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cuda.cuh"
#include "distance/cuda/mma.cuh"

/// Tiles of half-precision rows in shared memory, and launches of kernels that multiply them: common to mma.sync
/// (tile_products.cuh) and wgmma (tile_products_hopper.cuh). A tile of products is A B^T, of rows of A and rows of B.
namespace dunlin::distance {

constexpr Index half_chunk = 64;  ///< columns that are copied and multiplied at a time: 128 bytes of a row
constexpr int chunk_steps = half_chunk / 16, chunk_parts = half_chunk / 8;  ///< of 16 columns; of 16 bytes
constexpr Index b_tile = 128;                                               ///< rows of B of a tile

/// Columns of rows whose chunks are whole.
[[nodiscard]] constexpr Index half_width(Index cols) { return (cols + half_chunk - 1) / half_chunk * half_chunk; }
[[nodiscard]] constexpr Offset padded_to(Offset rows, Index tile) { return (rows + tile - 1) / tile * tile; }

/// Index of a part of 16 bytes in a chunk. The parts of a row are permuted by the row's number, as the copy engine's
/// 128-byte swizzle does, so that reads of eight rows use all banks.
__device__ inline int swizzled(int row, int part) {
    return row * static_cast<int>(half_chunk) + (part ^ (row & (chunk_parts - 1))) * 8;
}

/// Rows [row, row + 16) of A in a step of 16 columns, as multiply_add and multiply_64_by_64 take them.
__device__ inline void load_a(std::uint32_t (&blocks)[4], const __half* chunk, int row, int step) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    load_blocks(blocks, chunk + swizzled(row + lane % 16, 2 * step + lane / 16));
}
/// Rows [row, row + 16) of B: two blocks of eight, two registers each.
__device__ inline void load_b(std::uint32_t (&blocks)[4], const __half* chunk, int row, int step) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    load_blocks(blocks, chunk + swizzled(row + lane % 8 + lane / 16 * 8, 2 * step + lane / 8 % 2));
}

/// Row of A and row of B of a lane's product v, among the 16 x 8n products that a warp has of mma.sync or wgmma.
__device__ inline int product_row(int v) { return static_cast<int>(threadIdx.x % 32 / 4) + v / 2 % 2 * 8; }
__device__ inline int product_column(int v) { return v / 4 * 8 + static_cast<int>(threadIdx.x % 4) * 2 + v % 2; }
/// Row of B of number i of a lane's products with one row of A.
__device__ inline int column_in_row(int i) { return i / 2 * 8 + static_cast<int>(threadIdx.x % 4) * 2 + i % 2; }

/// Most shared memory that a block may have, in bytes.
inline std::size_t most_shared_memory(const device::Cuda& cuda) {
    int most = 0;
    device::cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.run().gpu()));
    return static_cast<std::size_t>(most);
}

/// Launches a kernel that needs more shared memory than is granted by default.
template <class... Parameters, class... Arguments>
void launch_with_shared(device::Cuda& cuda, void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t bytes,
                        const Arguments&... arguments) {
    device::cuda_check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    kernel<<<grid, threads, bytes, cuda.stream()>>>(arguments...);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::distance
