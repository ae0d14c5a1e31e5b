// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <dunlin/io.hpp>

#include "io/field_reader.hpp"

/// Which characters separate columns and mark decimals in a text table, found from its rows.
namespace dunlin::io {

/// The dialect by which the rows from `from` on make the most numbers. A cell that holds a separator between numbers
/// ("5;2") counts against a dialect. Equally many numbers: the one with more rows of one length, then the one with
/// decimal points.
/// decimal: the mark, where the caller names it. Throws Error{bad_file} if both marks occur, or if every comma could
/// separate thousands, unless the caller names it.
Dialect choose_dialect(const Bytes& bytes, const char* from, Decimal decimal = Decimal::automatic);

/// "decimal commas, columns separated by semicolons": what a note says of a dialect with decimal commas, else empty.
std::string description(Dialect dialect);

/// The note that a dialect was guessed; none for decimal points, or where the caller named the mark.
std::vector<Note> notes_of(Dialect dialect, Decimal decimal);

/// Is it a number with thousands separators: groups of three digits, as in 1.234,5 or 1,234,567, or in 1,234 where the
/// decimal mark is a point?
bool has_thousands(std::string_view raw, char point);

/// Is it a number with the other decimal mark?
bool has_other_point(std::string_view raw, char point);

/// TableRows spread evenly over [from, end), as raw cells.
std::vector<std::vector<std::string_view>> sample_rows(const Bytes& bytes, Dialect dialect, const char* from,
                                                       std::size_t width);

}  // namespace dunlin::io
