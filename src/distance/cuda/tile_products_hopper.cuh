// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distance/cuda/half_tiles.cuh"
#include "distance/cuda/wgmma.cuh"

/// Products of tiles of half-precision rows by wgmma. Only for sm_90a. A producer warpgroup fills rings of chunks by
/// the bulk copy engine; the other warpgroups multiply. Which operands stay in shared memory, and when a warpgroup
/// waits for its products, differ: the search streams both operands and reads products while others are under way
/// (neighbors/cuda/filter_hopper_sm90a.cu); k-means keeps a tile of rows in shared memory, and its warpgroups take
/// turns (kmeans/cuda/score_hopper_sm90a.cu). One loop for both costs registers or overlap, so only its parts are
/// shared.
namespace dunlin::distance {

constexpr int warpgroup = 128;  ///< threads

/// Chunks in shared memory of which a kernel has Slots, filled and emptied in turn.
template <int Slots>
struct ChunkRing {
    Barrier full[Slots], empty[Slots];

    /// By one thread: `fillers` arrivals make a slot full, one of each of `readers` warps makes it empty.
    __device__ void prepare(int fillers, int readers) {
        for (int s = 0; s < Slots; ++s) {
            prepare_barrier(full[s], fillers);
            prepare_barrier(empty[s], readers);
        }
    }
    __device__ void wait_full(const RingCursor<Slots>& at) { wait_for(full[at.slot], at.parity); }
    __device__ void wait_empty(const RingCursor<Slots>& at) { wait_for(empty[at.slot], at.parity ^ 1); }
    /// By one thread: the slot is full once this many bytes have been copied, and all fillers arrived.
    __device__ Barrier& begin_fill(const RingCursor<Slots>& at, std::size_t bytes) {
        arrive_expecting(full[at.slot], static_cast<std::uint32_t>(bytes));
        return full[at.slot];
    }
    /// By a whole warp, which needs the slot no more.
    __device__ void release(int slot) {
        if (threadIdx.x % 32 == 0) arrive(empty[slot]);
    }
};

constexpr std::size_t swizzle_alignment = 1024;  ///< of chunks that the copy engine swizzles
template <class Shared>
constexpr std::size_t aligned_bytes = sizeof(Shared) + swizzle_alignment;

/// The block's shared memory, of aligned_bytes<Shared>.
template <class Shared>
__device__ __forceinline__ Shared& aligned_shared() {
    extern __shared__ unsigned char raw[];
    const std::size_t skipped = (swizzle_alignment - shared_address(raw) % swizzle_alignment) % swizzle_alignment;
    return *reinterpret_cast<Shared*>(raw + skipped);
}

/// Enqueues sums (64 x 128, of a warpgroup) = [sums +] a b^T over a chunk of 64 rows of A and 128 rows of B in shared
/// memory.
__device__ __forceinline__ void multiply_chunk(float (&sums)[64], const __half* a, const __half* b, bool add) {
    const std::uint64_t of_a = descriptor_of(a), of_b = descriptor_of(b);
#pragma unroll
    for (int step = 0; step < chunk_steps; ++step) {
        multiply_64_by_128(sums, of_a + 2 * step, of_b + 2 * step, add || step > 0);
    }
}
/// Multiplies rows of A in registers (load_a) by 64 rows of B.
__device__ __forceinline__ void multiply_chunk(float (&sums)[32], const std::uint32_t (&a)[chunk_steps][4],
                                               const __half* b) {
    const std::uint64_t of_b = descriptor_of(b);
#pragma unroll
    for (int step = 0; step < chunk_steps; ++step) multiply_64_by_64(sums, a[step], of_b + 2 * step, step > 0);
}

}  // namespace dunlin::distance
