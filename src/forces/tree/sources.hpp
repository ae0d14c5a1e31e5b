// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <dunlin/types.hpp>

namespace dunlin::forces {

/// Points of a group, one array per axis, and the forces on them so far.
template <int D>
struct TargetPoints {
    std::array<const float*, D> at;
    std::array<double*, D> force;
    Index size;
};

/// SourcePoints and SourceCells are padded to a multiple of this with some that push nobody.
inline constexpr Index source_lanes = 16;

/// Points that push the targets, one array per axis.
template <int D>
struct SourcePoints {
    std::array<const float*, D> at;
    Index size;
    const float* charge = nullptr;  ///< where the law is charged
};

/// SourceCells that push the targets: centers, counts of points (or sums of their charges), second moments about the
/// center.
template <int D>
struct SourceCells {
    std::array<const float*, D> at;
    const float* count;
    std::array<const float*, D*(D + 1) / 2> moments;
    Index size;
};

/// These add the forces on every member and return the mass of the ordered pairs (member, other).
template <class Law, int D>
double repel_by_points(const TargetPoints<D>& targets, const SourcePoints<D>& sources, Law law);

template <class Law, int D>
double repel_by_cells(const TargetPoints<D>& targets, const SourceCells<D>& cells, Law law);

/// By each other, sources being the targets too; a member does not meet itself.
template <class Law, int D>
double repel_among(const TargetPoints<D>& targets, const SourcePoints<D>& sources, Law law);

}  // namespace dunlin::forces
