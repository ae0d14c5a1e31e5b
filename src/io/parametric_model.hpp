// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/parametric.hpp>

#include "io/bytes.hpp"

namespace dunlin::io {

/// The model in the bytes of a file. Throws Error{bad_file}.
parametric::Model parse_parametric_model(const Bytes& file);

}  // namespace dunlin::io
