// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "device/cpu.hpp"
#include "picture/scene.hpp"

namespace dunlin::picture {

/// Opaque pixels, row after row from the top.
struct Image {
    int width = 0, height = 0;
    std::vector<Color> pixels;

    Image(int w, int h)
        : width(w), height(h), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), white) {}
};

/// Draws the points on what is there. A pixel has the mean color of the discs that cover it, so that no order of
/// drawing matters, and an opacity that grows with their number.
void draw_points(device::Cpu& cpu, const FlatMap& flat, const Groups& groups, const Viewport& viewport,
                 const Style& style, Image& image);

/// Draws the edges in the same way, as straight lines.
void draw_edges(device::Cpu& cpu, const FlatMap& flat, const Graph& graph, const Groups& groups,
                const Viewport& viewport, const EdgeStyle& style, Image& image);

/// The color of an edge: that of its ends where they are of one group, paler, else gray.
Color edge_color(const Groups& groups, Index from, Index to);

}  // namespace dunlin::picture
