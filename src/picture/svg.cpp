// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "device/cancel.hpp"
#include "io/markup.hpp"
#include "picture/formats.hpp"
#include "picture/landscape.hpp"
#include "picture/paper.hpp"
#include "picture/raster.hpp"
#include "picture/text.hpp"
#include "picture/vectors.hpp"

namespace dunlin::picture {

namespace {

/// A circle within the rim of a disc.
void add_rim(std::string& svg, const Disc& disc, float radius, float width, float alpha) {
    fmt::format_to(std::back_inserter(svg),
                   "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"none\" stroke=\"{}\" "
                   "stroke-width=\"{:.2f}\" stroke-opacity=\"{:.3g}\"/>\n",
                   disc.center.x, disc.center.y, radius - width / 2, code(legible(disc.color)), width, alpha);
}

void add_circles(std::string& svg, const Drawing& drawing) {
    const float radius = drawing.style.diameter / 2, rim = drawing.page.rim;
    fmt::format_to(std::back_inserter(svg), "<g fill-opacity=\"{:.3g}\">\n", drawing.style.alpha);
    for (const Index point : shuffled(drawing.points())) {
        const Disc disc = disc_of(drawing, point);
        fmt::format_to(std::back_inserter(svg), "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\"/>\n",
                       disc.center.x, disc.center.y, radius, code(disc.color));
        if (drawing.has_rims() && is_pale(disc.color) && radius > 2 * rim)
            add_rim(svg, disc, radius, rim, drawing.style.alpha);
    }
    svg += "</g>\n";
}

void add_lines(std::string& svg, const Drawing& drawing) {
    fmt::format_to(std::back_inserter(svg), "<g fill=\"none\" stroke-width=\"{:.3g}\" stroke-opacity=\"{:.3g}\">\n",
                   drawing.edge_style.width, drawing.edge_style.alpha);
    for_edges(drawing, [&](Index v, Index u) {
        const PixelPoint from = disc_of(drawing, v).center, to = disc_of(drawing, u).center;
        fmt::format_to(std::back_inserter(svg), "<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\" stroke=\"{}\"/>\n", from.x,
                       from.y, to.x, to.y, code(edge_color(drawing.groups, v, u)));
    });
    svg += "</g>\n";
}

void add_image(std::string& svg, const Image& image, const PixelRect& box) {
    fmt::format_to(
        std::back_inserter(svg),
        "<image x=\"{:.2f}\" y=\"{:.2f}\" width=\"{}\" height=\"{}\" xlink:href=\"data:image/png;base64,{}\"/>\n",
        box.left, box.top, box.width, box.height, base64(png_of(image)));
}

void add_box(std::string& svg, const PixelRect& box, Color color) {
    fmt::format_to(std::back_inserter(svg),
                   "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", box.left,
                   box.top, box.width, box.height, code(color));
}

std::string head_of(const Options& options) {
    const Paper paper = paper_of(options);
    const auto length = [&](double pixels) {
        return paper.is_printed ? fmt::format("{:.3f}mm", paper.millimeters(pixels)) : fmt::format("{:.10g}", pixels);
    };
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
        "width=\"{}\" height=\"{}\" viewBox=\"0 0 {:.10g} {:.10g}\">\n"
        "<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        length(paper.width), length(paper.height), paper.width, paper.height, io::escaped(title_of(options)));
}

/// Attributes of a text's halo, or nothing.
std::string halo_of(const TextLine& line) {
    if (!line.haloed) return {};
    return fmt::format(" stroke=\"#ffffff\" stroke-width=\"{:.2f}\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
                       halo * line.size);
}

void add_texts(std::string& svg, const std::vector<TextLine>& lines, SvgText form) {
    const std::string chosen = font_name().empty() ? "" : fmt::format("'{}', ", font_name());
    const auto out = std::back_inserter(svg);
    // Widths that no hinting changes: names have their places by these
    fmt::format_to(out,
                   "<g font-family=\"{}'DejaVu Sans', Verdana, sans-serif\" text-rendering=\"geometricPrecision\">\n",
                   io::escaped(chosen));
    for (const TextLine& line : lines) {
        if (form == SvgText::paths) {
            fmt::format_to(out, "<path d=\"{}\" fill=\"{}\"{}/>\n", outlines(line.text, line.size, line.x, line.y),
                           code(line.color), halo_of(line));
        } else {
            fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.2f}\" fill=\"{}\"{}>{}</text>\n",
                           line.x, line.y, line.size, code(line.color), halo_of(line), io::escaped(line.text));
        }
    }
    svg += "</g>\n";
}

void add_page(std::string& svg, const Page& page, SvgText text) {
    const auto out = std::back_inserter(svg);
    for (std::size_t part = 0; part < page.bar.colors.size(); ++part)
        add_box(svg, page.bar.part(part), page.bar.colors[part]);
    for (const PixelRect& tick : page.bar.ticks) add_box(svg, tick, text_color);
    for (const Swatch& swatch : page.swatches) {
        fmt::format_to(out, "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\"/>\n", swatch.x, swatch.y,
                       swatch.radius, code(swatch.color));
        if (is_pale(swatch.color)) add_rim(svg, {{swatch.x, swatch.y}, swatch.color}, swatch.radius, page.rim, 1);
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
    add_texts(svg, page.lines, text);
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
    add_page(svg, plan.page, options.svg_text);
    svg += "</svg>\n";
    return svg;
}

std::string svg_of(device::Cpu& cpu, const Drawing& drawing) {
    std::string svg = head_of(drawing.options);
    const VectorParts vectors = vectors_of(drawing);
    if (const auto placed = image_of(cpu, drawing)) add_image(svg, placed->image, placed->box);
    if (vectors.edges && drawing.edges() > 0) add_lines(svg, drawing);
    if (vectors.points) add_circles(svg, drawing);
    add_page(svg, drawing.page, drawing.options.svg_text);
    svg += "</svg>\n";
    return svg;
}

std::string svg_of(const Image& image, const PixelRect& box, const Page& page, const Options& options) {
    std::string svg = head_of(options);
    add_image(svg, image, box);
    add_page(svg, page, options.svg_text);
    svg += "</svg>\n";
    return svg;
}

}  // namespace dunlin::picture
