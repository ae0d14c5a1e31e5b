// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/array.hpp"

namespace dunlin::io {

/// The array of a .npy file (NumPy's format, versions 1 to 3). Throws Error{bad_file} if the header is damaged, the
/// type unknown, or the values are not as many as announced.
Array parse_npy(const Bytes& bytes);

/// The array of an IDX file (MNIST's format: big-endian, its type and shape first).
Array parse_idx(const Bytes& bytes);

bool is_npy(const Bytes& bytes);
bool is_idx(const Bytes& bytes);

/// A .npy header for a C-order array of `descr` ('<f4').
std::string npy_header(std::string_view descr, const std::vector<std::uint64_t>& shape);

}  // namespace dunlin::io
