// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <dunlin/picture.hpp>

/// Pictures of numbers: a number per point of a map as its color, numbers on a grid, curves.
namespace dunlin::picture {

/// Other values of the same points, which a page (.html) shows one after another. One scale spans all frames.
struct ColorFilm {
    std::vector<std::vector<double>> frames = {};  ///< each a number per point
    std::vector<std::string> captions = {};        ///< one per frame, shown beside it
    std::string name = {};                         ///< above the legend while the frames are shown
};

/// A number per point, shown as its color with a continuous legend. Values that are not finite are gray.
struct Coloring {
    std::vector<double> values;
    std::string name;     ///< above the legend
    ColorFilm film = {};  ///< read by .html alone
};

/// Draws points with colors by value instead of by label. All edges are gray. A graph without vertices: points only.
/// Also throws Error{bad_input} unless there is one value per point, in each frame too, and one caption per frame.
DUNLIN_API bool draw(const std::filesystem::path& path, const Coloring& coloring, const Graph& graph, const Map& map,
                     const std::vector<std::string>& ids = {}, const Options& options = {}, const Run& run = {});

/// An axis of a plot: its name and the values at its begin (left, top) and end.
struct Axis {
    std::string name;
    double begin = 0, end = 1;
};

/// Numbers on a regular grid, row 0 at the top, with x across and y down, as colors with a continuous legend. Values
/// that are not finite are gray. Contours: lines at the legend's round values.
struct Heatmap {
    MatrixView<const double> values;
    std::string name;  ///< above the legend
    Axis x, y;
    bool equal_axes = true;  ///< cells are squares; else they fill the plot
    bool contours = false;
};

/// Numbers at equally spaced places along x, one curve per row.
struct Curves {
    MatrixView<const double> values;
    std::vector<std::string> names;  ///< one per curve; empty: no legend
    Axis x;
    std::string y_name;
};

/// Numbers on a line or a grid, one state after another.
struct GridFilm {
    std::vector<std::span<const double>> frames = {};  ///< each rows x columns numbers, row 0 at the top
    std::vector<std::string> captions = {};            ///< one per frame
    Index rows = 1, columns = 0;                       ///< a line is one row
    std::string name = {};                             ///< above the legend; one scale spans all frames
    Axis x = {}, y = {};                               ///< a line: y has the name of what the captions are
    std::span<const double> last = {};                 ///< shown at first and after the frames, with its own scale
    std::string last_name = {};
};

/// Largest number of values in the frames of a GridFilm; a page holds a byte for each, deflated, in base64.
constexpr Offset most_film_values = Offset{1} << 27;

/// Writes a page (.html) that plays them: a grid as colors, a line as a curve above all states, with time downwards. Of
/// the options, the title is read. Values of the page are steps of 1/240 of their range. Throws Error{bad_input} for
/// other formats, no values, more than most_film_values, a frame of another size, or not a caption for each.
DUNLIN_API bool draw(const std::filesystem::path& path, const GridFilm& film, const Options& options = {},
                     const Run& run = {});

/// Draws them as .png, .svg or .pdf; of the options, those of the page are read: title, size, text, legend. Return
/// value and errors as for maps.
DUNLIN_API bool draw(const std::filesystem::path& path, const Heatmap& heatmap, const Options& options = {},
                     const Run& run = {});
DUNLIN_API bool draw(const std::filesystem::path& path, const Curves& curves, const Options& options = {},
                     const Run& run = {});

}  // namespace dunlin::picture
