// SPDX-License-Identifier: Apache-2.0
#include <cairo.h>
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include <dunlin/error.hpp>

#include "device/cancel.hpp"
#include "picture/formats.hpp"
#include "picture/landscape.hpp"
#include "picture/raster.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;
using Context = std::unique_ptr<cairo_t, void (*)(cairo_t*)>;

void check(cairo_status_t status, const char* what) {
    if (status == CAIRO_STATUS_SUCCESS) return;
    const Fault fault = status == CAIRO_STATUS_NO_MEMORY ? Fault::out_of_memory : Fault::bad_input;
    throw Error(fault, fmt::format("picture: {}: {}", what, cairo_status_to_string(status)));
}

Surface surface_of(const Image& image) {
    Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, image.width, image.height), cairo_surface_destroy);
    check(cairo_surface_status(surface.get()), "cannot make an image");
    cairo_surface_flush(surface.get());
    const int stride = cairo_image_surface_get_stride(surface.get());
    unsigned char* data = cairo_image_surface_get_data(surface.get());
    for (int y = 0; y < image.height; ++y) {
        auto* row = reinterpret_cast<std::uint32_t*>(data + static_cast<std::ptrdiff_t>(y) * stride);
        for (int x = 0; x < image.width; ++x) {
            const Color c = image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                                         static_cast<std::size_t>(x)];
            row[x] = static_cast<std::uint32_t>(c.r) << 16 | static_cast<std::uint32_t>(c.g) << 8 | c.b;
        }
    }
    cairo_surface_mark_dirty(surface.get());
    return surface;
}

void set_color(cairo_t* context, Color color) {
    cairo_set_source_rgb(context, color.r / 255.0, color.g / 255.0, color.b / 255.0);
}

void fill(cairo_t* context, const PixelRect& box, Color color) {
    set_color(context, color);
    cairo_rectangle(context, static_cast<double>(box.left), static_cast<double>(box.top),
                    static_cast<double>(box.width), static_cast<double>(box.height));
    cairo_fill(context);
}

void draw_page(cairo_t* context, const Page& page) {
    for (std::size_t part = 0; part < page.bar.colors.size(); ++part)
        fill(context, page.bar.part(part), page.bar.colors[part]);
    for (const PixelRect& tick : page.bar.ticks) fill(context, tick, text_color);
    for (const Swatch& swatch : page.swatches) {
        set_color(context, swatch.color);
        cairo_arc(context, static_cast<double>(swatch.x), static_cast<double>(swatch.y),
                  static_cast<double>(swatch.radius), 0, 2 * M_PI);
        cairo_fill(context);
    }
    for (const Stroke& stroke : page.strokes) {
        set_color(context, stroke.color);
        cairo_set_line_width(context, static_cast<double>(stroke.width));
        cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
        cairo_new_path(context);
        for (const PixelPoint& point : stroke.points)
            cairo_line_to(context, static_cast<double>(point.x), static_cast<double>(point.y));
        cairo_stroke(context);
    }
    select_font(context);
    for (const TextLine& line : page.lines) {
        cairo_set_font_size(context, static_cast<double>(line.size));
        cairo_move_to(context, static_cast<double>(line.x), static_cast<double>(line.y));
        if (line.haloed) {
            cairo_text_path(context, line.text.c_str());
            set_color(context, white);
            cairo_set_line_width(context, static_cast<double>(halo * line.size));
            cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
            cairo_stroke(context);
            cairo_move_to(context, static_cast<double>(line.x), static_cast<double>(line.y));
        }
        set_color(context, line.color);
        cairo_show_text(context, line.text.c_str());
    }
}

std::string encoded(cairo_surface_t* surface) {
    std::string file;
    const auto append = [](void* out, const unsigned char* data, unsigned int length) {
        static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), length);
        return CAIRO_STATUS_SUCCESS;
    };
    check(cairo_surface_write_to_png_stream(surface, append, &file), "cannot encode a PNG");
    return file;
}

void add_loops(cairo_t* context, const Region& region) {
    cairo_new_path(context);
    for (const auto& loop : region.loops) {
        cairo_new_sub_path(context);
        for (const PixelPoint& point : loop)
            cairo_line_to(context, static_cast<double>(point.x), static_cast<double>(point.y));
        cairo_close_path(context);
    }
}

