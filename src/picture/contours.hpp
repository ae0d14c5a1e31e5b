// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/plots.hpp>

#include "picture/axes.hpp"

namespace dunlin::picture {

/// Adds lines at the round values of the scale (marching triangles between the centers of the cells).
void add_contours(const Heatmap& heatmap, const ColorScale& scale, const PlotFrame& frame, Page& page);

}  // namespace dunlin::picture
