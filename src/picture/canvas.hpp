// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cairo.h>

#include <memory>

#include "picture/formats.hpp"
#include "picture/landscape.hpp"
#include "picture/vectors.hpp"

/// Drawing by cairo, of PNG and PDF.
namespace dunlin::picture {

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;
using Context = std::unique_ptr<cairo_t, void (*)(cairo_t*)>;

/// Throws an Error for a status that is a failure.
void check(cairo_status_t status, const char* what);

Surface surface_of(const Image& image);
/// Refers to the pixels, those of the shade.
Surface surface_of(const Shade& shade, std::vector<std::uint32_t>& pixels);

void set_color(cairo_t* context, Color color, float alpha = 1);

/// Legend, lines and texts.
void draw_page(cairo_t* context, const Page& page, SvgText text = SvgText::text);
/// The rim of a disc, if it has one.
void draw_rim(cairo_t* context, const Disc& disc);
void draw_plan(cairo_t* context, const LandscapePlan& plan, SvgText text = SvgText::text);

}  // namespace dunlin::picture
