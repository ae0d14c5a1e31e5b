// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "forces/law.hpp"
#include "placement/field.hpp"

namespace dunlin::reliability {

using Law = forces::StudentT;
using MapField = placement::MapField<Law>;

/// How far each point's affinities are from those of the map, and second derivatives of KL(P, Q) with respect to the
/// point's position.
struct Curvature {
    std::vector<float> kl;           ///< Columns::kl
    std::vector<float> singularity;  ///< Columns::singularity
    std::vector<float> newton_step;  ///< length of H_i^-1 grad_i; infinity if H_i is not positive definite
};

/// One pass over the edges of P and one evaluation of the potential per point. `field`: of the map.
Curvature curvature_of(device::Cpu& cpu, const Graph& affinities, const Map& map, const MapField& field);

/// The first column alone.
std::vector<float> kl_of_points(device::Cpu& cpu, const Graph& affinities, const Map& map, const MapField& field);

}  // namespace dunlin::reliability
