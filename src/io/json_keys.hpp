// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dunlin::io {

/// Throws Error{bad_file} with the line if an object of a JSON text has a key twice: parsers take the last value
/// without a word. A text that is no JSON is left to its parser. line: of the first character.
void require_distinct_keys(std::string_view text, const std::string& file, std::size_t line = 1);

}  // namespace dunlin::io
