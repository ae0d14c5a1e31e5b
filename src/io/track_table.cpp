// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <dunlin/labels.hpp>

#include "io/dense.hpp"
#include "io/dialect.hpp"
#include "io/fail.hpp"
#include "io/interner.hpp"
#include "io/memory.hpp"
#include "io/sequences.hpp"
#include "io/table_rows.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

using Names = std::initializer_list<std::string_view>;

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// Columns of a table of positions; none: there is no such column.
struct TrackColumns {
    std::size_t id = none, time = none, label = none;
    std::vector<std::size_t> coordinates;
    bool geographic = false, time_is_number = false;
};

std::size_t column_called(const TableSchema& schema, Names names) {
    for (std::size_t c = 0; c < schema.names.size(); ++c) {
        if (std::find(names.begin(), names.end(), lower(schema.names[c])) != names.end()) return c;
    }
    return none;
}

std::size_t column_given(const TableSchema& schema, const std::string& name, const std::string& file,
                         const char* option) {
    if (name.empty()) return none;
    const std::size_t column = find_column(schema, name, file);
    if (column == schema.roles.size())
        bad_option(option, "'{}' is no column of '{}'; give a column's name or number", name, file);
    return column;
}

TrackColumns find_columns(const TableSchema& schema, const Bytes& bytes, const ReadOptions& options) {
    if (schema.names.empty()) {
        bad_file(
            "'{}' has no header; a table of tracks needs names of its columns: id, time, x, y or id, time, lat, lon",
            bytes.name());
    }
    TrackColumns columns;
    columns.id = options.ids.empty() ? column_called(schema, {"id", "track", "track_id", "trip", "trip_id",
                                                              "trajectory", "trajectory_id", "series", "series_id"})
                                     : column_given(schema, options.ids, bytes.name(), "ids");
    columns.label = column_given(schema, options.labels, bytes.name(), "labels");
    columns.time = column_called(schema, {"time", "timestamp", "t", "date", "datetime"});
    const std::size_t latitude = column_called(schema, {"lat", "latitude"}),
                      longitude = column_called(schema, {"lon", "lng", "long", "longitude"});
    columns.geographic = latitude != none && longitude != none;
    if (columns.geographic) {
        columns.coordinates = {latitude, longitude};
    } else {
        for (std::size_t c = 0; c < schema.roles.size(); ++c) {
            const bool taken = c == columns.id || c == columns.time || c == columns.label;
            if (!taken && schema.roles[c] == ColumnRole::number) columns.coordinates.push_back(c);
        }
    }
    columns.time_is_number = columns.time != none && schema.roles[columns.time] == ColumnRole::number;
    if (columns.coordinates.empty())
        bad_file("'{}' has no column of numbers beside id and time; name two of them x and y", bytes.name());
    return columns;
}

/// Sets the roles of all columns: only those of `columns` are read.
void set_roles(TableSchema& schema, const TrackColumns& columns) {
    for (ColumnRole& role : schema.roles) {
        if (role != ColumnRole::empty) role = ColumnRole::skipped;
    }
    for (const std::size_t c : columns.coordinates) schema.roles[c] = ColumnRole::number;
    for (const std::size_t c : {columns.id, columns.label}) {
        if (c != none) schema.roles[c] = ColumnRole::word;
    }
    if (columns.time != none)
        schema.roles[columns.time] = columns.time_is_number ? ColumnRole::number : ColumnRole::word;
}

/// Rows of a table.
struct TrackRows {
    std::vector<double> positions;  ///< [row][coordinate]
    std::vector<double> times;      ///< empty: none, or words
    std::vector<std::string> time_words;
    Labels ids, labels;
    Offset rows = 0;
};

/// Places of the coordinates and the time among the numbers of a row.
std::vector<std::size_t> places_among_numbers(const TableSchema& schema, std::vector<std::size_t> columns) {
    for (std::size_t& column : columns) {
        const auto begin = schema.roles.begin();
        column = static_cast<std::size_t>(
            std::count(begin, begin + static_cast<std::ptrdiff_t>(column), ColumnRole::number));
    }
    return columns;
}

TrackRows read_rows(const Bytes& bytes, const TableSchema& schema, const TrackColumns& columns) {
    TableRows rows(bytes, schema);
    const std::vector<std::size_t> coordinates = places_among_numbers(schema, columns.coordinates);
    const std::size_t time = columns.time_is_number ? places_among_numbers(schema, {columns.time}).front() : none;
    TrackRows read;
    while (rows.next()) {
        for (const std::size_t c : coordinates) {
            if (!std::isfinite(rows.numbers()[c])) not_finite(rows.place_of_number(c), rows.numbers()[c]);
            read.positions.push_back(rows.numbers()[c]);
        }
        if (columns.geographic && std::abs(rows.numbers()[coordinates[0]]) > 90) {
            bad_file("{}: the latitude is {}; it must be from -90 to 90", rows.place_of_number(coordinates[0]),
                     rows.numbers()[coordinates[0]]);
        }
        if (time != none) read.times.push_back(rows.numbers()[time]);
    }
    read.rows = rows.read();
    if (read.rows > most_items) bad_file("'{}' has more than {} rows; split it", bytes.name(), most_items);
    if (columns.time != none && !columns.time_is_number) read.time_words = rows.words(columns.time).all();
    if (columns.id != none) read.ids = std::move(rows.words(columns.id)).words();
    if (columns.label != none) {
        read.labels = columns.label == columns.id ? settled(read.ids) : std::move(rows.words(columns.label)).labels();
    }
    return read;
}

/// Rows in the order of their items, and of their times within an item.
std::vector<std::size_t> order_of(const TrackRows& read) {
    std::vector<std::size_t> order(static_cast<std::size_t>(read.rows));
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (!read.ids.empty() && read.ids.of[a] != read.ids.of[b]) return read.ids.of[a] < read.ids.of[b];
        if (read.ids.empty()) return false;
        if (!read.times.empty()) return read.times[a] < read.times[b];
        return !read.time_words.empty() && read.time_words[a] < read.time_words[b];
    });
    return order;
}

}  // namespace

TrackFile read_track_table(const Bytes& bytes, const ReadOptions& options) {
    ReadOptions plain;
    plain.decimal = options.decimal;
    TableSchema schema = detect_schema(bytes, plain);
    const TrackColumns columns = find_columns(schema, bytes, options);
    set_roles(schema, columns);
    require_memory(8 * bytes.size(), "the positions of '" + bytes.name() + "'");
    const TrackRows read = read_rows(bytes, schema, columns);
    if (read.rows == 0) bad_file("'{}' has no rows; give at least one position", bytes.name());
    TrackFile file;
    file.kind = "csv";
    file.notes = notes_of(schema.dialect, options.decimal);
    file.items.dim = static_cast<int>(columns.coordinates.size());
    file.items.geographic = columns.geographic;
    for (const std::size_t c : columns.coordinates) file.columns.push_back(schema.names[c]);
    file.ids = read.ids.names;
    file.labels.names = read.labels.names;
    Offset row = 0;
    Index item = -1;
    for (const std::size_t r : order_of(read)) {
        const Index now = read.ids.empty() ? item + 1 : read.ids.of[r];
        if (now != item) {
            if (item >= 0) file.items.offsets.push_back(row);
            if (!read.labels.empty()) file.labels.of.push_back(read.labels.of[r]);
            item = now;
        }
        const auto* const position = read.positions.data() + r * columns.coordinates.size();
        file.items.positions.insert(file.items.positions.end(), position, position + columns.coordinates.size());
        ++row;
    }
    file.items.offsets.push_back(row);
    return file;
}

}  // namespace dunlin::io
