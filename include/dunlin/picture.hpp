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

/// Meaning of the colors of vertices: their labels, communities of the graph, or their degrees.
enum class ColorBy { labels, community, degree };
constexpr std::array<std::string_view, 3> names(ColorBy) { return {"labels", "community", "degree"}; }

/// Order in which names of points are placed. given: the order of the points. degree: largest degree first. auto:
/// degree for graphs, given otherwise.
enum class NamesBy { automatic, given, degree };
constexpr std::array<std::string_view, 3> names(NamesBy) { return {"auto", "given", "degree"}; }

/// Lines from points to names that have no room beside them.
enum class Leaders { automatic, none };
constexpr std::array<std::string_view, 2> names(Leaders) { return {"auto", "none"}; }

/// How SVG and PDF contain text: as text in a font, or as outlines of its glyphs, for printers without the font.
enum class SvgText { text, paths };
constexpr std::array<std::string_view, 2> names(SvgText) { return {"text", "paths"}; }

enum class LegendPlace { right, below, none };
constexpr std::array<std::string_view, 3> names(LegendPlace) { return {"right", "below", "none"}; }

struct Options {
    std::string title = {};  ///< above the map; "none": no title
    int width = 1200;        ///< pixels (PNG), user units (SVG)
    int height = 1200;
    std::string figure_size = {};             ///< in place of width and height: 89mm, 89x70mm, 3.5in, 1200px
    std::optional<float> dpi = {};            ///< pixels per inch
    std::string font = {};                    ///< of all text; empty: sans-serif
    std::optional<float> font_size = {};      ///< points, of the legend and of names; titles are 1.2 times as large
    SvgText svg_text = SvgText::text;         ///< SVG, PDF
    LegendPlace legend = LegendPlace::right;  ///< PNG, SVG, PDF
    std::string legend_title = {};            ///< above the legend
    bool dark = false;                        ///< light text on dark paper
    float point_size = 0;                     ///< diameter in pixels; 0: chosen from the number of points
    float alpha = 0;                          ///< opacity of one point, 0..1; 0: chosen from the number of points
    bool label_names = true;                  ///< show each label's name where its points are densest (PNG, SVG)

    /// Ids beside points (PNG, SVG): auto (of a map with ids and at most 60 points), all (as many as have room), none,
    /// or how many at most.
    std::string names = "auto";
    NamesBy names_by = NamesBy::automatic;
    Leaders leaders = Leaders::automatic;
    std::vector<std::string> name_these = {};  ///< ids whose names are placed first; by `auto` no others
    std::vector<std::string> item_names =
        {};                               ///< shown in place of ids, one per point; "": it has none. Empty: the ids
    std::vector<double> name_ranks = {};  ///< per point: larger ones first, in place of names_by; empty: none

    Palette palette = Palette::automatic;  ///< colors of labels or numbers
    std::vector<LabelColor> colors = {};   ///< colors of one's own before those of the palette; no flag
    std::string range = {};  ///< numbers: "LOW,HIGH" or "p1,p99", the ends of the scale; empty: all values
    ValueScale scale = ValueScale::linear;  ///< numbers: how they are spread over the colors
    std::optional<double> center = {};      ///< numbers: the value in the middle of the scale
    int panels_per_row = 3;                 ///< of several colorings (panels.hpp)

    // Graphs only
    ColorBy color = ColorBy::labels;
    float edge_width = 0;       ///< pixels; 0: chosen from the number of edges
    float edge_alpha = 0;       ///< opacity of one edge, 0..1; 0: chosen from the number of edges
    bool vertex_names = false;  ///< the former way to say that names are `all`
};

