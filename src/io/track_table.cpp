// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include <dunlin/labels.hpp>

#include "io/date_parts.hpp"
#include "io/dense.hpp"
#include "io/dialect.hpp"
#include "io/fail.hpp"
#include "io/interner.hpp"
#include "io/memory.hpp"
#include "io/sequences.hpp"
#include "io/table_rows.hpp"
#include "io/table_schema.hpp"
#include "io/times.hpp"
#include "io/track_columns.hpp"

namespace dunlin::io {

namespace {

constexpr std::size_t none = no_column;

/// Whether a column of times is read as doubles: not if these would round it, nor if it may hold dates as 31052024.
bool is_plain_number(const TableSchema& schema, std::size_t column) {
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    if (schema.roles[column] != ColumnRole::number) return false;
    return std::none_of(schema.sample.begin(), schema.sample.end(), [&](const auto& row) {
        const TimeText time = parse_time(row[column]);
        return time.form == TimeText::Form::digits || std::abs(time.number.seconds) >= exact;
    });
}

/// Sets the roles of all columns: only those of `columns` are read.
void set_roles(TableSchema& schema, const TrackColumns& columns) {
    std::vector<ColumnRole> roles(schema.roles.size(), ColumnRole::skipped);
    for (std::size_t c = 0; c < roles.size(); ++c) {
        if (schema.roles[c] == ColumnRole::empty) roles[c] = ColumnRole::empty;
    }
    for (const std::size_t c : columns.coordinates) roles[c] = ColumnRole::number;
    for (const std::size_t c : columns.times)
        // Without ids every row is an item, and its time does not matter
        roles[c] = columns.id != none && is_plain_number(schema, c) ? ColumnRole::number : ColumnRole::word;
    for (const std::size_t c : {columns.id, columns.label, columns.visible}) {
        if (c != none) roles[c] = ColumnRole::word;
    }
    schema.roles = std::move(roles);
}

/// Rows of a table.
struct TrackRows {
    std::vector<double> positions;             ///< [row][coordinate]
    std::vector<std::vector<double>> numbers;  ///< by column of times; empty: its cells are words
    std::vector<std::vector<std::string>> words;
    Labels ids, labels;
    std::vector<char> visible;  ///< empty: all
    Offset rows = 0;
};

/// Places of columns among the numbers of a row.
std::vector<std::size_t> places_among_numbers(const TableSchema& schema, std::vector<std::size_t> columns) {
    for (std::size_t& column : columns) {
        const auto begin = schema.roles.begin();
        column = static_cast<std::size_t>(
            std::count(begin, begin + static_cast<std::ptrdiff_t>(column), ColumnRole::number));
    }
    return columns;
}

/// Throws if a position is not finite or not on the sphere.
void check_position(const TableRows& rows, const std::vector<std::size_t>& places, bool geographic) {
    for (const std::size_t c : places) {
        if (!std::isfinite(rows.numbers()[c])) not_finite(rows.place_of_number(c), rows.numbers()[c]);
    }
    constexpr const char* names[] = {"latitude", "longitude"};
    constexpr double largest[] = {90, 360};
    for (std::size_t i = 0; i < 2 && geographic; ++i) {
        const double degrees = rows.numbers()[places[i]];
        if (std::abs(degrees) <= largest[i]) continue;
        bad_file("{}: the {} is {}; it must be from -{} to {}", rows.place_of_number(places[i]), names[i], degrees,
                 largest[i], largest[i]);
    }
}

/// Throws at the first row without an id.
void require_ids(const Bytes& bytes, const TableSchema& schema, std::size_t column, const StringInterner& ids) {
    const auto& names = ids.names();
    const auto empty = std::find_if(names.begin(), names.end(), [](const std::string& id) { return is_missing(id); });
    if (empty == names.end()) return;
    std::size_t row = 0;
    while (ids.word(row) != *empty) ++row;
    bad_file("{}: the id is {}; remove the row or fill the id in",
             place_of_cell(bytes, schema, static_cast<Offset>(row), column),
             empty->empty() ? "empty" : "'" + *empty + "'");
}

TrackRows read_rows(const Bytes& bytes, const TableSchema& schema, const TrackColumns& columns) {
    TableRows rows(bytes, schema);
    const std::vector<std::size_t> coordinates = places_among_numbers(schema, columns.coordinates),
                                   times = places_among_numbers(schema, columns.times);
    TrackRows read;
    read.numbers.resize(times.size());
    read.words.resize(times.size());
    while (rows.next()) {
        check_position(rows, coordinates, columns.geographic);
        for (const std::size_t c : coordinates) read.positions.push_back(rows.numbers()[c]);
        for (std::size_t t = 0; t < times.size(); ++t) {
            if (schema.roles[columns.times[t]] == ColumnRole::number)
                read.numbers[t].push_back(rows.numbers()[times[t]]);
        }
    }
    read.rows = rows.read();
    if (read.rows > most_items) bad_file("'{}' has more than {} rows; split it", bytes.name(), most_items);
    for (std::size_t t = 0; t < times.size(); ++t) {
        if (read.numbers[t].empty()) read.words[t] = rows.words(columns.times[t]).all();
    }
    if (columns.visible != none) {
        const StringInterner& words = rows.words(columns.visible);
        for (std::size_t row = 0; row < words.size(); ++row) read.visible.push_back(lower(words.word(row)) != "false");
    }
    if (columns.label != none) {
        StringInterner words = rows.words(columns.label);
        read.labels = std::move(words).labels();  // before the ids, which may be the same column
    }
    if (columns.id != none) {
        require_ids(bytes, schema, columns.id, rows.words(columns.id));
        read.ids = std::move(rows.words(columns.id)).words();
    }
    return read;
}

/// The columns of times, and what they say of the order of rows.
class TrackTimes {
public:
    TrackTimes(const Bytes& bytes, const TableSchema& schema, const TrackColumns& columns, const TrackRows& read)
        : bytes_(bytes), schema_(schema), columns_(columns), read_(read) {
        if (read.ids.empty()) return;
        for (std::size_t t = 0; t < columns.times.size(); ++t) {
            const auto place = [&, t](std::size_t row) { return place_of(row, t); };
            times_.push_back(read.numbers[t].empty() ? read_times(read.words[t], place)
                                                     : read_times(read.numbers[t], place));
        }
        join_clock();
    }

