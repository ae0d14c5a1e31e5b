// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <dunlin/types.hpp>

namespace dunlin::forces {

/// Targets: the points of a group, one array per axis, and the forces accumulated on them.
template <int D>
struct TargetPoints {
    std::array<const float*, D> at;
    std::array<double*, D> force;
    Index size;
};

/// SourcePoints and SourceCells are padded to a multiple of this with entries that exert no force.
inline constexpr Index source_lanes = 16;

/// Sources: points that act on the targets, one array per axis.
template <int D>
struct SourcePoints {
    std::array<const float*, D> at;
    Index size;
    const float* charge = nullptr;  ///< null unless the law is charged
};

/// SourceSources: cells that act on the targets by their centers, numbers of points (or sums of charges), and second
/// moments.
template <int D>
struct SourceCells {
    std::array<const float*, D> at;
    const float* count;
    std::array<const float*, D*(D + 1) / 2> moments;
    Index size;
};

/// Each adds the forces of the sources on every target and returns the mass of the ordered pairs (target, source).
template <class Law, int D>
double repel_by_points(const TargetPoints<D>& targets, const SourcePoints<D>& sources, Law law);

template <class Law, int D>
double repel_by_cells(const TargetPoints<D>& targets, const SourceCells<D>& cells, Law law);

/// Forces among the targets: sources and targets are the same points. Pairs of a point with itself are left out.
template <class Law, int D>
double repel_among(const TargetPoints<D>& targets, const SourcePoints<D>& sources, Law law);

}  // namespace dunlin::forces