template <class Visit>
void fields(Visit&& visit, Options& o) {
    visit(field("title", o.title, "title of the picture; none: no title").by_rule("method, points and score"));
    visit(field("width", o.width, "width of the picture, pixels").at_least(100).at_most(16000));
    visit(field("height", o.height, "height of the picture, pixels").at_least(100).at_most(16000));
    visit(field("figure-size", o.figure_size, "size in place of width and height: 89mm, 89x70mm, 3.5in, 1200px"));
    visit(field("dpi", o.dpi, "pixels per inch of a printed picture")
              .at_least(30)
              .at_most(2400)
              .by_rule("300 if figure-size is a length, else 96"));
    visit(field("font", o.font, "font of all text").by_rule("sans-serif"));
    visit(field("font-size", o.font_size, "size of the legend's text and of names, points; titles have 1.2 times")
              .at_least(3)
              .at_most(100)
              .by_rule("7 if figure-size is a length, else from the picture's size"));
    visit(field("svg-text", o.svg_text, "SVG, PDF: text as text, or as outlines for printers without the font"));
    visit(field("legend", o.legend, "PNG, SVG, PDF: where the legend is"));
    visit(field("legend-title", o.legend_title, "one line above the legend"));
    visit(field("dark", o.dark, "light text on dark paper"));
    visit(field("point-size", o.point_size, "diameter of a point, pixels; 0: chosen from the number of points")
              .at_least(0)
              .at_most(1000));
    visit(field("alpha", o.alpha, "opacity of a point; 0: chosen from the number of points").at_least(0).at_most(1));
    visit(field("label-names", o.label_names, "show each label's name where its points are densest"));
    visit(field(
        "names", o.names,
        "show ids beside points: auto (with ids, up to 60 points), all (that have room), none, or how many at most"));
    visit(field("names-by", o.names_by, "whose names are placed first: the order of the points, or their degree"));
    visit(field("leaders", o.leaders, "lines to names that have no room beside their points"));
    visit(field("palette", o.palette, "colors of labels or numbers"));
    visit(field("range", o.range,
                "numbers: the ends of the scale of colors, LOW,HIGH, or percentiles, p1,p99; values beyond have the "
                "colors of the ends")
              .by_rule("smallest and largest value"));
    visit(field("scale", o.scale, "numbers: spread over the colors evenly, by logarithm or by rank"));
    visit(field("center", o.center, "numbers: the value in the middle of the scale, such as 0 of a diverging palette"));
    visit(field("panels-per-row", o.panels_per_row, "several colorings: how many are beside each other").at_least(1));
    visit(field("color", o.color, "graphs: what the colors of vertices show"));
    visit(field("edge-width", o.edge_width, "graphs: width of an edge, pixels; 0: chosen from the number of edges")
              .at_least(0));
    visit(field("edge-alpha", o.edge_alpha, "graphs: opacity of an edge; 0: chosen from the number of edges")
              .at_least(0)
              .at_most(1));
    visit(field("vertex-names", o.vertex_names, "graphs: the former name of --names all"));
}

/// Draws a map with equal axes, one color per label, a legend and a title. The extension selects the format: .png
/// (shaded by density where points overlap), .svg, .pdf (fonts embedded), .html (one self-contained page: pan, zoom,
/// hover, legend). Up to 50,000 points an SVG or PDF has vectors, beyond an image.
/// A map of more than 2 dimensions is projected on its first two principal axes, and far points are paler. With more
/// than 20 labels, the 19 largest keep their colors and the others are gray. `ids` (may be empty) are shown on hover.
/// The write is atomic, and the same map gives the same bytes on the same machine. Returns false, without a file, after
/// a stop request through `run`. Throws Error{bad_input} for another extension, an empty map, a coordinate that is NaN,
/// or labels or ids whose number differs from that of the points; Error{bad_file} if the file cannot be written.
DUNLIN_API bool draw(const std::filesystem::path& path, const Map& map, const Labels& labels = {},
                     const std::vector<std::string>& ids = {}, const Options& options = {}, const Run& run = {});

/// Also draws the edges of `graph` (each listed in both directions) below its vertices. Edges are straight translucent
/// lines, so that dense regions are darker. An edge within one label has a paler tone of its color; others are gray.
/// An SVG or PDF contains more than 50,000 edges as an
/// image. An HTML page contains up to 2 million edges; of more, it draws a
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
