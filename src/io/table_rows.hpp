// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/interner.hpp"
#include "io/read_progress.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

/// What becomes of cells without a value. refused: an error; fillable: an error that names the options for them;
/// settled: NaN or infinity, which such an option replaces; kept: the same, and rows of empty cells are rows, too.
enum class Gaps { refused, fillable, settled, kept };

/// Reads the rows of a table: numbers into a row of doubles, strings into one interner per column.
class TableRows {
public:
    TableRows(const Bytes& bytes, const TableSchema& schema, Gaps gaps = Gaps::refused);

    /// Number of columns of numbers.
    [[nodiscard]] std::size_t width() const { return width_; }
    [[nodiscard]] const double* numbers() const { return numbers_.data(); }
    [[nodiscard]] Offset read() const { return row_; }
    /// Rows whose cells are all empty, which are no rows unless gaps are kept.
    [[nodiscard]] Offset skipped() const { return skipped_; }
    [[nodiscard]] StringInterner& words(std::size_t column) { return words_[column]; }
    std::vector<std::string>& ids() { return ids_; }

    /// Reads the next row; false at the end.
    bool next();

    /// Location of number `n` of the current row, for messages.
    [[nodiscard]] FileLocation place_of_number(std::size_t n) const;

private:
    bool next_filled_row();
    void read_number(std::size_t column, double& value);
    void read_unusual_number(std::size_t column, double& value);
    void read_word(std::size_t column);
    [[nodiscard]] FileLocation place(std::size_t column) const;
    [[noreturn]] void refuse_gap(std::size_t column, std::string_view raw) const;
    [[noreturn]] void ragged(std::size_t columns);

    const Bytes& bytes_;
    const TableSchema& schema_;
    FieldReader fields_;
    ReadProgress progress_;
    std::size_t width_ = 0;
    std::vector<double> numbers_;
    std::vector<std::size_t> runs_;  ///< per column: length of the run of numbers from here, without the last column
    std::vector<StringInterner> words_;
    std::vector<std::string> ids_;
    Offset row_ = 0, skipped_ = 0;
    Gaps gaps_;
};

/// The column that has number `n` of a row.
std::size_t number_column(const TableSchema& schema, std::size_t n);

/// Location of a cell of a table whose rows have been read, from 0, for messages.
FileLocation place_of_cell(const Bytes& bytes, const TableSchema& schema, Offset row, std::size_t column);

}  // namespace dunlin::io
