// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "waves/cuda/axis.cuh"
#include "waves/implicit/reach.hpp"

/// Crank-Nicolson steps of FitzHugh-Nagumo on a line, w eliminated, in overlapping tiles: a block reads the state of
/// its tile with a halo, does all Newton iterations on chip and writes the state once. What is beyond a halo changes an
/// unknown by less than rho^halo, where rho + 1 / rho = diagonal / |off-diagonal|.
namespace dunlin::waves {

struct ImplicitStep {
    ImplicitConstants constants;
    const double *v, *w;  ///< w: null for models of one species
    double *v_out, *w_out;
    int n;
    bool periodic;
    int newton, halo_parts, reductions;        ///< most iterations; parts of halo; steps of cyclic reduction
    double tolerance = 0;                      ///< a tile iterates until no value changes by more; 0: `newton` times
    unsigned long long* iterations = nullptr;  ///< raised to the most iterations of a tile; newton + 1: no convergence
    const double* current = nullptr;           ///< input of each node, or null
    const double* held = nullptr;              ///< value at which each node is held or NaN, or null
    Activations activations = {};              ///< times: null, or set where v rises to the level in this step
    double dt = 0;                             ///< for the times
};

/// The value in ImplicitStep::held of a node that is not held.
DUNLIN_INLINE DUNLIN_HD double free_node() { return __builtin_nan(""); }

/// Values that the threads of a block exchange.
template <int threads>
struct ImplicitExchange {
    double first[threads], last[threads], a[threads], c[threads], d[threads];
};

/// Values of the nodes beside a part; beyond the tile: `end`.
struct Beside {
    double left, right;
};
template <int nodes, int threads>
__device__ __forceinline__ Beside beside_part(const double (&v)[nodes], double end,
                                              ImplicitExchange<threads>& exchange) {
    const int t = static_cast<int>(threadIdx.x);
    __syncthreads();
    exchange.first[t] = v[0];
    exchange.last[t] = v[nodes - 1];
    __syncthreads();
    return {t > 0 ? exchange.last[t - 1] : end, t + 1 < threads ? exchange.first[t + 1] : end};
}

/// Solves the threads' rows (a, 1, c, d) by cyclic reduction, with couplings beyond a distance neglected.
template <int threads>
__device__ __forceinline__ double reduce_cyclic(double a, double c, double d, int reductions,
                                                ImplicitExchange<threads>& exchange) {
    const int t = static_cast<int>(threadIdx.x);
#pragma unroll 1
    for (int k = 0; k < reductions; ++k) {
        const int distance = 1 << k;
        __syncthreads();
        exchange.a[t] = a;
        exchange.c[t] = c;
        exchange.d[t] = d;
        __syncthreads();
        const bool is_above = t >= distance, is_below = t + distance < threads;
        const double above_a = is_above ? exchange.a[t - distance] : 0,
                     above_c = is_above ? exchange.c[t - distance] : 0;
        const double below_a = is_below ? exchange.a[t + distance] : 0,
                     below_c = is_below ? exchange.c[t + distance] : 0;
        const double above_d = is_above ? exchange.d[t - distance] : 0,
                     below_d = is_below ? exchange.d[t + distance] : 0;
        const double scale = reciprocal(__fma_rn(-a, above_c, __fma_rn(-c, below_a, 1)));
        d = __fma_rn(-a, above_d, __fma_rn(-c, below_d, d)) * scale;
        a = -a * above_a * scale;
        c = -c * below_c * scale;
    }
    return d;
}

__device__ __forceinline__ int magnitude_bits(double x) { return __double2hiint(x) & INT_MAX; }

/// One Newton iteration: v += J^-1 g. Bit k of `held`: node k keeps its value. Returns the high
/// word of the largest change, above that of any number for NaN: it takes whole numbers and leaves the fp64 unit free.
template <int nodes, int threads>
__device__ __forceinline__ int iterate_newton(const ImplicitStep& step, unsigned held, double end,
                                              const double (&known)[nodes], double (&v)[nodes],
                                              ImplicitExchange<threads>& exchange) {
    const ImplicitConstants& constants = step.constants;
    const int t = static_cast<int>(threadIdx.x);
    const Beside beside = beside_part(v, end, exchange);
    const auto row_of = [&](int k, double& diagonal, double& g, double& e) {
        const double laplacian =
            laplacian_1d(v[k], k > 0 ? v[k - 1] : beside.left, k + 1 < nodes ? v[k + 1] : beside.right);
        g = residual_of(constants, known[k], v[k], laplacian);
        diagonal = diagonal_of(constants, v[k]);
        e = constants.coupling;
        if ((held >> k & 1U) != 0) g = 0, diagonal = 1, e = 0;
    };

    // dv[k] = d[k] + before[k] (last of the part before) + after[k] dv[k+1]
    double d[nodes], before[nodes], after[nodes];
    double last_d = 0, last_before = 1, last_after = 0;
#pragma unroll
    for (int k = 0; k + 1 < nodes; ++k) {
        double diagonal, g, e;
        row_of(k, diagonal, g, e);
        const double scale = reciprocal(__fma_rn(-e, last_after, diagonal));
        last_after = e * scale;
        last_d = __fma_rn(last_after, last_d, g * scale);
        last_before = last_after * last_before;
        d[k] = last_d, before[k] = last_before, after[k] = last_after;
    }
    double first_d = 0, first_before = 0, first_after = 1;
#pragma unroll
    for (int k = nodes - 2; k >= 0; --k) {
        first_d = __fma_rn(after[k], first_d, d[k]);
        first_before = __fma_rn(after[k], first_before, before[k]);
        first_after *= after[k];
    }
    __syncthreads();
    exchange.a[t] = first_before;
    exchange.c[t] = first_after;
    exchange.d[t] = first_d;
    __syncthreads();
    const bool is_last = t + 1 == threads;
    const double below_before = is_last ? 0 : exchange.a[t + 1], below_after = is_last ? 0 : exchange.c[t + 1];
    const double below_d = is_last ? 0 : exchange.d[t + 1];
    double diagonal, g, e;
    row_of(nodes - 1, diagonal, g, e);
    const double scale = reciprocal(__fma_rn(-e, last_after, __fma_rn(-e, below_before, diagonal)));
    const double own = e * scale;
    double x = reduce_cyclic(-own * last_before, -own * below_after,
                             __fma_rn(own, last_d, __fma_rn(own, below_d, g * scale)), step.reductions, exchange);
    __syncthreads();
    exchange.last[t] = x;
    __syncthreads();
    const double x_before = t > 0 ? exchange.last[t - 1] : 0;
    v[nodes - 1] += x;
    int largest = magnitude_bits(x);
#pragma unroll
    for (int k = nodes - 2; k >= 0; --k) {
        x = __fma_rn(after[k], x, __fma_rn(before[k], x_before, d[k]));
        v[k] += x;
        largest = max(largest, magnitude_bits(x));
    }
    return largest;
}

/// `nodes` is odd. has_inputs: whether step.current and step.held are read.
template <int nodes, int threads, int blocks, bool has_inputs = false>
__global__ void __launch_bounds__(threads, blocks) step_implicit(const ImplicitStep step) {
    double* const tile = launch_memory();  // v, then kept w + gained v
    __shared__ ImplicitExchange<threads> exchange;
    constexpr int size = threads * nodes;
    double* half_tile = tile + size;
    const int t = static_cast<int>(threadIdx.x);
    const int halo = step.halo_parts * nodes, written = size - 2 * halo;
    const int begin = static_cast<int>(blockIdx.x) * written, low = begin - halo;
    const bool is_inside = low >= 0 && low + size <= step.n;
#pragma unroll
    for (int k = 0; k < nodes; ++k) {
        const int i = k * threads + t, from = is_inside ? low + i : node_at(low + i, step.n, step.periodic);
        copy_async(tile + i, step.v + from);
        if (step.w != nullptr) {
            copy_async(half_tile + i, step.w + from);
        } else {
            half_tile[i] = 0;
        }
    }
    wait_for_copies();
    __syncthreads();

    double v[nodes], known[nodes];
#pragma unroll
    for (int k = 0; k < nodes; ++k) v[k] = tile[t * nodes + k];
    // Beyond the tile values are as at the start of the step: a boundary condition, so that the whole tile converges as
    // Newton's method does. Its error is negligible where the tile writes
    const double end = t == 0 ? v[0] : v[nodes - 1];
    const Beside beside = beside_part(v, end, exchange);
    const auto input_of = [&](const double* values, int k, double none) {
        return has_inputs && values != nullptr ? values[node_at(low + t * nodes + k, step.n, step.periodic)] : none;
    };
#pragma unroll
    for (int k = 0; k < nodes; ++k) {
        const double w = half_tile[t * nodes + k];
        const double half = half_recovery(step.constants, v[k], w);
        const double laplacian =
            laplacian_1d(v[k], k > 0 ? v[k - 1] : beside.left, k + 1 < nodes ? v[k + 1] : beside.right);
        known[k] = known_of(step.constants, v[k], w, half, laplacian, input_of(step.current, k, 0));
        half_tile[t * nodes + k] = half;
    }
    unsigned held = 0;
    if constexpr (has_inputs) {
#pragma unroll
        for (int k = 0; k < nodes; ++k) {
            const double value = input_of(step.held, k, free_node());
            if (value == value) v[k] = value, held |= 1U << k;
        }
    }
    int iterations = 0;
    bool changes = true;
#pragma unroll 1
    while (changes && iterations < step.newton) {
        const int largest = iterate_newton(step, held, end, known, v, exchange);
        changes = __syncthreads_or(largest >= magnitude_bits(step.tolerance)) != 0;
        ++iterations;
    }
    if (t == 0 && step.iterations != nullptr)
        atomicMax(step.iterations, static_cast<unsigned long long>(iterations + (changes ? 1 : 0)));
#pragma unroll
    for (int k = 0; k < nodes; ++k) {
        tile[t * nodes + k] = v[k];
        half_tile[t * nodes + k] = fused(step.constants.gained, v[k], half_tile[t * nodes + k]);
    }
    __syncthreads();
    const int count = min(written, step.n - begin);
    for (int i = t; i < count; i += threads) {
        step.v_out[begin + i] = tile[halo + i];
        if (step.activations.times != nullptr)
            record_crossing(step.activations, step.dt, step.activations.first_step, begin + i, step.v[begin + i],
                            tile[halo + i]);
        if (step.w_out != nullptr) step.w_out[begin + i] = half_tile[halo + i];
    }
}

}  // namespace dunlin::waves
