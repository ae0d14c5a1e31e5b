// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Characters of Unicode as Python's str.lower() and \w of its regular expressions take them.
namespace dunlin::io {

/// Letters, digits, other numbers and '_'; marks that combine with letters are none.
bool is_of_word(std::uint32_t code);

/// The small letter of a capital; another character as it is. Where Python writes two characters (U+0130), the first.
std::uint32_t lower_case(std::uint32_t code);

}  // namespace dunlin::io
