// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "picture/page.hpp"
#include "picture/relief.hpp"

namespace dunlin::picture {

/// A region bounded by closed polygons: filled where their winding number is odd.
struct Region {
    std::vector<std::vector<PixelPoint>> loops;
    Color fill;
};

/// The closed polygons of a contour.
struct ContourStroke {
    std::size_t region = 0;  ///< whose polygons they are
    Color color;
    float width = 1;
};

/// What a plan of a landscape shows, from the bottom to the top: regions over the ground, shade, lines, the page.
struct LandscapePlan {
    Page page;
    Color ground;
    std::vector<Region> regions;
    Shade shade;          ///< empty: none
    PixelRect shade_box;  ///< of the centers of its corner nodes
    std::vector<ContourStroke> strokes;
};

std::string png_of(const LandscapePlan& plan, const Options& options);
std::string svg_of(const LandscapePlan& plan, const Options& options);
std::string pdf_of(const LandscapePlan& plan, const Options& options);

std::string png_of(const Shade& shade);

/// Rows with premultiplied black or white, 4 bytes per pixel: blue, green, red, opacity.
std::vector<std::uint32_t> pixels_of(const Shade& shade);

}  // namespace dunlin::picture