/// Refers to the pixels.
Surface surface_of(const Shade& shade, std::vector<std::uint32_t>& pixels) {
    Surface surface(
        cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(pixels.data()), CAIRO_FORMAT_ARGB32,
                                            shade.width, shade.height, 4 * shade.width),
        cairo_surface_destroy);
    check(cairo_surface_status(surface.get()), "cannot make an image");
    return surface;
}

void draw_shade(cairo_t* context, const LandscapePlan& plan) {
    std::vector<std::uint32_t> pixels = pixels_of(plan.shade);
    const Surface surface = surface_of(plan.shade, pixels);
    // A pixel of the shade is a node; the centers of the first and last ones are on the box
    const PixelRect& box = plan.shade_box;
    const double across = static_cast<double>(box.width) / (plan.shade.width - 1);
    const double along = static_cast<double>(box.height) / (plan.shade.height - 1);
    cairo_save(context);
    cairo_translate(context, static_cast<double>(box.left) - across / 2, static_cast<double>(box.top) - along / 2);
    cairo_scale(context, across, along);
    cairo_set_source_surface(context, surface.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_BILINEAR);
    cairo_paint(context);
    cairo_restore(context);
}

}  // namespace

std::string png_of(const LandscapePlan& plan) {
    const Page& page = plan.page;
    const Surface surface = surface_of(Image(static_cast<int>(page.width), static_cast<int>(page.height)));
    const Context context(cairo_create(surface.get()), cairo_destroy);
    cairo_save(context.get());
    fill(context.get(), page.plot, plan.ground);
    cairo_rectangle(context.get(), static_cast<double>(page.plot.left), static_cast<double>(page.plot.top),
                    static_cast<double>(page.plot.width), static_cast<double>(page.plot.height));
    cairo_clip(context.get());
    cairo_set_fill_rule(context.get(), CAIRO_FILL_RULE_EVEN_ODD);
    for (const Region& region : plan.regions) {
        device::cancellation_point();
        add_loops(context.get(), region);
        set_color(context.get(), region.fill);
        cairo_fill(context.get());
    }
    if (!plan.shade.values.empty()) draw_shade(context.get(), plan);
    for (const ContourStroke& stroke : plan.strokes) {
        add_loops(context.get(), plan.regions[stroke.region]);
        set_color(context.get(), stroke.color);
        cairo_set_line_width(context.get(), static_cast<double>(stroke.width));
        cairo_stroke(context.get());
    }
    cairo_restore(context.get());
    draw_page(context.get(), page);
    check(cairo_status(context.get()), "cannot draw the landscape");
    return encoded(surface.get());
}

std::string png_of(const Shade& shade) {
    std::vector<std::uint32_t> pixels = pixels_of(shade);
    return encoded(surface_of(shade, pixels).get());
}

std::vector<std::uint32_t> pixels_of(const Shade& shade) {
    std::vector<std::uint32_t> pixels;
    pixels.reserve(shade.values.size());
    for (const std::int16_t value : shade.values) {
        const auto opacity = static_cast<std::uint32_t>(std::abs(value));
        const std::uint32_t light = value < 0 ? opacity * 0x010101U : 0;
        pixels.push_back(opacity << 24 | light);
    }
    return pixels;
}

std::string png_of(const Image& image, const Page& page) {
    const Surface surface = surface_of(image);
    const Context context(cairo_create(surface.get()), cairo_destroy);
    draw_page(context.get(), page);
    check(cairo_status(context.get()), "cannot draw the legend");
    return encoded(surface.get());
}

std::string png_of(device::Cpu& cpu, const Drawing& drawing) {
    Image image(drawing.options.width, drawing.options.height);
    if (drawing.edges() > 0) {
        draw_edges(cpu, drawing.flat, drawing.graph, drawing.groups, drawing.viewport, drawing.edge_style, image);
    }
    draw_points(cpu, drawing.flat, drawing.groups, drawing.viewport, drawing.style, image);
    return png_of(image, drawing.page);
}

}  // namespace dunlin::picture
