// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "io/markup.hpp"
#include "picture/formats.hpp"
#include "picture/landscape.hpp"
#include "picture/paper.hpp"
#include "picture/raster.hpp"
#include "picture/text.hpp"
#include "picture/vectors.hpp"
#include "progress/cancel.hpp"

namespace dunlin::picture {

namespace {

void add_disc(std::string& svg, const Disc& disc, float group_alpha) {
    const auto out = std::back_inserter(svg);
    const std::string alpha = disc.alpha == group_alpha ? "" : fmt::format(" fill-opacity=\"{:.3g}\"", disc.alpha);
    fmt::format_to(out, "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\"{}/>\n", disc.center.x,
                   disc.center.y, disc.diameter / 2, code(disc.color), alpha);
    if (disc.rim.width == 0) return;
    fmt::format_to(out,
                   "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"none\" stroke=\"{}\" "
                   "stroke-width=\"{:.2f}\" stroke-opacity=\"{:.3g}\"/>\n",
                   disc.center.x, disc.center.y, (disc.diameter - disc.rim.width) / 2, code(disc.rim.color),
                   disc.rim.width, disc.alpha);
}

void add_circles(std::string& svg, const Drawing& drawing) {
    fmt::format_to(std::back_inserter(svg), "<g fill-opacity=\"{:.3g}\">\n", drawing.style.alpha);
    for (const Index point : drawing_order(drawing)) add_disc(svg, disc_of(drawing, point), drawing.style.alpha);
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

std::string head_of(const Options& options, const Paper& paper) {
    const auto length = [&](double pixels) {
        return paper.is_printed ? fmt::format("{:.3f}mm", paper.millimeters(pixels)) : fmt::format("{:.10g}", pixels);
    };
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
        "width=\"{}\" height=\"{}\" viewBox=\"0 0 {:.10g} {:.10g}\">\n"
        "<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        length(paper.width), length(paper.height), paper.width, paper.height, io::escaped(title_of(options)),
        code(look_of(options.dark).paper));
}

/// Attributes of a text's halo, or nothing.
std::string halo_of(const TextLine& line, Color paper) {
    if (!line.haloed) return {};
    return fmt::format(" stroke=\"{}\" stroke-width=\"{:.2f}\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
                       code(paper), halo * line.size);
}

void add_texts(std::string& svg, const Page& page, SvgText form) {
    const std::string chosen = font_name().empty() ? "" : fmt::format("'{}', ", font_name());
    const auto out = std::back_inserter(svg);
    // Widths that no hinting changes: names have their places by these
    fmt::format_to(out,
                   "<g font-family=\"{}'DejaVu Sans', Verdana, sans-serif\" text-rendering=\"geometricPrecision\">\n",
                   io::escaped(chosen));
    for (const TextLine& line : page.lines) {
        const std::string outline = halo_of(line, page.look.paper);
        if (form == SvgText::paths) {
            fmt::format_to(out, "<path d=\"{}\" fill=\"{}\"{}/>\n", outlines(line.text, line.size, line.x, line.y),
                           code(line.color), outline);
        } else {
            fmt::format_to(out, "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.2f}\" fill=\"{}\"{}>{}</text>\n",
                           line.x, line.y, line.size, code(line.color), outline, io::escaped(line.text));
        }
    }
    svg += "</g>\n";
}

void add_page(std::string& svg, const Page& page, SvgText text) {
    const auto out = std::back_inserter(svg);
    for (std::size_t part = 0; part < page.bar.colors.size(); ++part)
        add_box(svg, page.bar.part(part), page.bar.colors[part]);
    for (const PixelRect& tick : page.bar.ticks) add_box(svg, tick, page.look.text);
    for (const Swatch& swatch : page.swatches) add_disc(svg, disc_of(swatch, page), 1);
    for (const Stroke& stroke : page.strokes) {
        std::string path;
        for (const PixelPoint& point : stroke.points)
            path += fmt::format("{}{:.2f} {:.2f}", path.empty() ? 'M' : 'L', point.x, point.y);
        fmt::format_to(out,
                       "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2f}\" "
                       "stroke-linejoin=\"round\"/>\n",
                       path, code(stroke.color), stroke.width);
    }
    add_texts(svg, page, text);
}

std::string path_of(const Region& region) {
    std::string path;
    for (const auto& loop : region.loops) {
        progress::cancellation_point();
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
    std::string svg = head_of(options, paper_of(options));
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

std::string svg_of(device::Cpu& cpu, const Sheet& sheet) {
    std::string svg = head_of(sheet.options, sheet.paper);
    const bool is_one = sheet.parts.size() == 1;
    for (const SheetPart& part : sheet.parts) {
        const Drawing& drawing = part.drawing;
        const VectorParts vectors = vectors_of(drawing);
        if (!is_one) svg += fmt::format("<g transform=\"translate({:.2f} {:.2f})\">\n", part.left, part.top);
        if (const auto placed = image_of(cpu, drawing)) add_image(svg, placed->image, placed->box);
        if (vectors.edges && drawing.edges() > 0) add_lines(svg, drawing);
        if (vectors.points) add_circles(svg, drawing);
        add_page(svg, drawing.page, sheet.options.svg_text);
        if (!is_one) svg += "</g>\n";
    }
    if (!is_one) add_page(svg, sheet.page, sheet.options.svg_text);
    svg += "</svg>\n";
    return svg;
}

std::string svg_of(const Image& image, const PixelRect& box, const Page& page, const Options& options) {
    std::string svg = head_of(options, paper_of(options));
    add_image(svg, image, box);
    add_page(svg, page, options.svg_text);
    svg += "</svg>\n";
    return svg;
}

}  // namespace dunlin::picture
