// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/communities.hpp>

#include "communities/level.hpp"
#include "device/cpu.hpp"
#include "math/hd.hpp"

namespace dunlin::communities {

/// What the quality of a partition is made of.
struct Terms {
    Weight inside = 0;  ///< sum of the weights of edges in communities, both directions, without loops
    Wide squares = 0;   ///< sum over communities of the squares of their masses
};

/// Modularity and the constant Potts model in whole numbers: sum over communities of links * (weight inside, both
/// directions) - masses * (sum of masses)^2. Both terms stay below 2^126.
struct PartitionObjective {
    Wide links = 1, masses = 1;

    /// Half of what the quality gains where a part of this mass, with `to` the weight of its edges to the rest of a
    /// community of mass `other`, is united with it.
    [[nodiscard]] DUNLIN_HD Wide gain(Weight to, Weight mass, Weight other) const {
        return links * Wide{to} - masses * Wide{mass} * Wide{other};
    }

    /// The objective, without the constant share of loops.
    [[nodiscard]] Wide value(const Terms& terms) const { return links * Wide{terms.inside} - masses * terms.squares; }

    /// Whether a part of a community is well connected (Traag et al. 2019): it loses nothing with the rest.
    [[nodiscard]] DUNLIN_HD bool is_well_connected(Weight to_rest, Weight mass, Weight whole) const {
        return gain(to_rest, mass, whole - mass) >= 0;
    }
};

/// Masses of vertices: those of the objective, or the weighted degrees.
enum class MassKind { objective, degrees };

/// Units in a weight of 1, a power of two, for weights whose sum (of both directions) is `total`.
double units_per_weight(double total, const Options& options);

/// The objective in units; total: sum of all weights in units (2m).
PartitionObjective objective_of(Weight total, double units, const Options& options);

/// The terms of a partition, labels below base.size(), with these masses of the vertices.
Terms terms_of(device::Cpu& cpu, const WeightedLevel& base, const std::vector<Weight>& masses,
               const std::vector<Index>& labels);

}  // namespace dunlin::communities
