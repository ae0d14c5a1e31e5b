// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/picture.hpp>

#include "device/cpu.hpp"
#include "picture/groups.hpp"
#include "picture/page.hpp"

namespace dunlin::picture {

/// The points of a map as they lie on a flat page, in units of the map, y upwards.
struct FlatMap {
    std::vector<float> x, y;
    std::vector<double> mean,
        axes;                     ///< of a map of more than 2 dimensions: its center; three axes, one after the other
    std::vector<float> nearness;  ///< 0 far to 1 near, for maps of more than 2 dimensions; else empty
    float left = 0, right = 0, bottom = 0, top = 0;
};

/// A 2-D map as it is; a 1-D map on a line; others in their first two principal axes, the third being depth.
/// Throws Error{bad_input} for a coordinate that is not a number.
FlatMap flatten(device::Cpu& cpu, const Map& map);

/// How the points are drawn.
struct Style {
    float diameter;    ///< pixels
    float alpha;       ///< opacity of one point
    bool given_alpha;  ///< by the caller: opacities multiply; else they follow density
};

Style style_of(const Options& options, const Page& page, Index n);

/// How the edges of a graph are drawn.
struct EdgeStyle {
    float width;       ///< pixels
    float alpha;       ///< opacity of one edge
    bool given_alpha;  ///< as in Style
};

EdgeStyle edge_style_of(const Options& options, const Page& page, Offset edges);

/// Of the vertices of a graph: smaller than points, so that edges are seen between them.
Style vertex_style_of(const Options& options, const Page& page, Index n);

/// Map to page: x' = left + scale (x - x0), y' = top - scale (y - y0): one scale for both axes.
struct Viewport {
    double scale = 1, x0 = 0, y0 = 0, left = 0, top = 0;  // doubles: the span of two floats may not be a float

    [[nodiscard]] float x(float map_x) const {
        return static_cast<float>(left + scale * (static_cast<double>(map_x) - x0));
    }
    [[nodiscard]] float y(float map_y) const {
        return static_cast<float>(top - scale * (static_cast<double>(map_y) - y0));
    }
};

/// The largest scale at which all points lie within the box, discs of this diameter included, and in its middle.
Viewport viewport_of(const FlatMap& flat, const PixelRect& box, float diameter);

}  // namespace dunlin::picture
