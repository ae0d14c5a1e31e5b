// SPDX-License-Identifier: Apache-2.0
#include "io/table_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/decimal_marks.hpp"
#include "io/dialect.hpp"
#include "io/fail.hpp"
#include "io/number.hpp"
#include "io/remedy.hpp"

namespace dunlin::io {

namespace {

/// Corrects a double that is halfway between two floats although its decimal is not: moves it towards the decimal.
double untied(const char* first, const char* last, char point, double value) {
    float nearest = 0;
    if (!parse_float(first, last, point, nearest) || static_cast<float>(value) == nearest) return value;
    return std::nextafter(value, static_cast<double>(nearest));
}

/// The cell of a row, from 0, at this place of the text.
FileLocation place_at(const Bytes& bytes, const TableSchema& schema, const char* at, Offset row, std::size_t column) {
    FileLocation location = at_line(bytes.name(), line_of(bytes, at));
    location.text += fmt::format(": row {}, column {}", row + 1, schema.title(column));
    location.place.row = row;
    location.place.column = static_cast<Offset>(column);
    return location;
}

}  // namespace

TableRows::TableRows(const Bytes& bytes, const TableSchema& schema, Gaps gaps)
    : bytes_(bytes),
      schema_(schema),
      fields_(bytes, schema.dialect, schema.body),
      progress_("read", bytes.view()),
      words_(schema.roles.size()),
      gaps_(gaps) {
    for (const ColumnRole role : schema.roles) width_ += role == ColumnRole::number ? 1 : 0;
    numbers_.resize(width_);
    // The last column ends the row and is not part of a run
    runs_.assign(schema.roles.size(), 0);
    for (std::size_t c = schema.roles.size() - 1; c-- > 0;) {
        runs_[c] = schema.roles[c] == ColumnRole::number ? runs_[c + 1] + 1 : 0;
    }
}

/// Spreadsheets write empty rows below a table as rows of delimiters.
bool TableRows::next_filled_row() {
    const char delimiter = schema_.dialect.delimiter;
    while (fields_.next_row()) {
        const char* p = fields_.at();
        if (gaps_ == Gaps::kept || delimiter == ' ' || *p != delimiter) return true;
        while (*p == delimiter || *p == ' ') ++p;
        if (!fields_.ends_row(p)) return true;
        fields_.go_to(p);
        ++skipped_;
    }
    return false;
}

bool TableRows::next() {
    if (!next_filled_row()) return false;
    progress_.advance(fields_.at());
    ++row_;
    double* out = numbers_.data();
    const std::size_t cols = schema_.roles.size();
    for (std::size_t c = 0; c < cols;) {
        const std::size_t plain = fields_.numbers(out, runs_[c]);
        c += plain;
        out += plain;
        if (schema_.roles[c] == ColumnRole::number) {
            read_number(c, *out++);
        } else {
            read_word(c);
        }
        const bool more = fields_.next_field();
        if (++c < cols ? !more : more) ragged(c + (more ? 1 : 0));
    }
    return true;
}

void TableRows::read_number(std::size_t column, double& value) {
    const char* const p = fields_.at();
    if (!fields_.number(value)) {
        read_unusual_number(column, value);
    } else if (is_float_tie(value)) {
        value = untied(p, fields_.at(), fields_.point(), value);
    }
}

void TableRows::refuse_gap(std::size_t column, std::string_view raw) const {
    const bool has_values = std::any_of(schema_.sample.begin(), schema_.sample.end(),
                                        [column](const auto& row) { return !is_missing(row[column]); });
    const std::string what = raw.empty() ? "the cell is empty" : fmt::format("'{}' is not a finite number", raw);
    if (!has_values) bad_file("{}: {}, as all of the column; remove the column", place(column), what);
    const bool is_infinite = lower(raw).find("inf") != std::string::npos;
    if (gaps_ == Gaps::refused || is_infinite)
        bad_file("{}: {}; remove the row or fill the value in", place(column), what);
    refuse_unless({"fill", "mean"}, Fault::bad_file, "{}: {}; remove the row, or have such cells filled", place(column),
                  what);
}

/// Reads a number within quotes or blanks. Throws if the field is no number.
void TableRows::read_unusual_number(std::size_t column, double& value) {
    const std::string_view raw = fields_.raw();
    if (parse_field(raw, fields_.point(), value)) return;
    if ((gaps_ == Gaps::kept || gaps_ == Gaps::settled) && is_missing(raw)) {
        const bool infinite = lower(raw).find("inf") != std::string::npos;
        value = infinite ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
        if (raw.starts_with('-')) value = -value;
        return;
    }
    if (raw.empty() || is_missing(raw)) refuse_gap(column, raw);
    if (has_thousands(raw, fields_.point())) {
        bad_file(
            "{}: '{}' has a thousands separator; write the number without, or name the column as labels or ids if it "
            "holds words",
            place(column), shown(raw));
    }
    if (has_other_point(raw, fields_.point())) {
        const bool has_comma = fields_.point() == '.';
        refuse_unless({"decimal", has_comma ? "comma" : "point"}, Fault::bad_file,
                      "{}: '{}' is not a number with a decimal {}; correct it, or say which mark it is", place(column),
                      shown(raw), has_comma ? "point" : "comma");
    }
    bad_file("{}: '{}' is not a number; correct it, or name the column as labels or ids if it holds words",
             place(column), shown(raw));
}

void TableRows::read_word(std::size_t column) {
    const ColumnRole role = schema_.roles[column];
    if (role == ColumnRole::id) {
        ids_.push_back(fields_.text());
        if (ids_.back().empty()) bad_file("{}: the id is empty; fill it in or remove the row", place(column));
    } else if (role == ColumnRole::skipped)
        fields_.raw();
    else if (role == ColumnRole::empty && !fields_.raw().empty())
        ragged(column + 1);
    else if (role != ColumnRole::empty)
        words_[column].add(fields_.text());
}

FileLocation TableRows::place(std::size_t column) const {
    return place_at(bytes_, schema_, fields_.at(), row_ - 1, column);
}

FileLocation TableRows::place_of_number(std::size_t n) const { return place(number_column(schema_, n)); }

/// columns: number of columns so far, with the one that begins here.
void TableRows::ragged(std::size_t columns) {
    for (fields_.raw(); fields_.next_field(); fields_.raw()) ++columns;
    bad_file("{}: row {} has {} columns where {} were expected; correct the row",
             at_line(bytes_.name(), line_of(bytes_, fields_.at())), row_, columns, schema_.roles.size());
}

std::size_t number_column(const TableSchema& schema, std::size_t n) {
    std::size_t column = 0;
    for (; schema.roles[column] != ColumnRole::number || n > 0; ++column)
        n -= schema.roles[column] == ColumnRole::number ? 1 : 0;
    return column;
}

FileLocation place_of_cell(const Bytes& bytes, const TableSchema& schema, Offset row, std::size_t column) {
    FieldReader fields(bytes, schema.dialect, schema.body, false);
    for (Offset r = 0; r < row; ++r) raw_fields(fields);
    fields.next_row();
    return place_at(bytes, schema, fields.at(), row, column);
}

}  // namespace dunlin::io
