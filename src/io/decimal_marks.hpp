// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <dunlin/io.hpp>

#include "io/field_reader.hpp"

/// What the marks in numbers of a text table mean: decimals or thousands.
namespace dunlin::io {

using RawRow = std::vector<std::string_view>;

/// Whether it is a number with either decimal mark.
bool any_number(std::string_view raw);

/// Whether it is a number with thousands separators for either decimal mark.
bool is_grouped(std::string_view raw);

/// Whether the digits of a number are in groups of three with equal separators.
bool has_digit_groups(std::string_view raw);

/// Whether `raw` is a number with thousands separators: 1.234,5 or 1,234,567, or 1,234 if the decimal mark is a point.
bool has_thousands(std::string_view raw, char point);

/// Whether `raw` is a number with the other decimal mark.
bool has_other_point(std::string_view raw, char point);

/// Decides on the decimal mark of a table of these rows. Throws Error{bad_file} if both marks occur, or if all may
/// separate thousands.
char point_of(const Bytes& bytes, Dialect dialect, const std::vector<RawRow>& rows);

}  // namespace dunlin::io