    /// Rows in the order of their items, and of their times within an item. Throws if a date has several readings that
    /// give different orders.
    [[nodiscard]] std::vector<std::size_t> order() const {
        std::vector<std::size_t> chosen = order_by(0);
        for (std::size_t t = 0; t < times_.size(); ++t) {
            for (std::size_t other = 1; other < times_[t].readings.size(); ++other) {
                const std::vector<std::size_t> differs = order_by(other);
                const auto first = std::mismatch(chosen.begin(), chosen.end(), differs.begin()).first;
                if (first == chosen.end()) continue;
                refuse_open_date(read_.words[t], times_[t], *first, [&](std::size_t row) { return place_of(row, t); });
            }
        }
        return chosen;
    }

    /// Says that clock times without a date reorder rows, which may have been recorded over midnight.
    [[nodiscard]] std::vector<Note> notes(const std::vector<std::size_t>& order) const {
        const bool only_clock = times_.size() == 1 && times_[0].kind == TimeColumn::Form::clocks && !times_[0].has_days;
        if (!only_clock || read_.ids.empty()) return {};
        std::vector<std::size_t> file(order.size());
        std::iota(file.begin(), file.end(), std::size_t{0});
        std::stable_sort(file.begin(), file.end(), [&](auto a, auto b) { return read_.ids.of[a] < read_.ids.of[b]; });
        if (file == order) return {};
        return {
            {fmt::format("read with the times of column {} as those of one day, in an order that is not the file's; "
                         "add a date if tracks go over midnight",
                         schema_.title(columns_.times[0])),
             ""}};
    }

private:
    [[nodiscard]] FileLocation place_of(std::size_t row, std::size_t t) const {
        return place_of_cell(bytes_, schema_, static_cast<Offset>(row), columns_.times[t]);
    }

