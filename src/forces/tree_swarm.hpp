#pragma once

#include <array>

#include <dunlin/types.hpp>

namespace dunlin::forces {

/// Points of a leaf or group, one array per axis, and the forces on them so far.
template <int D>
struct Members {
    std::array<const float*, D> at;
    std::array<double*, D> force;
    Index size;
};

/// What a group's list of interactions holds: points with weights, one array per axis.
template <int D>
struct Swarm {
    std::array<const float*, D> at;
    const float* weight;
    Index size;
};

/// Adds the forces of the swarm on every member; returns the mass of these ordered pairs.
template <class Law, int D>
double repel_members(const Members<D>& members, const Swarm<D>& swarm);

/// The same of the members on each other; a member does not meet itself.
template <class Law, int D>
double repel_among(const Members<D>& members);

}  // namespace dunlin::forces
