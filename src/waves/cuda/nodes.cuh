// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/chebyshev.hpp"
#include "waves/cuda/graph.cuh"

/// Steps of one node each, for any domain, model and scheme: loops of the GPU's executor. On a graph the loops that
/// need neighbors run over rows, of which each is one vertex; add_hubs runs before.
namespace dunlin::waves {

/// A domain in device memory: a graph, or a grid of `axes`.
struct DomainView {
    int axes = 0;
    Index nodes[3] = {0, 1, 1};
    bool periodic[3] = {};
    SlicedGraph graph;
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

template <bool is_graph>
__device__ __forceinline__ Offset node_of_row(const DomainView& domain, Offset row) {
    return is_graph ? domain.graph.vertices[row] : row;
}

/// Laplacians of both species at node i, whose row this is; that of w if it diffuses.
template <bool spreads, bool is_graph>
__device__ __forceinline__ Node laplacian_at(const DomainView& domain, const Pair& values, Offset row, Offset i) {
    if constexpr (is_graph) {
        const Node total = sum_of_row<spreads>(domain.graph, values, static_cast<int>(row), static_cast<int>(i));
        if (domain.inverse_degree == nullptr) return total;
        const double inverse = domain.inverse_degree[i];
        return {product(inverse, total.v), product(inverse, total.w)};
    }
    return {laplacian_of_grid(domain, values.v, i), spreads ? laplacian_of_grid(domain, values.w, i) : 0};
}

/// Rates of node i, whose row this is.
template <class Law, bool is_graph>
__device__ __forceinline__ Node rates_at(const RightSide& side, const Pair& values, Offset row, Offset i) {
    Node u{values.v[i], 0};
    if constexpr (Law::recovers) u.w = values.w[i];
    const Node laplacian = laplacian_at<Law::spreads, is_graph>(side.domain, values, row, i);
    return rates<Law>(side.coefficients, u, laplacian, Law::driven ? side.current[i] : 0);
}

template <class Law, bool is_graph>
struct FindRates {
    RightSide side;
    Pair values, found;
    __device__ void operator()(Offset row) const {
        const Offset i = node_of_row<is_graph>(side.domain, row);
        const Node rate = rates_at<Law, is_graph>(side, values, row, i);
        found.v[i] = rate.v;
        if constexpr (Law::recovers) found.w[i] = rate.w;
    }
};

/// A step of Euler's method, with noise if its scale is above 0.
struct EulerStep {
    double dt, noise;
    std::uint64_t seed;
    NodeNumbers numbers;
    Offset number;
    Activations activations = {};  ///< without times: they are looked for later, after stimuli
};

template <class Law, bool is_graph>
struct TakeEuler {
    RightSide side;
    EulerStep step;
    Pair values, next;
    __device__ void operator()(Offset row) const {
        const Offset i = node_of_row<is_graph>(side.domain, row);
        const Node rate = rates_at<Law, is_graph>(side, values, row, i);
        double v = euler(step.dt, rate.v, values.v[i]);
        if (step.noise > 0) {
            v = fused(step.noise,
                      coins(step.seed, static_cast<std::uint64_t>(step.numbers.at(i)),
                            static_cast<std::uint64_t>(step.number)),
                      v);
        }
        next.v[i] = v;
        double w = 0;
        if constexpr (Law::recovers) next.w[i] = w = euler(step.dt, rate.w, values.w[i]);
        if (step.activations.times == nullptr) return;
        constexpr bool of_w = Law::model == Model::gray_scott;
        record_crossing(step.activations, step.dt, step.number, i, of_w ? values.w[i] : values.v[i], of_w ? w : v);
    }
};

/// The second half of Heun's method, from values after a step of Euler's method.
template <class Law, bool is_graph>
struct TakeHeun {
    RightSide side;
    double dt;
    Pair values, once, next;
    __device__ void operator()(Offset row) const {
        const Offset i = node_of_row<is_graph>(side.domain, row);
        const Node rate = rates_at<Law, is_graph>(side, once, row, i);
        next.v[i] = heun(values.v[i], euler(dt, rate.v, once.v[i]));
        if constexpr (Law::recovers) next.w[i] = heun(values.w[i], euler(dt, rate.w, once.w[i]));
    }
};

/// A stage of Runge-Kutta-Chebyshev for one species. d_{j-2} is replaced by d_j; the first stage sets d_0 = 0.
struct TakeStage {
    ChebyshevStage stage;
    double dt;
    bool is_first;
    const double *values, *rate, *first_rate;
    double *last, *before, *next;
    __device__ void operator()(Offset i) const {
        if (is_first) last[i] = 0;
        const double moved = chebyshev(stage, dt, last[i], is_first ? 0 : before[i], rate[i], first_rate[i]);
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

/// A loop over nodes that begins with node `first`.
template <class Loop>
struct FromNode {
    Offset first;
    Loop loop;
    __device__ void operator()(Offset i) const { loop(first + i); }
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
