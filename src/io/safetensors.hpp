// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/array.hpp"
#include "io/bytes.hpp"

namespace dunlin::io {

/// A tensor of a .safetensors file: the one with this name, or without a name the only one of two axes. The file is the
/// length of its header as uint64, the header as JSON ({name: {dtype, shape, data_offsets}}), and the values. Throws
/// Error{bad_file} if the header is damaged or does not fit the file, Error{bad_input} if the name fits none or several
/// could be meant.
Array parse_safetensors(const Bytes& bytes, const std::string& name);

}  // namespace dunlin::io
