// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "device/cancel.hpp"
#include "io/markup.hpp"
#include "math/rng.hpp"
#include "picture/formats.hpp"
#include "picture/landscape.hpp"
#include "picture/raster.hpp"
#include "picture/shade.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

constexpr Index max_circles = 50000;  // beyond, viewers are slow and files large: the points become an image
constexpr Offset max_lines = 50000;
constexpr int image_scale = 2;  // image pixels per unit

/// A pseudorandom order, so that later labels of the file do not hide earlier ones.
std::vector<Index> shuffled(Index n) {
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[math::random_below(i, 1, i)]);
    return order;
}

void add_circles(std::string& svg, const Drawing& drawing) {
    const Viewport& viewport = drawing.viewport;
    fmt::format_to(std::back_inserter(svg), "<g fill-opacity=\"{:.3g}\">\n", drawing.style.alpha);
    std::vector<Index> order = shuffled(static_cast<Index>(drawing.flat.x.size()));
    const auto is_below = [&](Index point) { return drawing.groups.group(point) == drawing.groups.below; };
    if (drawing.groups.below) std::ranges::stable_partition(order, is_below);
    for (const Index point : order) {
        const auto i = static_cast<std::size_t>(point);
        const float nearness = drawing.flat.nearness.empty() ? 1.0F : drawing.flat.nearness[i];
        const Color color = depth_tinted(drawing.groups.list[drawing.groups.group(point)].color, nearness);
        const bool is_new = drawing.groups.below && !is_below(point);
        const Style style = is_new ? placed_style(drawing.style) : drawing.style;
        const std::string rim =
            is_new ? fmt::format(" stroke=\"{}\" stroke-width=\"{:.2f}\"", code(rim_of(color)), rim_width(style)) : "";
        fmt::format_to(std::back_inserter(svg), "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\"{}/>\n",
                       viewport.x(drawing.flat.x[i]), viewport.y(drawing.flat.y[i]), style.diameter / 2, code(color),
                       rim);
    }
    svg += "</g>\n";
}

void add_lines(std::string& svg, const Drawing& drawing) {
    const Viewport& viewport = drawing.viewport;
    fmt::format_to(std::back_inserter(svg), "<g fill=\"none\" stroke-width=\"{:.3g}\" stroke-opacity=\"{:.3g}\">\n",
                   drawing.edge_style.width, drawing.edge_style.alpha);
    for (Index v = 0; v < drawing.graph.size(); ++v) {
        const auto from = static_cast<std::size_t>(v);
        for (Offset e = drawing.graph.offsets[from]; e < drawing.graph.offsets[from + 1]; ++e) {
            const Index u = drawing.graph.targets[static_cast<std::size_t>(e)];
            if (u < v) continue;
            const auto to = static_cast<std::size_t>(u);
            fmt::format_to(std::back_inserter(svg), "<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\" stroke=\"{}\"/>\n",
                           viewport.x(drawing.flat.x[from]), viewport.y(drawing.flat.y[from]),
                           viewport.x(drawing.flat.x[to]), viewport.y(drawing.flat.y[to]),
                           code(edge_color(drawing.groups, v, u)));
        }
    }
    svg += "</g>\n";
}

void add_image(std::string& svg, const Image& image, const PixelRect& box) {
    fmt::format_to(
        std::back_inserter(svg),
        "<image x=\"{:.2f}\" y=\"{:.2f}\" width=\"{}\" height=\"{}\" xlink:href=\"data:image/png;base64,{}\"/>\n",
        box.left, box.top, box.width, box.height, base64(png_of(image)));
}

/// Adds edges and points that are too many for SVG elements as an image.
void add_image(std::string& svg, device::Cpu& cpu, const Drawing& drawing, bool edges, bool points) {
    const PixelRect& plot = drawing.page.plot;
    Image image(static_cast<int>(plot.width) * image_scale, static_cast<int>(plot.height) * image_scale);
    Style style = drawing.style;
    style.diameter *= image_scale;
    EdgeStyle edge_style = drawing.edge_style;
    edge_style.width *= image_scale;
    const PixelRect whole{0, 0, static_cast<float>(image.width), static_cast<float>(image.height)};
    const Viewport viewport = viewport_of(drawing.flat, whole, style.diameter);
    if (edges) draw_edges(cpu, drawing.flat, drawing.graph, drawing.groups, viewport, edge_style, image);
    if (points) draw_points(cpu, drawing.flat, drawing.groups, viewport, style, image);
    add_image(svg, image,
              {plot.left, plot.top, static_cast<float>(image.width / image_scale),
               static_cast<float>(image.height / image_scale)});
}

void add_box(std::string& svg, const PixelRect& box, Color color) {
    fmt::format_to(std::back_inserter(svg),
                   "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", box.left,
                   box.top, box.width, box.height, code(color));
}

