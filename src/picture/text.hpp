// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cairo.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::picture {

/// Selects the font of all text: DejaVuSans.ttf in libdunlin's folder, where a package carries it (the Python wheel),
/// so that systems without fonts draw names too; otherwise the system's sans-serif.
void select_font(cairo_t* context);

/// Width of a text in pixels in that font.
float text_width(std::string_view text, float size);

/// The text, truncated with an ellipsis if it is wider than `width`.
std::string shortened(const std::string& text, float size, float width);

/// The text in at most so many lines, as even as can be: broken at blanks, and after '/', '_' and '-'.
std::vector<std::string> broken(const std::string& text, int lines, float size);

/// 1234567 -> "1,234,567".
std::string with_commas(Offset count);

std::string base64(std::string_view bytes);

}  // namespace dunlin::picture
