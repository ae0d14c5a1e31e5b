// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/transform.hpp>

#include "io/bytes.hpp"

namespace dunlin::io {

/// The state of a map in the bytes of a file. Throws Error{bad_file}.
placement::State parse_place_state(const Bytes& file);

}  // namespace dunlin::io
