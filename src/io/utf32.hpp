// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/bytes.hpp"

namespace dunlin::io {

/// Whether a text begins with the byte order mark of UTF-32.
bool is_utf32(const Bytes& bytes);

/// The text as UTF-8. Throws Error{bad_file} for a number that is no character.
Bytes utf8_of_32(const Bytes& utf32);

}  // namespace dunlin::io
