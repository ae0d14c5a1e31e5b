// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/array.hpp"
#include "io/bytes.hpp"

namespace dunlin::io {

/// Whether the extension is .fbin, .f16bin, .u8bin, .i8bin or .ibin.
bool is_binary_rows(const std::string& name);

/// The rows of such a file (DiskANN, big-ann-benchmarks, cuVS): their number and that of the columns as uint32, then
/// the values, little-endian; the extension has their type. Throws Error{bad_file} unless the file has just these
/// bytes.
Array parse_binary_rows(const Bytes& bytes);

}  // namespace dunlin::io