std::string head_of(const Options& options) {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
        "width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
        "<title>{2}</title>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
        options.width, options.height, io::escaped(io::clean_text(options.title)));
}

void add_page(std::string& svg, const Page& page) {
    const auto out = std::back_inserter(svg);
    for (std::size_t part = 0; part < page.bar.colors.size(); ++part)
        add_box(svg, page.bar.part(part), page.bar.colors[part]);
    for (const PixelRect& tick : page.bar.ticks) add_box(svg, tick, text_color);
    for (const Swatch& swatch : page.swatches) {
        fmt::format_to(out, "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\"/>\n", swatch.x, swatch.y,
                       swatch.radius, code(swatch.color));
    }
    for (const Stroke& stroke : page.strokes) {
        std::string path;
        for (const PixelPoint& point : stroke.points)
            path += fmt::format("{}{:.2f} {:.2f}", path.empty() ? 'M' : 'L', point.x, point.y);
        fmt::format_to(out,
                       "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2f}\" "
                       "stroke-linejoin=\"round\"/>\n",
                       path, code(stroke.color), stroke.width);
    }
    svg += "<g font-family=\"'DejaVu Sans', Verdana, sans-serif\">\n";
    for (const TextLine& line : page.lines) {
        std::string outline;
        if (line.haloed) {
            outline = fmt::format(
                " stroke=\"#ffffff\" stroke-width=\"{:.2f}\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
                halo * line.size);
        }
        fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.2f}\" fill=\"{}\"{}>{}</text>\n", line.x,
                       line.y, line.size, code(line.color), outline, io::escaped(line.text));
    }
    svg += "</g>\n";
}

std::string path_of(const Region& region) {
    std::string path;
    for (const auto& loop : region.loops) {
        device::cancellation_point();
        char command = 'M';
        for (const PixelPoint& point : loop) {
            fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", command, point.x, point.y);
            command = 'L';
        }
        path += 'Z';
    }
    return path;
}

}  // namespace

std::string svg_of(const LandscapePlan& plan, const Options& options) {
    const PixelRect& plot = plan.page.plot;
    std::string svg = head_of(options);
    const auto out = std::back_inserter(svg);
    fmt::format_to(out,
                   "<defs>\n<clipPath id=\"plot\"><rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>"
                   "</clipPath>\n",
                   plot.left, plot.top, plot.width, plot.height);
    for (std::size_t r = 0; r < plan.regions.size(); ++r)
        fmt::format_to(out, "<path id=\"region{}\" d=\"{}\"/>\n", r, path_of(plan.regions[r]));
    svg += "</defs>\n<g clip-path=\"url(#plot)\">\n";
    add_box(svg, plot, plan.ground);
    for (std::size_t r = 0; r < plan.regions.size(); ++r) {
        fmt::format_to(out, "<use xlink:href=\"#region{}\" fill=\"{}\" fill-rule=\"evenodd\"/>\n", r,
                       code(plan.regions[r].fill));
    }
    if (!plan.shade.values.empty()) {
        const PixelRect& box = plan.shade_box;
        const float across = box.width / static_cast<float>(plan.shade.width - 1);
        const float along = box.height / static_cast<float>(plan.shade.height - 1);
        fmt::format_to(out,
                       "<image x=\"{:.3f}\" y=\"{:.3f}\" width=\"{:.3f}\" height=\"{:.3f}\" "
                       "preserveAspectRatio=\"none\" xlink:href=\"data:image/png;base64,{}\"/>\n",
                       box.left - across / 2, box.top - along / 2, box.width + across, box.height + along,
                       base64(png_of(plan.shade)));
    }
    for (const ContourStroke& stroke : plan.strokes) {
        fmt::format_to(out, "<use xlink:href=\"#region{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2f}\"/>\n",
                       stroke.region, code(stroke.color), stroke.width);
    }
    svg += "</g>\n";
    add_page(svg, plan.page);
    svg += "</svg>\n";
    return svg;
}

std::string svg_of(device::Cpu& cpu, const Drawing& drawing) {
    std::string svg = head_of(drawing.options);
    const bool circles = std::ssize(drawing.flat.x) <= max_circles, lines = circles && drawing.edges() <= max_lines;
    if (!circles || !lines) add_image(svg, cpu, drawing, drawing.edges() > 0, !circles);
    if (lines && drawing.edges() > 0) add_lines(svg, drawing);
    if (circles) add_circles(svg, drawing);
    add_page(svg, drawing.page);
    svg += "</svg>\n";
    return svg;
}

std::string svg_of(const Image& image, const PixelRect& box, const Page& page, const Options& options) {
    std::string svg = head_of(options);
    add_image(svg, image, box);
    add_page(svg, page);
    svg += "</svg>\n";
    return svg;
}

}  // namespace dunlin::picture
