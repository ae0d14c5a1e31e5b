// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/picture.hpp>

#include "picture/groups.hpp"

namespace dunlin::picture {

struct PixelRect {
    float left = 0, top = 0, width = 0, height = 0;
};

/// A text; (x, y) is the left end of its baseline.
struct TextLine {
    std::string text;
    float x = 0, y = 0, size = 0;
    Color color;
    bool haloed = false;  ///< outlined in white, legible over points
};

constexpr float halo = 0.24F;  ///< width of the outline, relative to the font size

struct Swatch {
    float x = 0, y = 0, radius = 0;  ///< center
    Color color;
};

/// Layout of everything except the points, the same for all formats. In pixels from the upper left corner.
struct Page {
    float width = 0, height = 0;
    PixelRect plot;
    std::vector<TextLine> lines;  ///< title, legend, names of labels
    std::vector<Swatch> swatches;
};

Page page_of(const Options& options, const Groups& groups);

}  // namespace dunlin::picture
