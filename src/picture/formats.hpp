// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/page.hpp>

#include "picture/page.hpp"
#include "picture/paper.hpp"
#include "picture/raster.hpp"
#include "picture/scene.hpp"

namespace dunlin::picture {

struct Sample;

/// The content of a picture.
struct Drawing {
    const Graph& graph;  ///< without vertices: points only
    const Map& map;
    const Labels& labels;
    const std::vector<std::string>& names;  ///< of the points, as they are shown
    const Options& options;
    Groups groups;
    Page page;
    const FlatMap& flat;
    Style style;
    EdgeStyle edge_style;
    Viewport viewport;
    const ColorFilm* film = nullptr;  ///< null: none
    const Sample* sample = nullptr;   ///< what its points are of; null: these are all
    std::vector<Index> first = {};    ///< points that a page names before others

    [[nodiscard]] Offset edges() const { return graph.edges() / 2; }
    [[nodiscard]] Index points() const { return static_cast<Index>(flat.x.size()); }
    /// Whether pale points have a darker rim: of more points, rims would be all that is seen.
    [[nodiscard]] bool has_rims() const { return groups.labeled() && points() <= 2000; }
};

/// Some of the points of a drawing.
struct Sample {
    const Drawing& whole;
    std::vector<Index> rows;  ///< ascending
};

/// A drawing at a place of a sheet.
struct SheetPart {
    Drawing drawing;
    float left = 0, top = 0;
};
/// One drawing, or several below a title.
struct Sheet {
    const Options& options;
    Paper paper;
    Page page;  ///< the title of several
    std::vector<SheetPart> parts;
};

/// The complete file in each format: .png, .svg or .pdf.
std::string bytes_of(device::Cpu& cpu, const Sheet& sheet, std::string_view extension);
std::string png_of(device::Cpu& cpu, const Sheet& sheet);
std::string svg_of(device::Cpu& cpu, const Sheet& sheet);
std::string pdf_of(device::Cpu& cpu, const Sheet& sheet);
std::string html_of(device::Cpu& cpu, const Drawing& drawing, const PageExtras& extras = {}, const Run& run = {});

/// A script of a page and its SHA-256 in hexadecimal.
struct PageScript {
    std::string_view text, sha256;
};
/// What a page of one file is made of. Its policy allows these scripts and nothing else.
struct PageParts {
    const std::string& title;
    std::string_view body;
    const std::string& facts;                ///< JSON
    const std::vector<std::string>& frames;  ///< binary, see frames.hpp
    const std::vector<PageScript>& scripts;  ///< in this order
};
std::string html_file(const PageParts& parts);

/// Writes a page (.html) of a map without edges.
void draw_page(const std::filesystem::path& path, const Map& map, const Labels& labels,
               const std::vector<std::string>& ids, const Options& options, const Run& run, const Coloring* coloring,
               const PageExtras& extras);

/// An empty image of the page's size.
Image blank(const Page& page);
/// Copies a picture into an image, from this pixel on.
void copy(const Image& picture, int left, int top, Image& image);

void write(const std::filesystem::path& path, const std::string& bytes);

/// A PNG file of an image.
std::string png_of(const Image& image);
/// A PNG file of an image, with the page's legend, lines and texts over it.
std::string png_of(const Image& image, const Page& page, const Options& options);
/// An SVG or PDF file of the page over an image in a box.
std::string svg_of(const Image& image, const PixelRect& box, const Page& page, const Options& options);
std::string pdf_of(const Image& image, const PixelRect& box, const Page& page, const Options& options);

}  // namespace dunlin::picture
