// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/plots.hpp>

#include "picture/page.hpp"

namespace dunlin::picture {

/// Maps values to pixels of a plot.
struct PlotFrame {
    PixelRect box;
    Axis x, y;

    [[nodiscard]] PixelPoint at(double vx, double vy) const;
};

/// Shrinks the plot of the page by the room of tick labels, adds ticks, labels, names and a frame. y.begin is at the
/// top. `shape`: width over height of the box; 0: the whole plot.
PlotFrame lay_axes(Page& page, const Axis& x, const Axis& y, float shape);

}  // namespace dunlin::picture
