// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/io.hpp>

#include "io/bytes.hpp"
#include "io/field_reader.hpp"

namespace dunlin::io {

enum class ColumnRole : unsigned char {
    number,   ///< a coordinate of the points
    label,    ///< the label, by its name or an option
    id,       ///< names of the rows, by its name or an option
    word,     ///< strings: labels or ids, decided after all rows are read
    empty,    ///< no values: every row ends with a delimiter
    skipped,  ///< not needed by the caller
};

/// Schema of a text table, detected from its first rows and from rows spread over the file.
struct TableSchema {
    Dialect dialect;
    const char* body = nullptr;                         ///< first row of values
    std::vector<std::string> names;                     ///< names of the columns; empty: no header
    std::vector<std::string> classes;                   ///< names of the labels 0, 1, ... in scikit-learn's first line
    std::vector<ColumnRole> roles;                      ///< roles of the columns
    std::vector<std::vector<std::string_view>> sample;  ///< raw fields of some rows of the right length
    std::vector<Note> notes;                            ///< guesses about the first row
    bool are_chosen = false;                            ///< an option names the coordinates
    bool has_measures_as_labels = false;                ///< the label, by its name, has fractions
    bool has_bare_row_names = false;  ///< the first column has no name, and numbers that are to name the rows

    /// The name of a column in messages: "3 'width'".
    [[nodiscard]] std::string title(std::size_t column) const;
};

/// Throws Error{bad_file} if the file is empty, Error{bad_input} if a column named in `options` is ambiguous.
TableSchema detect_schema(const Bytes& bytes, const ReadOptions& options);

/// The text after its byte order mark and a line that names its delimiter. Throws Error{bad_file} if the file is not
/// text.
const char* text_of(const Bytes& bytes);

/// Reads a table of which some columns are not needed: choose() sets their roles to skipped. Of several columns of
/// words the first ones are the ids and the labels, while read_table() asks which.
Points read_chosen(const Bytes& bytes, const ReadOptions& options, const std::function<void(TableSchema&)>& choose);

/// The column with this name or 1-based number; the number of columns if there is none.
std::size_t find_column(const TableSchema& schema, const std::string& name, const std::string& file);

/// Whether all of `raw`, which points into Bytes, is a decimal number with this decimal mark.
bool is_number(std::string_view raw, char point = '.');

/// Whether it denotes a missing or non-finite value: empty, NA, nan, null, inf, ...
bool is_missing(std::string_view raw);

std::string lower(std::string_view text);

/// Whether a cell is a number that is not whole.
bool is_fraction(std::string_view raw, char point);

/// What is said of a column that has the name of labels, and is left out since it has fractions.
Note note_of_measures(const TableSchema& schema, std::size_t column, std::string_view fraction);

/// Leaves out a column of fractions that is the label by its name; the only column of numbers is the coordinate.
void leave_measures_out(TableSchema& schema);

/// The names of the columns of numbers; empty without a header.
std::vector<std::string> number_names(const TableSchema& schema);

}  // namespace dunlin::io
