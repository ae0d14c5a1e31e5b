// SPDX-License-Identifier: Apache-2.0
// Pairs of numbers over two axes: circles, dots or their density, below a line.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <dunlin/scatter.hpp>

#include "io/markup.hpp"
#include "io/output.hpp"
#include "picture/axes.hpp"
#include "picture/formats.hpp"
#include "picture/text.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::picture {

namespace {

constexpr std::array<std::string_view, 4> scatter_formats{".png", ".svg", ".pdf", ".html"};
constexpr Color ring_color{110, 110, 110};

bool is_drawn(std::span<const float> point) { return std::isfinite(point[0]) && std::isfinite(point[1]); }

/// From 0 to a little beyond the largest of the points and the line.
Axis axis_of(const Scatter& scatter, Index column, const std::string& name) {
    double most = 0;
    for (Index i = 0; i < scatter.points.rows; ++i) {
        if (is_drawn(scatter.points.row(i))) most = std::max(most, static_cast<double>(scatter.points(i, column)));
    }
    for (std::size_t k = static_cast<std::size_t>(column); k < scatter.line.size(); k += 2)
        most = std::max(most, scatter.line[k]);
    return {name, 0, most > 0 ? 1.03 * most : 1};
}

struct CircleStyle {
    explicit CircleStyle(float unit) : radius(std::max(2.0F, 5 * unit)), width(std::max(0.7F, 1.4F * unit)) {}
    float radius, width;
};

/// Open circles as polygons.
void add_circles(const Scatter& scatter, const PlotFrame& frame, float unit, Page& page) {
    constexpr int corners = 24;
    const CircleStyle style(unit);
    for (Index i = 0; i < scatter.points.rows; ++i) {
        const auto point = scatter.points.row(i);
        if (!is_drawn(point)) continue;
        const PixelPoint at = frame.at(static_cast<double>(point[0]), static_cast<double>(point[1]));
        Stroke circle{{}, page.look.shown(ring_color), style.width};
        for (int k = 0; k <= corners; ++k) {
            const double angle = 2 * M_PI * (k % corners) / corners;
            circle.points.push_back({at.x + style.radius * static_cast<float>(std::cos(angle)),
                                     at.y + style.radius * static_cast<float>(std::sin(angle))});
        }
        page.strokes.push_back(std::move(circle));
    }
}

/// Open circles as elements, with what a browser shows on hover.
std::string svg_circles(const Scatter& scatter, const PlotFrame& frame, float unit, const Look& look) {
    const CircleStyle style(unit);
    std::string svg = fmt::format("<g fill=\"none\" pointer-events=\"all\" stroke=\"{}\" stroke-width=\"{:.2f}\">\n",
                                  code(look.shown(ring_color)), style.width);
    for (Index i = 0; i < scatter.points.rows; ++i) {
        const auto point = scatter.points.row(i);
        if (!is_drawn(point)) continue;
        const PixelPoint at = frame.at(static_cast<double>(point[0]), static_cast<double>(point[1]));
        fmt::format_to(std::back_inserter(svg), "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\">", at.x, at.y,
                       style.radius);
        if (!scatter.tips.empty()) {
            svg += "<title>" + io::escaped(io::clean_text(scatter.tips[static_cast<std::size_t>(i)])) + "</title>";
        }
        svg += "</circle>\n";
    }
    return svg + "</g>\n";
}

void add_dots(const Scatter& scatter, const PlotFrame& frame, float unit, Page& page) {
    for (Index i = 0; i < scatter.points.rows; ++i) {
        const auto point = scatter.points.row(i);
        if (!is_drawn(point)) continue;
        const PixelPoint at = frame.at(static_cast<double>(point[0]), static_cast<double>(point[1]));
        page.swatches.push_back({at.x, at.y, std::max(0.8F, 1.6F * unit), page.look.shown(ring_color)});
    }
}

/// One square of `cell` pixels for the points in it, the darker the more there are (the logarithm of their number).
/// The image begins at the upper left corner of the page, or with `only_box` of the box.
Image density_of(const Scatter& scatter, const PlotFrame& frame, int cell, const Page& page, bool only_box) {
    const int width = static_cast<int>(frame.box.width), height = static_cast<int>(frame.box.height);
    const int left = only_box ? 0 : static_cast<int>(frame.box.left),
              top = only_box ? 0 : static_cast<int>(frame.box.top);
    const int columns = width / cell + 1, rows = height / cell + 1;
    std::vector<Index> counts(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
    const auto place = [&](int column, int row) {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
    };
    for (Index i = 0; i < scatter.points.rows; ++i) {
        const auto point = scatter.points.row(i);
        if (!is_drawn(point)) continue;
        const PixelPoint at = frame.at(static_cast<double>(point[0]), static_cast<double>(point[1]));
        const int column = static_cast<int>(at.x - frame.box.left) / cell;
        const int row = static_cast<int>(at.y - frame.box.top) / cell;
        ++counts[place(std::clamp(column, 0, columns - 1), std::clamp(row, 0, rows - 1))];
    }
    const double most = std::log1p(*std::max_element(counts.begin(), counts.end()));
    Image image(only_box ? std::max(width, 1) : static_cast<int>(std::lround(page.width)),
                only_box ? std::max(height, 1) : static_cast<int>(std::lround(page.height)), page.look.paper);
    for (int y = 0; y < height; ++y) {
        progress::cancellation_point();
        for (int x = 0; x < width; ++x) {
            const Index count = counts[place(x / cell, y / cell)];
            if (count == 0) continue;
            auto gray = static_cast<std::uint8_t>(std::lround(225 - 150 * std::log1p(count) / most));
            if (page.look.is_dark) gray = static_cast<std::uint8_t>(255 - gray);
            image.pixels[static_cast<std::size_t>(y + top) * static_cast<std::size_t>(image.width) +
                         static_cast<std::size_t>(x + left)] = {gray, gray, gray};
        }
    }
    return image;
}

void add_line(const Scatter& scatter, const PlotFrame& frame, float unit, Page& page) {
    Stroke stroke{{}, page.look.ink, std::max(1.0F, 2.2F * unit)};
    for (std::size_t k = 0; k + 1 < scatter.line.size(); k += 2)
        stroke.points.push_back(frame.at(scatter.line[k], scatter.line[k + 1]));
    if (!stroke.points.empty()) page.strokes.push_back(std::move(stroke));
}

std::string html_of(const std::string& svg, const Options& options) {
    const std::size_t begin = svg.find("<svg");  // without the XML declaration
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
        "'unsafe-inline'\">\n<title>{}</title>\n<style>svg {{ width: auto; height: auto; max-width: 100%; "
        "max-height: 97vh; display: block; margin: auto }}{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        io::escaped(io::clean_text(options.title)),
        options.dark ? fmt::format(" html {{ background: {} }}", code(look_of(true).paper)) : "", svg.substr(begin));
}

std::string bytes_of(const std::string& extension, const Scatter& scatter, const Options& options) {
    const FontScope font(options.font);
    const Labels none;
    Page page = page_of(options, groups_of(none, 0));
    const float unit = std::min(page.width, page.height) / 1200;
    const bool is_png = extension == ".png", is_pdf = extension == ".pdf";
    const Axis x = axis_of(scatter, 0, scatter.x_name), up = axis_of(scatter, 1, scatter.y_name);
    PlotFrame frame = lay_axes(page, x, {up.name, up.end, up.begin}, 0);
    frame.box.left = std::floor(frame.box.left);
    frame.box.top = std::floor(frame.box.top);
    Image image = is_png ? blank(page) : Image(1, 1, page.look.paper);
    const bool circles = scatter.points.rows <= most_circles;
    if (circles && (is_png || is_pdf)) {
        add_circles(scatter, frame, unit, page);
    } else if (!circles && scatter.points.rows <= most_dots) {
        add_dots(scatter, frame, unit, page);
    } else if (!circles) {
        image = density_of(scatter, frame, std::max(1, static_cast<int>(3 * unit)), page, !is_png);
        const float size = std::max(9.0F, 17 * unit);
        page.lines.push_back(
            {page.look.is_dark ? "density: the lighter, the more pairs" : "density: the darker, the more pairs",
             frame.box.left + size, frame.box.top + 1.6F * size, size, page.look.text, true});
    }
    add_line(scatter, frame, unit, page);
    if (is_png) return png_of(image, page, options);
    if (is_pdf) return pdf_of(image, frame.box, page, options);
    std::string svg = svg_of(image, frame.box, page, options);
    if (circles) svg.insert(svg.find("<path"), svg_circles(scatter, frame, unit, page.look));  // below axes and line
    return extension == ".svg" ? svg : html_of(svg, options);
}

}  // namespace

bool draw(const std::filesystem::path& path, const Scatter& scatter, const Options& options, const Run& run) {
    const std::string extension = io::format_of(path, "a plot is", scatter_formats);
    check(options);
    return progress::run_cancellable(run.stop, [&] {
        const progress::ProgressReporter reporter(run, "picture", 1);
        const std::string bytes = bytes_of(extension, scatter, options);
        io::Output file(path);
        file.text(bytes);
        file.commit();
    });
}

}  // namespace dunlin::picture
