// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include "distance/cuda/mma.cuh"

/// PTX of Hopper: barriers in shared memory, bulk copies, products by warpgroups (wgmma). Only for sm_90a.
namespace dunlin::distance {

using Barrier = std::uint64_t;

__device__ inline void prepare_barrier(Barrier& barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "r"(arrivals) : "memory");
}
/// Makes prepared barriers visible to the copy engine.
__device__ inline void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ inline void arrive(Barrier& barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");
}
/// Arrives; the phase also waits for `bytes` more copied bytes.
__device__ inline void arrive_expecting(Barrier& barrier, std::uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(bytes)
                 : "memory");
}
/// Waits for the end of the phase of this parity.
__device__ inline void wait_for(Barrier& barrier, std::uint32_t parity) {
    std::uint32_t over = 0;
    while (over == 0) {
        asm volatile(
            "{.reg .pred over; mbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2; selp.u32 %0, 1, 0, over;}"
            : "=r"(over)
            : "r"(shared_address(&barrier)), "r"(parity)
            : "memory");
    }
}

/// The next of some slots that are filled and emptied in turn, and the parity of its barriers' phase.
template <int Slots>
struct RingCursor {
    int slot = 0;
    std::uint32_t parity = 0;
    __device__ void next() {
        if (++slot < Slots) return;
        slot = 0;
        parity ^= 1;
    }
};

/// Makes this thread's writes to shared memory visible to products and bulk copies.
__device__ inline void publish_writes() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Copies the map's box at (column, row) to shared memory; its bytes count at the barrier.
__device__ inline void copy_box(void* to, const CUtensorMap& map, Index column, Index row, Barrier& barrier) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            shared_address(to)),
        "l"(&map), "r"(column), "r"(row), "r"(shared_address(&barrier))
        : "memory");
}

/// Copies contiguous bytes, a multiple of 16, to shared memory; they count at the barrier.
__device__ inline void copy_bytes(void* to, const void* from, std::uint32_t bytes, Barrier& barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(&barrier))
                 : "memory");
}

/// Matrix descriptor of rows of 128 bytes in shared memory with the copy engine's 128-byte swizzle, from a row that is
/// a multiple of 8; plus 2: 16 columns further.
__device__ inline std::uint64_t descriptor_of(const void* rows) {
    constexpr std::uint64_t swizzled = std::uint64_t{1} << 62, eight_rows = std::uint64_t{1024 >> 4} << 32;
    return swizzled | eight_rows | std::uint64_t{1} << 16 | (shared_address(rows) & 0x3ffff) >> 4;
}

__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int Left>
__device__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}

/// Changes the number of registers of each thread; by all warps of a warpgroup.
template <int Count>
__device__ void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}
template <int Count>
__device__ void give_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}

/// Keeps the compiler from moving accesses of the sums across.
template <int Count>
__device__ void hold_in_place(float (&sums)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(sums[i]));
}

/// sums (64 x 128, of a warpgroup) = [sums +] a (64 x 16) b (128 x 16)^T, halves summed in float32.
__device__ inline void multiply_64_by_128(float (&sums)[64], std::uint64_t a, std::uint64_t b, bool add) {
    asm volatile(
        "{.reg .pred add; setp.ne.b32 add, %66, 0;"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
        " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"
        " %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
        " %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, add, 1, 1, 0, 0;}"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]),
          "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]), "+f"(sums[12]), "+f"(sums[13]),
          "+f"(sums[14]), "+f"(sums[15]), "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]), "+f"(sums[24]), "+f"(sums[25]),
          "+f"(sums[26]), "+f"(sums[27]), "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31]),
          "+f"(sums[32]), "+f"(sums[33]), "+f"(sums[34]), "+f"(sums[35]), "+f"(sums[36]), "+f"(sums[37]),
          "+f"(sums[38]), "+f"(sums[39]), "+f"(sums[40]), "+f"(sums[41]), "+f"(sums[42]), "+f"(sums[43]),
          "+f"(sums[44]), "+f"(sums[45]), "+f"(sums[46]), "+f"(sums[47]), "+f"(sums[48]), "+f"(sums[49]),
          "+f"(sums[50]), "+f"(sums[51]), "+f"(sums[52]), "+f"(sums[53]), "+f"(sums[54]), "+f"(sums[55]),
          "+f"(sums[56]), "+f"(sums[57]), "+f"(sums[58]), "+f"(sums[59]), "+f"(sums[60]), "+f"(sums[61]),
          "+f"(sums[62]), "+f"(sums[63])
        : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

/// sums (64 x 64, of a warpgroup) = [sums +] a (64 x 16, in registers, as load_a leaves them) b (64 x 16)^T.
__device__ inline void multiply_64_by_64(float (&sums)[32], const std::uint32_t (&a)[4], std::uint64_t b, bool add) {
    asm volatile(
        "{.reg .pred add; setp.ne.b32 add, %37, 0;"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
        " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
        "{%32, %33, %34, %35}, %36, add, 1, 1, 0;}"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]),
          "+f"(sums[7]), "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]), "+f"(sums[12]), "+f"(sums[13]),
          "+f"(sums[14]), "+f"(sums[15]), "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]),
          "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23]), "+f"(sums[24]), "+f"(sums[25]),
          "+f"(sums[26]), "+f"(sums[27]), "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(add)));
}

}  // namespace dunlin::distance
