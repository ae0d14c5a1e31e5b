// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dunlin::io {

/// Converts to valid UTF-8: replaces invalid bytes, and removes control characters (newline and tab become spaces).
std::string clean_text(std::string_view text);

/// Escapes text for XML and HTML, between tags or quotes.
std::string escaped(std::string_view text);

}  // namespace dunlin::io
