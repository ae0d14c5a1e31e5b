// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/palettes.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::picture {

struct Coloring;

/// What the colors of a graph's vertices show: their labels, communities of the graph, or degrees.
enum class ColorBy { labels, community, degree };
constexpr std::array<std::string_view, 3> names(ColorBy) { return {"labels", "community", "degree"}; }

struct Options {
    std::string title = {};  ///< one line above the map
    int width = 1200;        ///< pixels (PNG), user units (SVG)
    int height = 1200;
    float point_size = 0;     ///< diameter in pixels; 0: chosen from the number of points
    float alpha = 0;          ///< opacity of one point, 0..1; 0: chosen from the number of points
    bool label_names = true;  ///< show each label's name where its points are densest (PNG, SVG)

    Palette palette = Palette::automatic;  ///< colors of labels or numbers
    std::vector<LabelColor> colors = {};   ///< colors of one's own before those of the palette; no flag
    std::string range = {};  ///< numbers: "LOW,HIGH" or "p1,p99", the ends of the scale; empty: all values
    ValueScale scale = ValueScale::linear;  ///< numbers: how they are spread over the colors
    std::optional<double> center = {};      ///< numbers: the value in the middle of the scale

    // Graphs only
    ColorBy color = ColorBy::labels;
    float edge_width = 0;       ///< pixels; 0: chosen from the number of edges
    float edge_alpha = 0;       ///< opacity of one edge, 0..1; 0: chosen from the number of edges
    bool vertex_names = false;  ///< show ids beside vertices, highest degree first, where there is room (PNG, SVG)
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("title", o.title, "title of the picture").by_rule("method, points and score"));
    visit(field("width", o.width, "width of the picture, pixels").at_least(100).at_most(16000));
    visit(field("height", o.height, "height of the picture, pixels").at_least(100).at_most(16000));
    visit(field("point-size", o.point_size, "diameter of a point, pixels; 0: chosen from the number of points")
              .at_least(0)
              .at_most(1000));
    visit(field("alpha", o.alpha, "opacity of a point; 0: chosen from the number of points").at_least(0).at_most(1));
    visit(field("label-names", o.label_names, "show each label's name where its points are densest"));
    visit(field("palette", o.palette, "colors of labels or numbers"));
    visit(field("range", o.range,
                "numbers: the ends of the scale of colors, LOW,HIGH, or percentiles, p1,p99; values beyond have the "
                "colors of the ends")
              .by_rule("smallest and largest value"));
    visit(field("scale", o.scale, "numbers: spread over the colors evenly, by logarithm or by rank"));
    visit(field("center", o.center, "numbers: the value in the middle of the scale, such as 0 of a diverging palette"));
    visit(field("color", o.color, "graphs: what the colors of vertices show"));
    visit(field("edge-width", o.edge_width, "graphs: width of an edge, pixels; 0: chosen from the number of edges")
              .at_least(0));
    visit(field("edge-alpha", o.edge_alpha, "graphs: opacity of an edge; 0: chosen from the number of edges")
              .at_least(0)
              .at_most(1));
    visit(field("vertex-names", o.vertex_names, "graphs: show ids beside vertices where there is room"));
}

/// Draws a map with equal axes, one color per label, a legend and a title. The extension selects the format: .png
/// (shaded by density where points overlap), .svg, .html (one self-contained page: pan, zoom, hover, legend).
/// A map of more than 2 dimensions is projected on its first two principal axes, and far points are paler. With more
/// than 20 labels, the 19 largest keep their colors and the others are gray. `ids` (may be empty) are shown on hover.
/// The write is atomic, and the same map gives the same bytes on the same machine. Returns false, without a file, after
/// a stop request through `run`. Throws Error{bad_input} for another extension, an empty map, a coordinate that is NaN,
/// or labels or ids whose number differs from that of the points; Error{bad_file} if the file cannot be written.
DUNLIN_API bool draw(const std::filesystem::path& path, const Map& map, const Labels& labels = {},
                     const std::vector<std::string>& ids = {}, const Options& options = {}, const Run& run = {});

/// The same with the graph's edges (each listed in both directions) below its vertices. Edges are straight translucent
/// lines, so that dense regions are darker. An edge within one label has a paler tone of its color; others are gray.
/// An SVG contains more than 50,000 edges as an image. An HTML page contains up to 2 million edges; of more, it draws a
/// fixed selection and says so. Also throws Error{bad_input} if the graph and the map differ in size.
DUNLIN_API bool draw(const std::filesystem::path& path, const Graph& graph, const Map& map, const Labels& labels = {},
                     const std::vector<std::string>& ids = {}, const Options& options = {}, const Run& run = {});

/// New points placed in a map, such as placement::place makes: those of the map are pale gray and below, the new ones
/// have their colors and a rim. A legend, and labels of a page, call them "map" and, where there are no labels, "new".
/// labels, coloring (null: none), ids: of the new points.
DUNLIN_API bool draw_placed(const std::filesystem::path& path, const Map& map, const Map& placed,
                            const Labels& labels = {}, const std::vector<std::string>& ids = {},
                            const Options& options = {}, const Run& run = {}, const Coloring* coloring = nullptr);

}  // namespace dunlin::picture
