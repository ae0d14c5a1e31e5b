// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <array>
#include <cmath>

#include "picture/canvas.hpp"
#include "picture/paper.hpp"

namespace dunlin::picture {

namespace {

std::string encoded(cairo_surface_t* surface) {
    std::string file;
    const auto append = [](void* out, const unsigned char* data, unsigned int length) {
        static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), length);
        return CAIRO_STATUS_SUCCESS;
    };
    check(cairo_surface_write_to_png_stream(surface, append, &file), "cannot encode a PNG");
    return file;
}

void append_number(std::string& bytes, std::uint32_t number) {
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 255U);
}

/// Adds the resolution, a chunk pHYs, to a PNG that has a size in print.
std::string with_resolution(std::string png, const Paper& paper) {
    if (!paper.is_printed) return png;
    constexpr std::size_t after_header = 8 + 4 + 4 + 13 + 4;  // the signature, and length, name, data and CRC of IHDR
    const auto per_meter = static_cast<std::uint32_t>(std::lround(paper.dpi / 0.0254));
    std::string chunk = "pHYs";
    append_number(chunk, per_meter);
    append_number(chunk, per_meter);
    chunk += '\1';  // the unit is a meter
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size()));
    std::string all;
    append_number(all, static_cast<std::uint32_t>(chunk.size() - 4));
    all += chunk;
    append_number(all, static_cast<std::uint32_t>(sum));
    return png.insert(after_header, all);
}

}  // namespace

Image blank(const Page& page) {
    return {static_cast<int>(std::lround(page.width)), static_cast<int>(std::lround(page.height))};
}

std::string png_of(const LandscapePlan& plan, const Options& options) {
    const Surface surface = surface_of(blank(plan.page));
    const Context context(cairo_create(surface.get()), cairo_destroy);
    draw_plan(context.get(), plan);
    check(cairo_status(context.get()), "cannot draw the landscape");
    return with_resolution(encoded(surface.get()), paper_of(options));
}

std::string png_of(const Shade& shade) {
    std::vector<std::uint32_t> pixels = pixels_of(shade);
    return encoded(surface_of(shade, pixels).get());
}

std::string png_of(const Image& image) { return encoded(surface_of(image).get()); }

std::string png_of(const Image& image, const Page& page, const Options& options) {
    const Surface surface = surface_of(image);
    const Context context(cairo_create(surface.get()), cairo_destroy);
    draw_page(context.get(), page);
    check(cairo_status(context.get()), "cannot draw the legend");
    return with_resolution(encoded(surface.get()), paper_of(options));
}

std::string png_of(device::Cpu& cpu, const Drawing& drawing) {
    Image image = blank(drawing.page);
    if (drawing.edges() > 0) {
        draw_edges(cpu, drawing.flat, drawing.graph, drawing.groups, drawing.viewport, drawing.edge_style, image);
    }
    draw_points(cpu, drawing.flat, drawing.groups, drawing.viewport, drawing.style, image);
    const Surface surface = surface_of(image);
    const Context context(cairo_create(surface.get()), cairo_destroy);
    if (drawing.has_rims() && !drawing.groups.below)
        for (Index i = 0; i < drawing.points(); ++i) draw_rim(context.get(), disc_of(drawing, i));
    draw_page(context.get(), drawing.page);
    check(cairo_status(context.get()), "cannot draw the legend");
    return with_resolution(encoded(surface.get()), paper_of(drawing.options));
}

}  // namespace dunlin::picture
