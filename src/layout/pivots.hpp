// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "math/hd.hpp"
#include "stress/terms.hpp"

/// Pivots of the sparse stress model (Ortmann, Klimenta and Brandes 2017): the vertices to which distances are
/// measured. They are chosen on a small level (coarsest.hpp) by farthest-first traversal and prolongated to finer
/// levels. There the distance from a pivot is first bounded from above: by that of the coarse vertex plus the length of
/// the path to its root.
namespace dunlin::layout {

/// Distances and weights of all vertices of a level with the pivots.
template <class Exec>
struct Pivots {
    Index count = 0;
    typename Exec::template Buffer<Index> vertices;   ///< `count` of them
    typename Exec::template Buffer<float> distances;  ///< n x count, along edges
    typename Exec::template Buffer<float>
        weights;  ///< n x count, d^-2 times the number of vertices that the pivot represents
};

constexpr Index max_pivots = 100;
constexpr int max_steps = 30;  ///< of majorization on a level

/// Number of pivots of a level: at most 5 million distances, but at least 16 pivots.
constexpr Index pivots_for(Index n) { return std::clamp(5000000 / std::max(n, 1), 16, max_pivots); }

/// Rounds of relaxation of a level's distances.
constexpr int relaxations_for(Index n) { return std::clamp(500000 / std::max(n, 1), 4, 100); }

/// Steps of majorization of a level: few on large levels, whose shape is known from the coarser ones.
constexpr int steps_for(Index n) { return std::clamp(200000 / std::max(n, 1), 3, max_steps); }

/// Calls step(v, p) for every vertex and pivot.
template <class Step>
void each_pair(device::Cpu& cpu, Index n, Index pivots, const Step& step) {
    cpu.each(
        n,
        [&](Offset v) {
            for (Offset p = 0; p < pivots; ++p) step(v, p);
        },
        64);
}

/// Logarithmic bins of distances, 8 per octave, from 2^-8 to 2^24: integers up to 16 have a bin of their own.
constexpr Index bins = 256;
DUNLIN_HD inline Index bin_of(float distance) {
    constexpr Index first = (127 - 8) * 8;
    const Index bin = static_cast<Index>(std::bit_cast<std::uint32_t>(distance) >> 20) - first;
    return bin < 0 ? 0 : bin < bins ? bin : bins - 1;
}

/// Weight of a vertex and a pivot at this distance that represents `region` vertices; 0 for the pivot itself.
DUNLIN_HD inline float pivot_weight(float distance, Index region) {
    if (!(distance > 0)) return 0;
    return stress::inverse_square(distance, static_cast<float>(region > 1 ? region : 1));
}

DUNLIN_HD inline void add_one(Index& count) {
#ifdef __CUDA_ARCH__
    atomicAdd(&count, 1);
#else
    std::atomic_ref(count).fetch_add(1, std::memory_order_relaxed);
#endif
}

// Steps of the loops below

struct CarryPivot {
    const Index *coarse, *root;
    Index* fine;
    DUNLIN_HD void operator()(Offset p) const { fine[p] = root[coarse[p]]; }
};

struct CarryDistance {
    const float* coarse;
    Index coarse_count, count;
    const Index* parent;
    const float* reach;
    float* fine;
    DUNLIN_HD void operator()(Offset v, Offset p) const {
        fine[v * count + p] = coarse[Offset{parent[v]} * coarse_count + p] + reach[v];
    }
};

/// Histogram of a region, the vertices that are nearest to a pivot, by distance.
struct CountInRegion {
    const float* distances;
    Index count;
    Index* regions;  ///< pivots x bins
    DUNLIN_HD void operator()(Offset v) const {
        const float* row = distances + v * count;
        Index nearest = 0;
        for (Index p = 1; p < count; ++p) {
            if (row[p] < row[nearest]) nearest = p;
        }
        add_one(regions[Offset{nearest} * bins + bin_of(row[nearest])]);
    }
};

struct CumulateRegion {
    Index* regions;
    DUNLIN_HD void operator()(Offset p) const {
        for (Index b = 1; b < bins; ++b) regions[p * bins + b] += regions[p * bins + b - 1];
    }
};

/// A pivot represents the vertices of its region that are at most half as far from it as v.
struct SetWeight {
    const float* distances;
    Index count;
    const Index* regions;
    float* weights;
    DUNLIN_HD void operator()(Offset v, Offset p) const {
        const float distance = distances[v * count + p];
        weights[v * count + p] = pivot_weight(distance, regions[p * bins + bin_of(distance / 2)]);
    }
};

/// Computes pivots.weights from pivots.distances.
template <class Exec>
void set_pivot_weights(Exec& exec, Index n, Pivots<Exec>& pivots) {
    typename Exec::template Buffer<Index> regions;
    exec.fill(regions, static_cast<std::size_t>(Offset{pivots.count} * bins), Index{0});
    exec.resize(pivots.weights, pivots.distances.size());
    exec.each(n, CountInRegion{pivots.distances.data(), pivots.count, regions.data()});
    exec.each(pivots.count, CumulateRegion{regions.data()});
    each_pair(exec, n, pivots.count,
              SetWeight{pivots.distances.data(), pivots.count, regions.data(), pivots.weights.data()});
}

/// The first `most` pivots of the next coarser level on this one; step: the coarsening from this level to that.
template <class Exec, class Level, class Coarsening>
Pivots<Exec> prolongate_pivots(Exec& exec, const Level& level, const Coarsening& step, const Pivots<Exec>& coarse,
                               Index most) {
    const Index n = level.graph->size();
    Pivots<Exec> fine;
    fine.count = std::min(coarse.count, most);
    exec.resize(fine.vertices, static_cast<std::size_t>(fine.count));
    exec.resize(fine.distances, static_cast<std::size_t>(Offset{n} * fine.count));
    exec.each(fine.count, CarryPivot{coarse.vertices.data(), step.root.data(), fine.vertices.data()});
    each_pair(exec, n, fine.count,
              CarryDistance{coarse.distances.data(), coarse.count, fine.count, step.parent.data(), step.reach.data(),
                            fine.distances.data()});
    relax_distances(exec, level, relaxations_for(n), fine);
    set_pivot_weights(exec, n, fine);
    return fine;
}

}  // namespace dunlin::layout
