// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/picture.hpp>

#include "device/cpu.hpp"
#include "picture/groups.hpp"
#include "picture/page.hpp"

namespace dunlin::picture {

/// A map projected to the plane, in units of the map, y upwards.
struct FlatMap {
    std::vector<float> x, y;
    std::vector<double> mean,
        axes;                     ///< for more than 2 dimensions: the center; three axes in sequence
    std::vector<float> nearness;  ///< 0 far to 1 near, for more than 2 dimensions; else empty
    float left = 0, right = 0, bottom = 0, top = 0;
};

/// Projects a map: 2-D maps are unchanged, 1-D maps lie on a line, others use their first two principal axes, with the
/// third as depth. Throws Error{bad_input} for a coordinate that is NaN.
FlatMap flatten(device::Cpu& cpu, const Map& map);

/// The projected map as n x 2 coordinates.
Map plane_map(const FlatMap& flat);

/// Drawing style of points.
struct Style {
    float diameter;    ///< pixels
    float alpha;       ///< opacity of one point
    bool given_alpha;  ///< alpha is given: opacities multiply; else they depend on the density
};

Style style_of(const Options& options, const Page& page, Index n);

/// Drawing style of edges.
struct EdgeStyle {
    float width;       ///< pixels
    float alpha;       ///< opacity of one edge
    bool given_alpha;  ///< as in Style
};

EdgeStyle edge_style_of(const Options& options, const Page& page, Offset edges);

/// Style of the vertices of a graph: smaller than points, so that edges stay visible.
Style vertex_style_of(const Options& options, const Page& page, Index n);

/// Transform from map to page: x' = left + scale (x - x0), y' = top - scale (y - y0).
struct Viewport {
    double scale = 1, x0 = 0, y0 = 0, left = 0, top = 0;  // the difference of two floats can overflow a float

    [[nodiscard]] float x(float map_x) const {
        return static_cast<float>(left + scale * (static_cast<double>(map_x) - x0));
    }
    [[nodiscard]] float y(float map_y) const {
        return static_cast<float>(top - scale * (static_cast<double>(map_y) - y0));
    }
};

/// The largest scale at which all points, as discs of this diameter, fit into the box; centers them.
Viewport viewport_of(const FlatMap& flat, const PixelRect& box, float diameter);

}  // namespace dunlin::picture
