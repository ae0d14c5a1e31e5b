// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/plots.hpp>

#include "picture/axes.hpp"

namespace dunlin::picture {

/// A corner of a triangle, in pixels.
struct Corner {
    float x, y;
    double value;
};

/// The piece of the line of a level within a triangle, between two of its sides; value == level counts as above.
/// Returns the number of its ends, 0 or 2.
int level_in_triangle(const Corner (&corners)[3], double level, PixelPoint (&ends)[2]);

/// Adds lines at the round values of the scale (marching triangles between the centers of the cells).
void add_contours(const Heatmap& heatmap, const ColorScale& scale, const PlotFrame& frame, Page& page);

}  // namespace dunlin::picture
