// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/picture.hpp>

#include "picture/groups.hpp"
#include "picture/line_coverage.hpp"
#include "picture/paper.hpp"

namespace dunlin::picture {

struct PixelRect {
    float left = 0, top = 0, width = 0, height = 0;
};

/// A text; (x, y) is the left end of its baseline.
struct TextLine {
    std::string text;
    float x = 0, y = 0, size = 0;
    Color color;
    bool haloed = false;  ///< outlined in the color of the paper, legible over points
};

constexpr float halo = 0.24F;  ///< width of the outline, relative to the font size

struct Swatch {
    float x = 0, y = 0, radius = 0;  ///< center
    Color color;
};

/// The bar of a continuous legend: colors from top to bottom, or from left to right, in equal parts.
struct ColorBar {
    PixelRect box;
    std::vector<Color> colors;  ///< empty: no bar
    std::vector<PixelRect> ticks;
    bool is_flat = false;  ///< from left to right

    /// The box of a color. It reaches a little below the next one, so that no line shows between them.
    [[nodiscard]] PixelRect part(std::size_t number) const {
        const float long_side = is_flat ? box.width : box.height, side = long_side / static_cast<float>(colors.size());
        const float from = side * static_cast<float>(number), overlap = number + 1 < colors.size() ? 0.5F : 0;
        if (is_flat) return {box.left + from, box.top, side + overlap, box.height};
        return {box.left, box.top + from, box.width, side + overlap};
    }
};

/// A polyline of an axis or a curve.
struct Stroke {
    std::vector<PixelPoint> points;
    Color color;
    float width = 1;
};

/// Layout of everything except the points, the same for all formats. In pixels from the upper left corner.
struct Page {
    float width = 0, height = 0;
    PixelRect plot;
    std::vector<TextLine> lines;  ///< title, legend, names of labels
    std::vector<Swatch> swatches;
    ColorBar bar = {};
    std::vector<Stroke> strokes = {};
    float text = 0;       ///< size of the legend's text
    float name_size = 0;  ///< size of names on the map, if it is given
    float rim = 0.4F;     ///< width of the rims of pale points
    Look look = {};
};

/// Throws Error{bad_input} for a size or an opacity out of range.
void check(const Options& options);

/// `notes`: faint lines after the entries of the legend.
Page page_of(const Options& options, const Groups& groups, const std::vector<std::string>& notes = {});
/// page_of() on paper of this size.
Page page_of(const Options& options, const Groups& groups, const std::vector<std::string>& notes, const Paper& paper);
/// Paper with the title of panels: the plot is their room. `panel`: one of them, whose text has its size.
Page titled_page(const Options& options, const Paper& paper, const Paper& panel);

/// The title, empty for "none".
std::string title_of(const Options& options);

}  // namespace dunlin::picture
