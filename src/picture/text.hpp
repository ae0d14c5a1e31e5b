// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cairo.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::picture {

/// Within its life, the texts of this thread have a font of this name; empty: DejaVuSans.ttf in libdunlin's folder,
/// where a package carries it (the Python wheel), so that systems without fonts draw names too; otherwise the system's
/// sans-serif. Throws Error{bad_input} for a font that the system lacks.
class FontScope {
public:
    explicit FontScope(const std::string& name);
    ~FontScope();
    FontScope(const FontScope&) = delete;
    FontScope& operator=(const FontScope&) = delete;

private:
    std::string before_;
};

/// Selects the font of this thread's texts.
void select_font(cairo_t* context);

/// Its name, first of the families that an SVG lists; empty: none is chosen.
const std::string& font_name();

/// Width of a text in whole pixels in that font: the larger of those in a PNG and in an SVG or PDF.
float text_width(std::string_view text, float size);

/// The outlines of a text as data of an SVG path; (x, y) is the left end of its baseline.
std::string outlines(const std::string& text, float size, float x, float y);

/// The text, truncated with an ellipsis if it is wider than `width`.
std::string shortened(const std::string& text, float size, float width);

/// The text in at most so many lines, as even as can be: broken at blanks, and after '/', '_' and '-'.
std::vector<std::string> broken(const std::string& text, int lines, float size);

/// A text on several lines.
struct WrappedText {
    std::vector<std::string> lines;
    bool is_whole = true;  ///< no line ends within a word
};

/// Breaks a text into lines of at most this width, after blanks, `/`, `_` and `-`, and within words that are wider.
WrappedText wrapped(const std::string& text, float size, float width);

/// 1234567 -> "1,234,567".
std::string with_commas(Offset count);

std::string base64(std::string_view bytes);

}  // namespace dunlin::picture
