// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "waves/implicit/formulas.hpp"

/// Halos of overlapping tiles that solve a step's equations on their own.
namespace dunlin::waves {

/// A change of Newton's method after which another iteration changes no value by more than newton_tolerance, for values
/// of magnitude up to 4: the next change is at most |J^-1| reaction |f''| / 2 times the square of this one, with
/// |J^-1| <= 1 / (linear - reaction max f') by dominance and |f''| <= 28.
inline double last_change(const ImplicitConstants& c) {
    if (c.reaction == 0) return std::numeric_limits<double>::max();  // linear: one iteration
    return std::sqrt(newton_tolerance * (c.linear - c.reaction * steepest(c.threshold)) / (14 * c.reaction));
}

/// rho: a change of an unknown changes the one k nodes away by less than rho^k, whatever the values. rho + 1 / rho is
/// the smallest ratio of diagonal and coupling.
inline double influence_of_neighbor(const ImplicitConstants& c) {
    if (c.coupling <= 0) return 0;
    const double half = (c.diagonal - c.reaction * steepest(c.threshold)) / c.coupling / 2;
    return half > 1 ? 1 / (half + std::sqrt(half * half - 1)) : 1;
}

/// An influence below this is neglected.
constexpr double negligible_influence = 1e-17;

/// Tiles of `threads` parts of `nodes` nodes.
struct ImplicitShape {
    int nodes, threads;
};
/// The shape that an H200 takes least time with (docs/lab/waves-gpu.md).
constexpr ImplicitShape gpu_shape{11, 128};

/// Parts of halo beyond which the influence is negligible, and steps of cyclic reduction after which couplings are.
struct ImplicitReach {
    int halo_parts = 0, reductions = 0;

    ImplicitReach(const ImplicitConstants& c, const ImplicitShape& shape) {
        const double rho = influence_of_neighbor(c);
        const double reach = rho < 1 ? std::log(negligible_influence) / std::log(rho) / shape.nodes : shape.threads;
        halo_parts = static_cast<int>(std::ceil(std::min<double>(reach, shape.threads)));
        // a reduction squares the couplings
        double coupling = std::pow(rho, shape.nodes);
        while (coupling > negligible_influence && (1 << reductions) < shape.threads) {
            coupling *= coupling;
            ++reductions;
        }
    }
    /// Whether tiles write at least a quarter of the nodes that they compute.
    [[nodiscard]] bool suits(const ImplicitShape& shape) const { return 8 * halo_parts <= 3 * shape.threads; }
};

}  // namespace dunlin::waves
