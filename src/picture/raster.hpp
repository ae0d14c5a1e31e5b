// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "device/cpu.hpp"
#include "picture/scene.hpp"

namespace dunlin::picture {

/// Opaque pixels in row-major order from the top.
struct Image {
    int width = 0, height = 0;
    std::vector<Color> pixels;

    Image(int w, int h, Color paper)
        : width(w), height(h), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), paper) {}
};

/// New points above those of a map (Groups::below) are larger, and have a rim that stands out.
constexpr float placed_size = 1.5F;
Style placed_style(const Style& style);
inline float rim_width(const Style& style) { return std::max(0.7F, 0.14F * style.diameter); }
Color rim_of(Color color, const Look& look);

/// Draws the points over the image. A pixel gets the mean color of the discs that cover it, independent of their order,
/// with an opacity that grows with their number.
void draw_points(device::Cpu& cpu, const FlatMap& flat, const Groups& groups, const Viewport& viewport,
                 const Style& style, Image& image);

/// Draws the edges in the same way as straight lines.
void draw_edges(device::Cpu& cpu, const FlatMap& flat, const Graph& graph, const Groups& groups,
                const Viewport& viewport, const EdgeStyle& style, Image& image);

/// The color of an edge: a paler tone of its group's color if both ends are in one group, else gray.
Color edge_color(const Groups& groups, Index from, Index to);

}  // namespace dunlin::picture
