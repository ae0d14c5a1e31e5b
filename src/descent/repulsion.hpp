// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/descent.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Rules that choose the engine of repulsion, common to all laws (measurements: docs/lab/repulsion.md,
/// docs/performance.md).
namespace dunlin::descent {

/// The engine of repulsion and its accuracy; resolved, so that engine is not automatic.
struct RepulsionSettings {
    Repulsion engine = Repulsion::exact;
    float theta = 0;    ///< of the tree
    float spacing = 0;  ///< of the grid
    Index draws = 0;    ///< of each point in an iteration
    std::uint64_t seed = 0;
};

/// Repulsion settings from the resolved options of a method; seed: of the draws.
template <class Options>
RepulsionSettings repulsion_of(const Options& o, std::uint64_t seed = 0) {
    RepulsionSettings settings{o.repulsion, o.theta.value_or(0), o.spacing.value_or(0), 0, seed};
    if constexpr (requires { o.draws; }) settings.draws = o.draws.value_or(0);
    return settings;
}

/// Largest number of points whose repulsion a CPU sums exactly.
constexpr Index most_for_exact(int dim) { return dim < 3 ? 1000 : 1500; }

/// The same in more than 3 dimensions: those of which about as many would be drawn.
constexpr Index most_for_exact_wide = 64;

/// The fastest engine on a CPU for n points whose map is `span` wide, with this distance between nodes of the grid.
Repulsion quickest(Index n, float span, int dim, float spacing);

/// The fastest engine on a GPU for n points.
Repulsion quickest_on_gpu(Index n, int dim);

/// The engine in place of automatic. Throws Error{bad_input} for an engine that this device or dimension lacks.
Repulsion resolve_repulsion(Repulsion wanted, Index n, int dim, Device where);

}  // namespace dunlin::descent
