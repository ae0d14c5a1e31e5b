// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <dunlin/types.hpp>

namespace dunlin::picture {

/// Width of a text in pixels in the system's sans-serif font.
float text_width(std::string_view text, float size);

/// The text, truncated with an ellipsis if it is wider than `width`.
std::string shortened(const std::string& text, float size, float width);

/// 1234567 -> "1,234,567".
std::string with_commas(Offset count);

std::string base64(std::string_view bytes);

}  // namespace dunlin::picture
