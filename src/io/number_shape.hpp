// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace dunlin::io {

constexpr std::string_view two_numbers = "two numbers";  ///< what 0-5 has

/// What a text of several numbers, or of other digits, has that a number has not: 1/5, 0-5, [0.5], (2.3, -0.6), 0°30'.
/// Empty: it is none.
std::string_view shape_of_numbers(std::string_view text);

/// "a date" or "a clock time"; empty: the text is neither.
std::string_view shape_of_time(std::string_view text);

}  // namespace dunlin::io
