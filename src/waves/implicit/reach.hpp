// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "waves/implicit/formulas.hpp"

/// Halos of overlapping tiles that solve a step's equations on their own.
namespace dunlin::waves {

/// rho: a change of an unknown changes the one k nodes away by less than rho^k, whatever the values. rho + 1 / rho is
/// the smallest ratio of diagonal and coupling; f' is at most (1 - a + a^2) / 3.
inline double influence_of_neighbor(const ImplicitConstants& c) {
    if (c.coupling <= 0) return 0;
    const double slope = (1 - c.threshold + c.threshold * c.threshold) / 3;
    const double half = (c.diagonal - c.reaction * slope) / c.coupling / 2;
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
        double coupling = std::pow(rho, shape.nodes);
        for (; coupling > negligible_influence && (1 << reductions) < shape.threads; coupling *= coupling) ++reductions;
    }
    /// Whether tiles write at least a quarter of the nodes that they compute.
    [[nodiscard]] bool suits(const ImplicitShape& shape) const { return 8 * halo_parts <= 3 * shape.threads; }
};

}  // namespace dunlin::waves
