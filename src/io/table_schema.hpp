// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <dunlin/io.hpp>

#include "io/bytes.hpp"
#include "io/field_reader.hpp"

namespace dunlin::io {

enum class ColumnRole : unsigned char {
    number,   ///< a coordinate of the points
    label,    ///< said to be the label, by name or by the caller
    id,       ///< said to name the rows
    word,     ///< holds words: label or id, to be seen when all are read
    empty,    ///< nothing in it: every row ends with a delimiter
    skipped,  ///< of no use to the caller
};

/// How a text table is laid out, found by looking at its first rows and at rows spread over the file.
struct TableSchema {
    Dialect dialect;
    const char* body = nullptr;                         ///< the first row of values
    std::vector<std::string> names;                     ///< a name per column; empty: no header
    std::vector<std::string> classes;                   ///< names of the labels 0, 1, ...: scikit-learn's first line
    std::vector<ColumnRole> roles;                      ///< a role per column
    std::vector<std::vector<std::string_view>> sample;  ///< raw cells of some rows, each of the right length

    /// "3 'width'": how messages call a column.
    [[nodiscard]] std::string title(std::size_t column) const;
};

/// Throws Error{bad_file} if there is nothing to read, Error{bad_input} if a column named in `options` is ambiguous.
TableSchema detect_schema(const Bytes& bytes, const ReadOptions& options);

/// Past the byte order mark of a text. Throws Error{bad_file} if the file is none.
const char* text_of(const Bytes& bytes);

/// The column called `name`, or number `name` counted from 1; as many as there are columns where there is none.
std::size_t find_column(const TableSchema& schema, const std::string& name, const std::string& file);

/// Is it a decimal number with this decimal mark, all of it? `raw` lies in Bytes.
bool is_number(std::string_view raw, char point = '.');

/// Is it one of the ways to write that a value is missing or not finite: empty, NA, nan, null, inf, ...?
bool is_missing(std::string_view raw);

std::string lower(std::string_view text);

}  // namespace dunlin::io
