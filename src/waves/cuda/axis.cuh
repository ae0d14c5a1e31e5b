// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <climits>

#include "waves/formulas.hpp"

/// Shared parts of the kernels that do several steps of a tile in registers.
namespace dunlin::waves {

/// The node whose values stand at position i of an axis of n nodes that goes on beyond its ends. An end without flux
/// is a mirror, so values beyond it mirror those before it for any number of steps, to the last bit: every formula
/// gives the same bytes for mirrored neighbors. Hence tiles need no special case at ends.
DUNLIN_INLINE DUNLIN_HD int node_at(int i, int n, bool periodic) {
    if (i >= 0 && i < n) return i;
    if (n == 1) return 0;
    const int period = periodic ? n : 2 * (n - 1);
    int node = i % period;
    if (node < 0) node += period;
    return node < n ? node : period - node;
}

#ifdef __CUDACC__
/// Copies 8 bytes from device to shared memory, without a register and without waiting.
__device__ inline void copy_async(double* shared, const double* global) {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(address), "l"(global) : "memory");
}
__device__ inline void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// The shared memory that a launch asks for.
__device__ inline double* launch_memory() {
    extern __shared__ double memory[];
    return memory;
}

/// 1 / x for normal x of moderate size, to an ulp, without a branch.
__device__ __forceinline__ double reciprocal(double x) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    r = __fma_rn(r, __fma_rn(-x, r, 1), r);
    return __fma_rn(r, __fma_rn(-x, r, 1), r);
}
#endif

constexpr unsigned all_lanes = 0xFFFFFFFFU;

/// The value of the lane before, after.
__device__ inline double of_lane_before(double value) { return __shfl_up_sync(all_lanes, value, 1); }
__device__ inline double of_lane_after(double value) { return __shfl_down_sync(all_lanes, value, 1); }

/// Whether tiles look for activations: not at all, whether there may be one, or what each is. Few tiles have one, so
/// all are computed first by the fast kernel, and those with one again by a kernel that records them; if a train of
/// waves passes through every tile, all are computed twice, the second time by the slower kernel.
enum class Watch { nothing, flags, records };

struct Activations {
    double level = 0;         ///< above 0
    int* flags = nullptr;     ///< per tile or part of it: an activation is possible
    double* times = nullptr;  ///< per node
    Offset first_step = 0;
};

/// Bounds of values before and after steps, as high words, which are in the order of the numbers if not both are
/// negative. They take a minimum and a maximum of whole numbers each and no branch, and leave the fp64 unit free.
struct Extremes {
    int low = INT_MAX, top = INT_MIN;

    static __device__ __forceinline__ Extremes of(double before, double after) {
        return {__double2hiint(before), __double2hiint(after)};
    }
    __device__ __forceinline__ void see(double before, double after) {
        low = min(low, __double2hiint(before));
        top = max(top, __double2hiint(after));
    }
    /// True if one of the values rose to the level, and not if all stayed on one side of it by more than its 2^-20.
    [[nodiscard]] __device__ __forceinline__ bool may_cross(double level) const {
        return top >= __double2hiint(level) && low <= __double2hiint(level);
    }
};

__device__ inline void record_crossing(const Activations& activations, double dt, Offset step, Offset node,
                                       double before, double after) {
    if (!crosses(before, after, activations.level) || activations.times[node] != never) return;
    activations.times[node] = crossing(time_of(dt, step), dt, before, after, activations.level);
}

}  // namespace dunlin::waves
