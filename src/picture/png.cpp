// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <algorithm>
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
    return {static_cast<int>(std::lround(page.width)), static_cast<int>(std::lround(page.height)), page.look.paper};
}

void copy(const Image& picture, int left, int top, Image& image) {
    for (int y = 0; y < picture.height; ++y) {
        const auto from = static_cast<std::ptrdiff_t>(y) * picture.width;
        const auto to = static_cast<std::ptrdiff_t>(y + top) * image.width + left;
        std::copy_n(picture.pixels.begin() + from, picture.width, image.pixels.begin() + to);
    }
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

namespace {

Image image_of_marks(device::Cpu& cpu, const Drawing& drawing) {
    Image image = blank(drawing.page);
    if (drawing.edges() > 0) {
        draw_edges(cpu, drawing.flat, drawing.graph, drawing.groups, drawing.viewport, drawing.edge_style, image);
    }
    draw_points(cpu, drawing.flat, drawing.groups, drawing.viewport, drawing.style, image);
    return image;
}

/// Rims of points, legend and texts.
void draw_over(cairo_t* context, const Drawing& drawing) {
    if (drawing.has_rims() && !drawing.groups.below)
        for (Index i = 0; i < drawing.points(); ++i) draw_rim(context, disc_of(drawing, i));
    draw_page(context, drawing.page);
}

}  // namespace

std::string png_of(device::Cpu& cpu, const Sheet& sheet) {
    const bool is_one = sheet.parts.size() == 1;
    Image image = is_one ? image_of_marks(cpu, sheet.parts[0].drawing) : blank(sheet.page);
    for (std::size_t p = 0; p < sheet.parts.size() && !is_one; ++p) {
        const SheetPart& part = sheet.parts[p];
        copy(image_of_marks(cpu, part.drawing), static_cast<int>(part.left), static_cast<int>(part.top), image);
    }
    const Surface surface = surface_of(image);
    const Context context(cairo_create(surface.get()), cairo_destroy);
    for (const SheetPart& part : sheet.parts) {
        cairo_save(context.get());
        cairo_translate(context.get(), static_cast<double>(part.left), static_cast<double>(part.top));
        draw_over(context.get(), part.drawing);
        cairo_restore(context.get());
    }
    if (!is_one) draw_page(context.get(), sheet.page);
    check(cairo_status(context.get()), "cannot draw the legend");
    return with_resolution(encoded(surface.get()), sheet.paper);
}

}  // namespace dunlin::picture
