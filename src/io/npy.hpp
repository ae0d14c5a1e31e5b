// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/array.hpp"
#include "io/zip.hpp"

namespace dunlin::io {

/// Parses a .npy file (NumPy's format, versions 1 to 3). Throws Error{bad_file} for a damaged header, an unknown type,
/// or a wrong number of values.
Array parse_npy(const Bytes& bytes);

/// Parses an IDX file (MNIST's format: type and shape, then big-endian values).
Array parse_idx(const Bytes& bytes);

bool is_npy(const Bytes& bytes);
bool is_idx(const Bytes& bytes);

/// The .npy header of a C-order array of type `descr` ('<f4').
std::string npy_header(std::string_view descr, const std::vector<std::uint64_t>& shape);

/// Adds an array of strings to a .npz archive, each filled up with zeros to the length of the longest ('|S12').
void add_texts(ZipOutput& zip, const std::string& name, std::span<const std::string> texts);

}  // namespace dunlin::io
