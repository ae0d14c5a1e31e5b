// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/chebyshev.hpp"
#include "waves/cuda/axis.cuh"

/// Steps of one node each, for any domain, model and scheme: loops of the GPU's executor.
namespace dunlin::waves {

/// Values of both species in device memory; w: null for models of one species.
struct Pair {
    double *v = nullptr, *w = nullptr;
};

/// A domain in device memory.
struct DomainView {
    int axes = 1;  ///< 0: a graph
    Index nodes[3] = {0, 1, 1};
    bool periodic[3] = {};
    const Offset* offsets = nullptr;
    const Index* targets = nullptr;
    const float* weights = nullptr;
    const double* inverse_degree = nullptr;  ///< null: combinatorial
};

/// The right-hand side.
struct RightSide {
    Coefficients coefficients;
    DomainView domain;
    const double* current = nullptr;  ///< null: none
};

__device__ __forceinline__ double laplacian_of_grid(const DomainView& domain, const double* v, Offset i) {
    const Index nx = domain.nodes[0], ny = domain.nodes[1], nz = domain.nodes[2];
    const Index x = static_cast<Index>(i % nx), y = static_cast<Index>(i / nx % ny);
    const Offset row = i - x;
    const double here = v[i], left = v[row + node_before(x, nx, domain.periodic[0])],
                 right = v[row + node_after(x, nx, domain.periodic[0])];
    if (domain.axes == 1) return laplacian_1d(here, left, right);

    const Offset column = i - Offset{nx} * y;
    const double below = v[column + Offset{nx} * node_before(y, ny, domain.periodic[1])],
                 above = v[column + Offset{nx} * node_after(y, ny, domain.periodic[1])];
    const double plane = laplacian_2d(here, left, right, below, above);
    if (domain.axes == 2) return plane;

    const Offset layer = Offset{nx} * ny;
    const Index z = static_cast<Index>(i / layer);
    const Offset first = i - layer * z;
    return laplacian_3d(plane, here, v[first + layer * node_before(z, nz, domain.periodic[2])],
                        v[first + layer * node_after(z, nz, domain.periodic[2])]);
}

template <class Law>
__device__ __forceinline__ Node laplacian_of_row(const DomainView& domain, const Pair& values, Offset i) {
    const Offset end = domain.offsets[i + 1];
    Node total;
    for (Offset block = domain.offsets[i]; block < end; block += row_block) {
        const Offset stop = block + row_block < end ? block + row_block : end;
        Node part;
        for (Offset e = block; e < stop; ++e) {
            const Index j = domain.targets[e];
            part.v = plus_edge(part.v, domain.weights[e], values.v[i], values.v[j]);
            if constexpr (Law::spreads) part.w = plus_edge(part.w, domain.weights[e], values.w[i], values.w[j]);
        }
        total = {sum(total.v, part.v), sum(total.w, part.w)};
    }
    if (domain.inverse_degree == nullptr) return total;
    return {product(domain.inverse_degree[i], total.v), product(domain.inverse_degree[i], total.w)};
}

/// Rates of node i.
template <class Law>
__device__ __forceinline__ Node rates_at(const RightSide& side, const Pair& values, Offset i) {
    Node u{values.v[i], 0}, laplacian;
    if constexpr (Law::recovers) u.w = values.w[i];
    if (side.domain.axes == 0) {
        laplacian = laplacian_of_row<Law>(side.domain, values, i);
    } else {
        laplacian.v = laplacian_of_grid(side.domain, values.v, i);
        if constexpr (Law::spreads) laplacian.w = laplacian_of_grid(side.domain, values.w, i);
    }
    return rates<Law>(side.coefficients, u, laplacian, Law::driven ? side.current[i] : 0);
}

template <class Law>
struct FindRates {
    RightSide side;
    Pair values, found;
    __device__ void operator()(Offset i) const {
        const Node rate = rates_at<Law>(side, values, i);
        found.v[i] = rate.v;
        if constexpr (Law::recovers) found.w[i] = rate.w;
    }
};

/// A step of Euler's method, with noise if its scale is above 0.
struct EulerStep {
    double dt, noise;
    std::uint64_t seed;
    Offset number;
};

template <class Law>
struct TakeEuler {
    RightSide side;
    EulerStep step;
    Pair values, next;
    __device__ void operator()(Offset i) const {
        const Node rate = rates_at<Law>(side, values, i);
        double v = euler(step.dt, rate.v, values.v[i]);
        if (step.noise > 0) {
            v = fused(step.noise,
                      coins(step.seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(step.number)), v);
        }
        next.v[i] = v;
        if constexpr (Law::recovers) next.w[i] = euler(step.dt, rate.w, values.w[i]);
    }
};

/// The second half of Heun's method, from values after a step of Euler's method.
template <class Law>
struct TakeHeun {
    RightSide side;
    double dt;
    Pair values, once, next;
    __device__ void operator()(Offset i) const {
        const Node rate = rates_at<Law>(side, once, i);
        next.v[i] = heun(values.v[i], euler(dt, rate.v, once.v[i]));
        if constexpr (Law::recovers) next.w[i] = heun(values.w[i], euler(dt, rate.w, once.w[i]));
    }
};

/// A stage of Runge-Kutta-Chebyshev for one species. d_{j-2} is replaced by d_j.
struct TakeStage {
    ChebyshevStage stage;
    double dt;
    bool is_first;
    const double *values, *last, *rate, *first_rate;
    double *before, *next;
    __device__ void operator()(Offset i) const {
        const double moved =
            chebyshev(stage, dt, is_first ? 0 : last[i], is_first ? 0 : before[i], rate[i], first_rate[i]);
        before[i] = moved;
        next[i] = sum(values[i], moved);
    }
};

/// Sets the values of held vertices: by the first thread of those of a vertex, since of several the last counts.
struct Hold {
    const Stimulus* stimuli;
    Offset count;
    double t;
    double* watched;
    bool is_zero;  ///< sets 0 instead of the stimulus' value
    __device__ void operator()(Offset s) const {
        if (s > 0 && stimuli[s - 1].vertex == stimuli[s].vertex) return;
        for (Offset k = s; k < count && stimuli[k].vertex == stimuli[s].vertex; ++k) {
            const Stimulus& one = stimuli[k];
            if (is_held(one.from, one.to, one.every, t)) watched[one.vertex] = is_zero ? 0 : one.value;
        }
    }
};

struct Activate {
    Activations activations;
    double dt;
    const double *before, *after;
    __device__ void operator()(Offset i) const {
        record_crossing(activations, dt, activations.first_step, i, before[i], after[i]);
    }
};

/// The largest magnitude of both species, as bits, whose order is that of numbers from 0.
struct FindLargest {
    Pair values;
    unsigned long long* largest;
    __device__ void operator()(Offset i) const {
        const double v = fabs(values.v[i]), w = values.w == nullptr ? v : fabs(values.w[i]);
        const double here = v < w ? w : v;  // NaN does not count, as on a CPU
        const auto bits = static_cast<unsigned long long>(__double_as_longlong(here));
        if (here > 0 && bits > *largest) atomicMax(largest, bits);
    }
};

}  // namespace dunlin::waves