    /// Adds the clock time to its date, so that offsets from UTC count.
    void join_clock() {
        using Form = TimeColumn::Form;
        if (times_.size() != 2 || times_[1].kind != Form::clocks || times_[0].kind == Form::clocks) return;
        if (times_[0].kind == Form::numbers) return;
        for (TimeColumn::Reading& reading : times_[0].readings) {
            for (std::size_t row = 0; row < reading.of.size(); ++row) {
                if (reading.of[row].seconds % seconds_per_day != 0) {
                    bad_file("{}: '{}' has a clock time, and so has column {}; leave one of them out", place_of(row, 0),
                             shown(read_.words[0][row]), schema_.title(columns_.times[1]));
                }
                reading.of[row] = reading.of[row] + times_[1].readings[0].of[row];
            }
        }
        times_.pop_back();
    }

    /// The order by reading `r` of each column that has so many.
    [[nodiscard]] std::vector<std::size_t> order_by(std::size_t r) const {
        std::vector<std::size_t> order(static_cast<std::size_t>(read_.rows));
        std::iota(order.begin(), order.end(), std::size_t{0});
        if (read_.ids.empty()) return order;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            if (read_.ids.of[a] != read_.ids.of[b]) return read_.ids.of[a] < read_.ids.of[b];
            for (const TimeColumn& time : times_) {
                const std::vector<Instant>& of = time.readings[std::min(r, time.readings.size() - 1)].of;
                if (of[a] != of[b]) return of[a] < of[b];
            }
            return false;
        });
        return order;
    }

    const Bytes& bytes_;
    const TableSchema& schema_;
    const TrackColumns& columns_;
    const TrackRows& read_;
    std::vector<TimeColumn> times_;
};

/// Adds the rows, in this order, as items.
void add_items(TrackFile& file, const TrackRows& read, const std::vector<std::size_t>& order, const std::string& name) {
    const auto dim = static_cast<std::size_t>(file.items.dim);
    Offset row = 0, hidden = 0, relabeled = 0;
    Index item = -1, last = -1;
    for (const std::size_t r : order) {
        if (!read.visible.empty() && read.visible[r] == 0) {
            ++hidden;
            continue;
        }
        const Index now = read.ids.empty() ? item + 1 : read.ids.of[r];
        if (now != last || read.ids.empty()) {
            if (item >= 0) file.items.offsets.push_back(row);
            if (!read.labels.empty()) file.labels.of.push_back(read.labels.of[r]);
            if (!read.ids.empty()) file.ids.push_back(read.ids.names[static_cast<std::size_t>(now)]);
            last = now;
            ++item;
        } else if (!read.labels.empty() && file.labels.of.back() != read.labels.of[r]) {
            ++relabeled;
        }
        const auto* const position = read.positions.data() + r * dim;
        file.items.positions.insert(file.items.positions.end(), position, position + dim);
        ++row;
    }
    if (row == 0) bad_file("'{}' has no row that is visible; give at least one position", name);
    file.items.offsets.push_back(row);
    file.labels.names = read.labels.names;
    if (hidden > 0) file.notes.push_back({fmt::format("read without {} rows that are not visible", hidden), ""});
    if (relabeled > 0)
        file.notes.push_back(
            {fmt::format("read with the first label of each track; {} positions have another one", relabeled), ""});
}

}  // namespace

TrackFile read_track_table(const Bytes& bytes, const ReadOptions& options) {
    TableSchema schema = detect_schema(bytes, options);
    TrackColumns columns = find_track_columns(schema, bytes.name(), options);
    set_roles(schema, columns);
    require_memory(8 * bytes.size(), "the positions of '" + bytes.name() + "'");
    const TrackRows read = read_rows(bytes, schema, columns);
    if (read.rows == 0) bad_file("'{}' has no rows; give at least one position", bytes.name());
    TrackFile file;
    file.kind = "csv";
    file.notes = notes_of(schema.dialect, options.decimal);
    file.notes.insert(file.notes.end(), schema.notes.begin(), schema.notes.end());
    file.notes.insert(file.notes.end(), columns.notes.begin(), columns.notes.end());
    file.items.dim = static_cast<int>(columns.coordinates.size());
    file.items.geographic = columns.geographic;
    for (const std::size_t c : columns.coordinates) file.columns.push_back(schema.names[c]);

    const TrackTimes times(bytes, schema, columns, read);
    const std::vector<std::size_t> order = times.order();
    const std::vector<Note> said = times.notes(order);
    file.notes.insert(file.notes.end(), said.begin(), said.end());
    add_items(file, read, order, bytes.name());
    return file;
}

}  // namespace dunlin::io
