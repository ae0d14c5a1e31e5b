// SPDX-License-Identifier: Apache-2.0
#include "io/rows.hpp"

#include <cmath>

#include "io/dialect.hpp"
#include "io/fail.hpp"
#include "io/number.hpp"

namespace dunlin::io {

namespace {

/// Moves a double that lies half way between two floats, although its decimal does not, to the decimal's side.
double untied(const char* first, const char* last, char point, double value) {
    float nearest = 0;
    if (!parse_float(first, last, point, nearest) || static_cast<float>(value) == nearest) return value;
    return std::nextafter(value, static_cast<double>(nearest));
}

}  // namespace

Rows::Rows(const Bytes& bytes, const Layout& layout)
    : bytes_(bytes),
      layout_(layout),
      cells_(bytes, layout.dialect, layout.body),
      pace_("read", bytes.view()),
      words_(layout.roles.size()) {
    for (const Role role : layout.roles) width_ += role == Role::number ? 1 : 0;
    numbers_.resize(width_);
    // The last column ends the row and is never part of a run
    runs_.assign(layout.roles.size(), 0);
    for (std::size_t c = layout.roles.size() - 1; c-- > 0;) {
        runs_[c] = layout.roles[c] == Role::number ? runs_[c + 1] + 1 : 0;
    }
}

bool Rows::next() {
    if (!cells_.next_row()) return false;
    pace_.reach(cells_.at());
    ++row_;
    double* out = numbers_.data();
    const std::size_t cols = layout_.roles.size();
    for (std::size_t c = 0; c < cols;) {
        const std::size_t plain = cells_.numbers(out, runs_[c]);
        c += plain;
        out += plain;
        if (layout_.roles[c] == Role::number) {
            read_number(c, *out++);
        } else {
            read_word(c);
        }
        const bool more = cells_.next_cell();
        if (++c < cols ? !more : more) ragged(c + (more ? 1 : 0));
    }
    return true;
}

void Rows::read_number(std::size_t column, double& value) {
    const char* const p = cells_.at();
    if (!cells_.number(value)) {
        read_unusual_number(column, value);
    } else if (is_float_tie(value)) {
        value = untied(p, cells_.at(), cells_.point(), value);
    }
}

/// A number within quotes or blanks, or none at all.
void Rows::read_unusual_number(std::size_t column, double& value) {
    const std::string_view raw = cells_.raw();
    if (parse_cell(raw, cells_.point(), value)) return;
    if (raw.empty()) bad_file("{}: the cell is empty; remove the row or fill the value in", place(column));
    if (is_missing(raw)) {
        bad_file("{}: '{}' is not a finite number; remove the row or fill the value in", place(column), raw);
    }
    if (has_thousands(raw, cells_.point())) {
        bad_file(
            "{}: '{}' has a thousands separator; write the number without, or name the column as labels or ids if it "
            "holds words",
            place(column), shown(raw));
    }
    if (has_other_point(raw, cells_.point())) {
        bad_file("{}: '{}' is not a number with a decimal {}; correct it, or say which mark it is (decimal: {})",
                 place(column), shown(raw), cells_.point() == '.' ? "point" : "comma",
                 cells_.point() == '.' ? "comma" : "point");
    }
    bad_file("{}: '{}' is not a number; correct it, or name the column as labels or ids if it holds words",
             place(column), shown(raw));
}

void Rows::read_word(std::size_t column) {
    const Role role = layout_.roles[column];
    if (role == Role::id)
        ids_.push_back(cells_.text());
    else if (role == Role::skipped)
        cells_.raw();
    else if (role == Role::empty && !cells_.raw().empty())
        ragged(column + 1);
    else if (role != Role::empty)
        words_[column].add(cells_.text());
}

Spot Rows::place(std::size_t column) const {
    Spot spot = at_line(bytes_.name(), line_of(bytes_, cells_.at()));
    spot.text += fmt::format(": row {}, column {}", row_, layout_.title(column));
    spot.place.row = static_cast<Offset>(row_) - 1;
    spot.place.column = static_cast<Offset>(column);
    return spot;
}

Spot Rows::place_of_number(std::size_t n) const {
    std::size_t column = 0;
    for (; layout_.roles[column] != Role::number || n > 0; ++column) n -= layout_.roles[column] == Role::number ? 1 : 0;
    return place(column);
}

/// columns: with the one that begins here, if one does.
void Rows::ragged(std::size_t columns) {
    for (cells_.raw(); cells_.next_cell(); cells_.raw()) ++columns;
    bad_file("{}: row {} has {} columns where {} were expected; correct the row",
             at_line(bytes_.name(), line_of(bytes_, cells_.at())), row_, columns, layout_.roles.size());
}

}  // namespace dunlin::io
