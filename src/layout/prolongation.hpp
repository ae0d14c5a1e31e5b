// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "layout/drawing.hpp"
#include "math/hd.hpp"
#include "math/rng.hpp"

namespace dunlin::layout {

/// Places a fine vertex halfway between its own coarse vertex and the mean of its neighbors' coarse vertices, with a
/// jitter of up to a quarter of a length, so that no two coincide.
template <int D>
struct Prolongate {
    const float* coarse;
    const Index* parent;
    const Offset* offsets;
    const Index* targets;
    float* fine;
    std::uint64_t seed;

    DUNLIN_HD void operator()(Offset i) const {
        float sum[D] = {};
        const Offset begin = offsets[i], end = offsets[i + 1];
        for (Offset e = begin; e < end; ++e) {
            for (int c = 0; c < D; ++c) sum[c] += coarse[Offset{parent[targets[e]]} * D + c];
        }
        for (int c = 0; c < D; ++c) {
            const float own = coarse[Offset{parent[i]} * D + c];
            const float beside = end > begin ? sum[c] / static_cast<float>(end - begin) : own;
            const double lot = math::random_uniform(seed, static_cast<std::uint64_t>(i * D + c)) - 0.5;
            fine[i * D + c] = 0.5F * (own + beside) + 0.5F * static_cast<float>(lot);
        }
    }
};

/// Prolongation: interpolates the map of a level (n x dim) from the next coarser level; `step` is the coarsening
/// between them.
template <class Exec, class Level, class Coarsening>
auto prolongated(Exec& exec, const Level& level, const Coarsening& step,
                 const typename Exec::template Buffer<float>& coarse, int dim, std::uint64_t seed) {
    typename Exec::template Buffer<float> fine;
    exec.resize(fine, static_cast<std::size_t>(Offset{level.graph->size()} * dim));
    by_dimension(dim, [&]<int D>() {
        exec.each(level.graph->size(), Prolongate<D>{coarse.data(), step.parent.data(), level.graph->offsets.data(),
                                                     level.graph->targets.data(), fine.data(), seed});
    });
    return fine;
}

/// Separates vertices that all path lengths treat alike, which would coincide forever; i: a coordinate.
struct Jitter {
    float* map;
    std::uint64_t seed;

    DUNLIN_HD void operator()(Offset i) const {
        map[i] += static_cast<float>(0.01 * (math::random_uniform(seed, static_cast<std::uint64_t>(i)) - 0.5));
    }
};

}  // namespace dunlin::layout
