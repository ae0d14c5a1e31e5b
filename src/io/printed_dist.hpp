// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <dunlin/square.hpp>

#include "io/bytes.hpp"
#include "io/field_reader.hpp"

namespace dunlin::io {

/// A dist as R prints it: a line of names, then a lower triangle, with or without its diagonal, whose rows begin with
/// their names; further columns are in blocks of the same form below. Nothing for other texts. Throws Error{bad_file}
/// with the line where a row does not go on like this.
std::optional<Square> read_printed_dist(const Bytes& bytes, Dialect dialect);

}  // namespace dunlin::io
