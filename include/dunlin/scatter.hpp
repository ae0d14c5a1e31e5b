// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <dunlin/picture.hpp>

/// Pictures of pairs of numbers.
namespace dunlin::picture {

/// Up to this many points of a Scatter are open circles, up to most_dots dots; of more their density is drawn.
constexpr Index most_circles = 2000, most_dots = 20000;

/// Pairs of numbers, at least 0, over two axes from 0, below a line: a Shepard diagram. Points that are not finite are
/// left out.
struct Scatter {
    MatrixView<const float> points;  ///< n x 2: x and y
    std::span<const double> line;    ///< its corners, x and y of each
    std::string x_name, y_name;
    std::vector<std::string> tips = {};  ///< one per circle, shown on hover by .svg and .html; empty: none
};

/// Draws it as .png, .svg or a page (.html) without scripts; of the options, title and size are read. No points: the
/// axes. Return value and errors as for maps.
DUNLIN_API bool draw(const std::filesystem::path& path, const Scatter& scatter, const Options& options = {},
                     const Run& run = {});

}  // namespace dunlin::picture
