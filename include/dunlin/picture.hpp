#pragma once

#include <filesystem>
#include <string>

#include <dunlin/export.hpp>
#include <dunlin/types.hpp>

namespace dunlin::picture {

struct Options {
    std::string title = {};  ///< one line above the map
    int width = 1200;        ///< pixels (PNG), user units (SVG)
    int height = 1200;
    float point_size = 0;  ///< diameter in pixels; 0: by the number of points
    float alpha = 0;       ///< opacity of one point, 0..1; 0: by the number of points
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit("title", o.title, "title of the picture (default: method, points and score)");
    visit("width", o.width, "width of the picture, pixels");
    visit("height", o.height, "height of the picture, pixels");
    visit("point-size", o.point_size, "diameter of a point, pixels (default 0: by the number of points)");
    visit("alpha", o.alpha, "opacity of a point, 0 to 1 (default 0: by the number of points)");
}

/// Draws a map with equal axes, one colour per label, a legend and a title. The extension decides: .png (density
/// shaded where points overlap), .svg, .html (one self-contained page: pan, zoom, hover, legend).
/// A 3-D map is drawn in its first two principal axes. `ids` (may be empty) are shown on hover.
/// Throws Error{bad_input} for another extension or an empty map, Error{bad_file} if the file cannot be written.
DUNLIN_API void draw(const std::filesystem::path& path, const Map& map, const Labels& labels = {},
                     const std::vector<std::string>& ids = {}, const Options& options = {});

}  // namespace dunlin::picture
