// SPDX-License-Identifier: Apache-2.0
#include "picture/canvas.hpp"

#include <fmt/format.h>

#include <cmath>

#include <dunlin/error.hpp>

#include "colors/contrast.hpp"
#include "picture/text.hpp"
#include "progress/cancel.hpp"

namespace dunlin::picture {

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

void set_color(cairo_t* context, Color color, float alpha) {
    cairo_set_source_rgba(context, color.r / 255.0, color.g / 255.0, color.b / 255.0, static_cast<double>(alpha));
}

namespace {

void fill(cairo_t* context, const PixelRect& box, Color color) {
    set_color(context, color);
    cairo_rectangle(context, static_cast<double>(box.left), static_cast<double>(box.top),
                    static_cast<double>(box.width), static_cast<double>(box.height));
    cairo_fill(context);
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

void draw_rim(cairo_t* context, const Disc& disc) {
    if (disc.rim.width == 0) return;
    set_color(context, disc.rim.color, disc.alpha);
    cairo_set_line_width(context, static_cast<double>(disc.rim.width));
    cairo_new_path(context);
    cairo_arc(context, static_cast<double>(disc.center.x), static_cast<double>(disc.center.y),
              static_cast<double>((disc.diameter - disc.rim.width) / 2), 0, 2 * M_PI);
    cairo_stroke(context);
}

void draw_page(cairo_t* context, const Page& page, SvgText text) {
    for (std::size_t part = 0; part < page.bar.colors.size(); ++part)
        fill(context, page.bar.part(part), page.bar.colors[part]);
    for (const PixelRect& tick : page.bar.ticks) fill(context, tick, page.look.text);
    for (const Swatch& swatch : page.swatches) {
        set_color(context, swatch.color);
        cairo_arc(context, static_cast<double>(swatch.x), static_cast<double>(swatch.y),
                  static_cast<double>(swatch.radius), 0, 2 * M_PI);
        cairo_fill(context);
        draw_rim(context, disc_of(swatch, page));
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
            set_color(context, page.look.paper);
            cairo_set_line_width(context, static_cast<double>(halo * line.size));
            cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
            cairo_stroke(context);
            cairo_move_to(context, static_cast<double>(line.x), static_cast<double>(line.y));
        }
        set_color(context, line.color);
        if (text == SvgText::text) {
            cairo_show_text(context, line.text.c_str());
        } else {
            cairo_text_path(context, line.text.c_str());
            cairo_fill(context);
        }
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

void draw_plan(cairo_t* context, const LandscapePlan& plan, SvgText text) {
    const Page& page = plan.page;
    cairo_save(context);
    fill(context, page.plot, plan.ground);
    cairo_rectangle(context, static_cast<double>(page.plot.left), static_cast<double>(page.plot.top),
                    static_cast<double>(page.plot.width), static_cast<double>(page.plot.height));
    cairo_clip(context);
    cairo_set_fill_rule(context, CAIRO_FILL_RULE_EVEN_ODD);
    for (const Region& region : plan.regions) {
        progress::cancellation_point();
        add_loops(context, region);
        set_color(context, region.fill);
        cairo_fill(context);
    }
    if (!plan.shade.values.empty()) draw_shade(context, plan);
    for (const ContourStroke& stroke : plan.strokes) {
        add_loops(context, plan.regions[stroke.region]);
        set_color(context, stroke.color);
        cairo_set_line_width(context, static_cast<double>(stroke.width));
        cairo_stroke(context);
    }
    cairo_restore(context);
    draw_page(context, page, text);
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

}  // namespace dunlin::picture
