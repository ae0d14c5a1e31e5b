// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dunlin::io {

/// Text that every format can carry: valid UTF-8 in which bytes that are none and control characters are replaced.
std::string clean_text(std::string_view text);

/// For XML and HTML, between tags or quotes.
std::string escaped(std::string_view text);

}  // namespace dunlin::io
