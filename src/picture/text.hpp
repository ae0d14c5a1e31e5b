#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <dunlin/types.hpp>

namespace dunlin::picture {

/// Text that every format can carry: valid UTF-8 in which bytes that are none and control characters are replaced.
std::string clean_text(std::string_view text);

/// Width of a text in pixels at a font size, in the sans-serif font of this machine.
float text_width(std::string_view text, float size);

/// The text, cut at a character and ended by an ellipsis if it is wider than `width`.
std::string shortened(const std::string& text, float size, float width);

/// 1234567 -> "1,234,567".
std::string with_commas(Offset count);

/// For XML and HTML, between tags or quotes.
std::string escaped(std::string_view text);

std::string base64(std::string_view bytes);

}  // namespace dunlin::picture
