// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::picture {

/// What the colors of a graph's vertices say: their labels; communities found by graph structure; how many edges
/// they have.
enum class ColorBy { labels, community, degree };
constexpr std::array<std::string_view, 3> names(ColorBy) { return {"labels", "community", "degree"}; }

struct Options {
    std::string title = {};  ///< one line above the map
    int width = 1200;        ///< pixels (PNG), user units (SVG)
    int height = 1200;
    float point_size = 0;     ///< diameter in pixels; 0: by the number of points
    float alpha = 0;          ///< opacity of one point, 0..1; 0: by the number of points
    bool label_names = true;  ///< names of labels on the map, where their points lie densest (PNG, SVG)

    // of graphs only
    ColorBy color = ColorBy::labels;
    float edge_width = 0;       ///< pixels; 0: by the number of edges
    float edge_alpha = 0;       ///< opacity of one edge, 0..1; 0: by the number of edges
    bool vertex_names = false;  ///< ids beside their vertices, those with most edges first, as room allows (PNG, SVG)
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("title", o.title, "title of the picture").by_rule("method, points and score"));
    visit(field("width", o.width, "width of the picture, pixels").at_least(100).at_most(16000));
    visit(field("height", o.height, "height of the picture, pixels").at_least(100).at_most(16000));
    visit(field("point-size", o.point_size, "diameter of a point, pixels; 0: by the number of points")
              .at_least(0)
              .at_most(1000));
    visit(field("alpha", o.alpha, "opacity of a point; 0: by the number of points").at_least(0).at_most(1));
    visit(field("label-names", o.label_names, "names of labels on the map, where their points lie densest"));
    visit(field("color", o.color, "graphs: what the colors of vertices say"));
    visit(field("edge-width", o.edge_width, "graphs: width of an edge, pixels; 0: by the number of edges").at_least(0));
    visit(field("edge-alpha", o.edge_alpha, "graphs: opacity of an edge; 0: by the number of edges")
              .at_least(0)
              .at_most(1));
    visit(field("vertex-names", o.vertex_names, "graphs: ids beside their vertices, as room allows"));
}

/// Draws a map with equal axes, one color per label, a legend and a title. The extension decides: .png (density
/// shaded where points overlap), .svg, .html (one self-contained page: pan, zoom, hover, legend).
/// A map of more than 2 dimensions is drawn in its first two principal axes, far points paler. More than 20 labels: the
/// 19 with most points keep their colors, the others are gray. `ids` (may be empty) are shown on hover. The file
/// appears whole or not at all, and the same map gives the same bytes on the same machine. Returns whether it is there:
/// a stop asked for through `run` leaves it out. Throws Error{bad_input} for another extension, an empty map, a
/// coordinate that is not a number, labels or ids that are not one per point; Error{bad_file} if the file cannot be
/// written.
DUNLIN_API bool draw(const std::filesystem::path& path, const Map& map, const Labels& labels = {},
                     const std::vector<std::string>& ids = {}, const Options& options = {}, const Run& run = {});

/// The same with the graph's edges (each listed in both directions) under its vertices: straight lines, whose shades
/// add up where they cross, so that a million of them show where they are dense. An edge between vertices of one label
/// has its color, paler; others are gray. More than 50,000 edges are an image in an SVG; an HTML page holds up to
/// 2 million, drawn by a fixed rule where there are more, and says so.
/// Throws Error{bad_input} also for a graph that is not of the map's points.
DUNLIN_API bool draw(const std::filesystem::path& path, const Graph& graph, const Map& map, const Labels& labels = {},
                     const std::vector<std::string>& ids = {}, const Options& options = {}, const Run& run = {});

}  // namespace dunlin::picture
