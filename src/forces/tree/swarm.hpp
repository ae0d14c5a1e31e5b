// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <dunlin/types.hpp>

namespace dunlin::forces {

/// Points of a group, one array per axis, and the forces on them so far.
template <int D>
struct Members {
    std::array<const float*, D> at;
    std::array<double*, D> force;
    Index size;
};

/// Swarm and Cells are padded to a multiple of this with some that push nobody.
inline constexpr Index swarm_lanes = 16;

/// Points that push the members, one array per axis.
template <int D>
struct Swarm {
    std::array<const float*, D> at;
    Index size;
    const float* charge = nullptr;  ///< where the law is charged
};

/// Cells that push the members: centers, counts of points (or sums of their charges), second moments about the center.
template <int D>
struct Cells {
    std::array<const float*, D> at;
    const float* count;
    std::array<const float*, D*(D + 1) / 2> moments;
    Index size;
};

/// These add the forces on every member and return the mass of the ordered pairs (member, other).
template <class Law, int D>
double repel_by_points(const Members<D>& members, const Swarm<D>& swarm, Law law);

template <class Law, int D>
double repel_by_cells(const Members<D>& members, const Cells<D>& cells, Law law);

/// By each other, swarm being the members too; a member does not meet itself.
template <class Law, int D>
double repel_among(const Members<D>& members, const Swarm<D>& swarm, Law law);

}  // namespace dunlin::forces
