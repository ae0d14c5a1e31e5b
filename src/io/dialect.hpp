// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/io.hpp>

#include "io/field_reader.hpp"

/// Detection of the delimiter and the decimal mark of a text table.
namespace dunlin::io {

/// The dialect in which the rows from `from` on contain the most numbers. A field with a separator between numbers
/// ("5;2") counts against a dialect. Blanks do not compete with a mark that every row has equally often. Ties are
/// broken by the number of rows of equal length, then in favor of decimal points. decimal: the decimal mark, if given.
/// Throws Error{bad_file} if it is not given and both marks occur, or every comma could separate thousands.
Dialect choose_dialect(const Bytes& bytes, const char* from, Decimal decimal = Decimal::automatic);

/// Whether commas mark decimals in a column with a name, alone in its file. possible: the numbers before the commas all
/// differ and begin with 1, as names of rows. Throws Error{bad_file} if every comma could separate thousands.
enum class DecimalColumn : unsigned char { none, possible, certain };
DecimalColumn column_of_decimals(const Bytes& bytes, const char* from);

/// Decimal commas in one column: no byte of a text is the delimiter.
inline constexpr Dialect one_column{'\1', ','};

/// A first line as "sep=;", by which spreadsheets name the delimiter, and the text after it. Throws Error{bad_file} if
/// that delimiter is not read.
struct DelimiterLine {
    char delimiter;
    const char* after;
};
std::optional<DelimiterLine> delimiter_line(const Bytes& bytes);

/// Text of a note on a dialect with decimal commas ("decimal commas, columns separated by semicolons"), else empty.
std::string description(Dialect dialect);

/// The note that a dialect was guessed; none for decimal points or a given mark.
std::vector<Note> notes_of(Dialect dialect, Decimal decimal);

/// Raw fields of rows spread evenly over [from, end).
std::vector<std::vector<std::string_view>> sample_rows(const Bytes& bytes, Dialect dialect, const char* from,
                                                       std::size_t width);

}  // namespace dunlin::io
