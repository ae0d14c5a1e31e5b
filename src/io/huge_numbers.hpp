// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/array.hpp"
#include "io/table_schema.hpp"

/// Whole numbers beyond those that double holds.
namespace dunlin::io {

/// double holds all whole numbers below it.
inline constexpr double largest_exact = 0x1p53;

/// Throws Error{bad_file} if two different whole numbers of a column are equal as doubles.
void require_told_apart(const Bytes& bytes, const TableSchema& schema);

/// require_told_apart() for an array with `cols` columns. by_column: the array is column-major.
void require_told_apart(const Array& array, std::uint64_t cols, bool by_column, const std::string& file);

}  // namespace dunlin::io
