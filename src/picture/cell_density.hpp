// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "picture/frames.hpp"
#include "picture/scene.hpp"

namespace dunlin::picture {

/// Typical densities of points on the flat map, per square unit. They stand for the quantiles over pixels by which a
/// PNG is shaded (picture/shade.cpp). All are 0 if all points coincide.
struct CellDensity {
    double dense = 0;   ///< 98% quantile over the occupied cells, which are as large as a disc
    double around = 0;  ///< 98% quantile over them of the density smoothed as for a PNG
    double middle = 0;  ///< 50% quantile of the same
};

/// pixels: the longer side of the map on a page, in pixels; diameter: that of a disc on it.
CellDensity density_of_points(const FlatMap& flat, float pixels, float diameter);

/// 98% quantile over the occupied cells of a grid of 160 x 160 of the edges between points: length per square unit.
/// rows: the point at each place.
double dense_edges(const FlatMap& flat, std::span<const Ends> ends, std::span<const Index> rows);

}  // namespace dunlin::picture
