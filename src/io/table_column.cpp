// SPDX-License-Identifier: Apache-2.0
#include "io/table_column.hpp"

#include <algorithm>

#include "io/dialect.hpp"
#include "io/fail.hpp"
#include "io/table_header.hpp"
#include "io/table_ids.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

/// The names of all columns for a message: "id, v or 1 to 2".
std::string columns_of(const std::vector<std::string>& names, std::size_t count) {
    const std::string numbers = count == 1 ? "1" : fmt::format("1 to {}", count);
    return names.empty() ? numbers : fmt::format("{} or {}", fmt::join(names, ", "), numbers);
}

[[noreturn]] void refuse_column(const std::string& file, const std::string& column,
                                const std::vector<std::string>& names, std::size_t count) {
    bad_file("{} has no column '{}'; its columns are {}", file, shown(column), columns_of(names, count));
}

/// A word among the rows looked at of a column without numbers; empty: there is none.
std::string_view word_in(const TableSchema& schema, std::size_t column) {
    std::string_view word;
    for (const std::vector<std::string_view>& row : schema.sample) {
        if (is_number(row[column], schema.dialect.point)) return {};
        if (!is_missing(row[column])) word = row[column];
    }
    return word;
}

/// Throws if the rows looked at have words and no number in the column.
void require_numbers(const TableSchema& schema, std::size_t column, const std::string& file) {
    const std::string_view word = word_in(schema, column);
    if (word.empty()) return;
    bad_file("{}: column {} holds words such as '{}'; give a column of numbers", file, schema.title(column),
             shown(word));
}

NumberColumn column_of(const Points& points, std::size_t column, std::string name) {
    const double shift = points.shift.empty() ? 0 : points.shift[column];
    NumberColumn found{std::move(name), {}, points.ids};
    found.values.reserve(static_cast<std::size_t>(points.values.rows()));
    for (Index row = 0; row < points.values.rows(); ++row)
        found.values.push_back(static_cast<double>(points.values.view()(row, static_cast<Index>(column))) + shift);
    return found;
}

std::ptrdiff_t count_numbers(const TableSchema& schema) {
    return std::count(schema.roles.begin(), schema.roles.end(), ColumnRole::number);
}

/// The only column of numbers of a table.
std::size_t only_number(const TableSchema& schema, const std::string& file) {
    if (count_numbers(schema) == 1)
        return static_cast<std::size_t>(std::find(schema.roles.begin(), schema.roles.end(), ColumnRole::number) -
                                        schema.roles.begin());
    std::vector<std::string> titles;
    titles.reserve(schema.roles.size());
    for (std::size_t c = 0; c < schema.roles.size(); ++c) titles.push_back(schema.title(c));
    bad_file("'{}' has the columns {}; name one of numbers: {}:COLUMN", file, fmt::join(titles, ", "), file);
}

}  // namespace

bool holds_classes(const Bytes& bytes, const std::string& column) {
    const TableSchema schema = detect_schema(bytes, {});
    std::size_t chosen = schema.roles.size();
    if (!column.empty()) {
        chosen = find_column(schema, column, bytes.name());
        if (chosen == schema.roles.size()) refuse_column(bytes.name(), column, schema.names, schema.roles.size());
    } else if (count_numbers(schema) == 1) {
        chosen = only_number(schema, bytes.name());
    } else {
        return count_numbers(schema) == 0;
    }
    if (!word_in(schema, chosen).empty()) return true;
    return !schema.names.empty() && is_class_name(schema.names[chosen]) &&
           std::none_of(schema.sample.begin(), schema.sample.end(),
                        [&](const auto& row) { return is_fraction(row[chosen], schema.dialect.point); });
}

NumberColumn array_column(const Points& points, const std::string& column, const std::string& file) {
    if (column.empty() && points.values.cols() == 1)
        return column_of(points, 0, points.columns.empty() ? "1" : points.columns.front());
    if (column.empty()) bad_file("'{}' has {} columns; name one: {}:COLUMN", file, points.values.cols(), file);
    const auto count = static_cast<std::size_t>(points.values.cols());
    const auto named = std::find(points.columns.begin(), points.columns.end(), column);
    if (named != points.columns.end())
        return column_of(points, static_cast<std::size_t>(named - points.columns.begin()), column);
    for (std::size_t c = 0; c < count; ++c) {
        if (column == fmt::format("{}", c + 1))
            return column_of(points, c, points.columns.empty() ? column : points.columns[c]);
    }
    refuse_column(file, column, points.columns, count);
}

NumberColumn table_column(const Bytes& bytes, const std::string& column) {
    std::string name = column;
    std::vector<Note> notes, unused;
    ReadOptions options;
    options.missing = true;
    options.labels = column;  // no label by its name
    const Points points = read_chosen(bytes, options, [&](TableSchema& schema) {
        const std::size_t chosen =
            column.empty() ? only_number(schema, bytes.name()) : find_column(schema, column, bytes.name());
        if (chosen == schema.roles.size()) refuse_column(bytes.name(), column, schema.names, schema.roles.size());
        require_numbers(schema, chosen, bytes.name());
        if (!schema.names.empty()) name = schema.names[chosen];
        notes = notes_of(schema.dialect, Decimal::automatic);
        notes.insert(notes.end(), schema.notes.begin(), schema.notes.end());
        for (Note& note : notes) note.option.clear();  // which are about the points
        note_unused_names(schema, chosen, unused);
        std::replace(schema.roles.begin(), schema.roles.end(), ColumnRole::number, ColumnRole::skipped);
        schema.roles[chosen] = ColumnRole::number;
    });
    NumberColumn found = column_of(points, 0, name);
    found.notes = std::move(notes);
    if (found.ids.empty()) found.notes.insert(found.notes.end(), unused.begin(), unused.end());
    return found;
}

}  // namespace dunlin::io
