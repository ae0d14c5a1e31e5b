// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/bytes.hpp"
#include "io/field_reader.hpp"
#include "io/growable_buffer.hpp"
#include "io/table_schema.hpp"

/// Rows of numbers of unequal length, with or without names.
namespace dunlin::io {

/// The rows of a triangle.
struct TriangleRows {
    std::vector<std::string> names;      ///< of the rows; empty: they begin with numbers
    std::vector<std::size_t> starts{0};  ///< row r has the entries [starts[r], starts[r + 1])
    std::vector<float> values;           ///< NaN: missing
    std::vector<const char*> places;     ///< of the rows in the text

    [[nodiscard]] std::size_t size() const { return places.size(); }
    [[nodiscard]] std::size_t width(std::size_t r) const { return starts[r + 1] - starts[r]; }
};

enum class TriangleStart : unsigned char {
    rows,            ///< every line is a row
    phylip,          ///< after a line with the number of items; a row may go on in lines that begin with a number
    phylip_columns,  ///< the same, names are the first ten characters of a line
};

/// Nothing for a text of other rows: an entry is no number, or the first rows do not grow or shrink by one
/// (TriangleStart::rows).
std::optional<TriangleRows> read_triangle_rows(const Bytes& bytes, Dialect dialect, TriangleStart start);

/// The delimiter of rows of unequal length: a tab, a semicolon or a comma if the first lines have one, else blanks.
Dialect dialect_of_rows(const Bytes& bytes, Decimal decimal);

/// The value of an entry; NaN if it is missing. False if it is no number.
bool parse_entry(std::string_view raw, char point, float& value);

}  // namespace dunlin::io
