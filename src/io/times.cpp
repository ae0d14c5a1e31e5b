// SPDX-License-Identifier: Apache-2.0
// Columns of times.
#include "io/times.hpp"

#include <algorithm>
#include <cmath>

#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

using Form = TimeText::Form;
using Place = std::function<FileLocation(std::size_t)>;
using Texts = std::span<const std::string>;

constexpr std::size_t none = static_cast<std::size_t>(-1);

bool is_dated(const TimeText& time) { return time.form == Form::date || time.form == Form::moment; }

std::string_view how(DateOrder order) {
    return order == DateOrder::ymd   ? "year, month, day"
           : order == DateOrder::dmy ? "day, month, year"
                                     : "month, day, year";
}

/// What is known of the rows so far: the first row of each kind.
struct FirstRows {
    std::size_t number = none, dated = none, clock = none, offset = none, no_offset = none, short_clock = none,
                long_clock = none, zone = none;
};

void note_first(std::size_t& first, std::size_t row, bool is_one) {
    if (is_one && first == none) first = row;
}

/// Throws if two rows have forms that do not go together.
void require_together(Texts texts, const Place& place, std::size_t row, std::size_t other, std::string_view why) {
    if (row == none || other == none) return;
    const std::size_t later = std::max(row, other), earlier = std::min(row, other);
    bad_file("{}: '{}' does not go with '{}' in row {}: {}", place(later), shown(texts[later]), shown(texts[earlier]),
             earlier + 1, why);
}

std::vector<TimeText> parse_all(Texts texts, const Place& place) {
    std::vector<TimeText> times;
    times.reserve(texts.size());
    for (std::size_t row = 0; row < texts.size(); ++row) {
        if (is_missing(texts[row])) {
            bad_file("{}: {}; remove the row or fill the time in", place(row),
                     texts[row].empty() ? "the time is empty" : "the time is '" + texts[row] + "'");
        }
        times.push_back(parse_time(texts[row]));
        if (times.back().form != Form::none) continue;
        bad_file("{}: '{}' is no time that exists or can be read; write it as 2024-05-31T23:59:00Z", place(row),
                 shown(texts[row]));
    }
    return times;
}

FirstRows first_rows(const std::vector<TimeText>& times) {
    FirstRows first;
    for (std::size_t row = 0; row < times.size(); ++row) {
        const TimeText& time = times[row];
        const bool has_clock = time.form == Form::clock || time.form == Form::moment;
        note_first(first.number, row, time.form == Form::number);
        note_first(first.dated, row, is_dated(time));
        note_first(first.clock, row, time.form == Form::clock);
        note_first(first.offset, row, time.has_offset);
        note_first(first.no_offset, row, is_dated(time) || has_clock ? !time.has_offset : false);
        note_first(first.short_clock, row, time.form == Form::clock && time.clock_fields == 2);
        note_first(first.long_clock, row, time.form == Form::clock && time.clock_fields == 3);
        note_first(first.zone, row, !time.zone.empty());
    }
    return first;
}

void require_one_zone(Texts texts, const std::vector<TimeText>& times, const Place& place, std::size_t first) {
    if (first == none) return;
    for (std::size_t row = 0; row < times.size(); ++row) {
        if (times[row].zone == times[first].zone) continue;
        require_together(texts, place, row, first, "time zones need offsets; write them as +01:00");
    }
}

/// The orders of day and month that fit all rows, the likely one first.
std::vector<DateOrder> orders_of(Texts texts, const std::vector<TimeText>& times, const Place& place) {
    std::array<bool, 3> fits = {true, true, true};
    std::array<std::size_t, 3> against = {none, none, none};
    bool has_dots = true;
    for (std::size_t row = 0; row < times.size(); ++row) {
        std::array<bool, 3> now = fits;
        for (std::size_t o = 0; o < 3; ++o) now[o] = fits[o] && times[row].reads[o];
        if (now == std::array<bool, 3>{}) {
            for (std::size_t o = 0; o < 3; ++o) {
                if (times[row].reads[o])
                    require_together(texts, place, row, against[o],
                                     "no order of day and month fits both; write them as 2024-05-31");
            }
        }
        for (std::size_t o = 0; o < 3; ++o) {
            if (fits[o] && !now[o]) against[o] = row;
        }
        has_dots = has_dots && times[row].has_dots;
        fits = now;
    }
    // 01.02.2024 is day, month, year unless a row has no such date
    if (has_dots && fits[static_cast<std::size_t>(DateOrder::dmy)]) return {DateOrder::dmy};
    std::vector<DateOrder> orders;
    for (const DateOrder order : date_orders) {
        if (fits[static_cast<std::size_t>(order)]) orders.push_back(order);
    }
    return orders;
}

TimeColumn::Reading reading(const std::vector<TimeText>& times, DateOrder order) {
    TimeColumn::Reading read{order, {}};
    for (const TimeText& time : times) read.of.push_back(time.instants[static_cast<std::size_t>(order)]);
    return read;
}

/// One reading for each that differs.
std::vector<TimeColumn::Reading> readings(const std::vector<TimeText>& times, const std::vector<DateOrder>& orders) {
    std::vector<TimeColumn::Reading> all;
    for (const DateOrder order : orders) {
        TimeColumn::Reading next = reading(times, order);
        const bool is_new =
            std::none_of(all.begin(), all.end(), [&](const auto& known) { return known.of == next.of; });
        if (is_new) all.push_back(std::move(next));
    }
    return all;
}

/// Throws if some numbers look like seconds since 1970 and others like milli-, micro- or nanoseconds.
void require_one_unit(const std::vector<Instant>& numbers, const Place& place) {
    constexpr std::int64_t earliest = 500'000'000, latest = 5'000'000'000;  // 1985 to 2128 in seconds
    std::size_t first = none;
    std::int64_t unit = 0;
    for (std::size_t row = 0; row < numbers.size(); ++row) {
        std::int64_t now = 0;
        for (std::int64_t scale = 1; scale <= 1'000'000'000; scale *= 1000) {
            if (numbers[row].seconds >= earliest * scale && numbers[row].seconds / scale < latest) now = scale;
        }
        if (now == 0) return;
        if (first == none) {
            first = row;
            unit = now;
        }
        if (now == unit) continue;
        bad_file("{}: {} and {} in row {} are times since 1970 in different units; write all in seconds", place(row),
                 numbers[row].seconds, numbers[first].seconds, first + 1);
    }
}

TimeColumn of_numbers(std::vector<Instant> numbers, const Place& place) {
    require_one_unit(numbers, place);
    TimeColumn column;
    column.readings.push_back({DateOrder::ymd, std::move(numbers)});
    return column;
}

/// Whether numbers of eight digits are dates with the year last: 31052024.
bool has_year_last(const std::vector<TimeText>& times) {
    std::array<bool, 3> fits = {true, true, true};
    for (const TimeText& time : times) {
        for (std::size_t o = 0; o < 3; ++o) fits[o] = fits[o] && time.reads[o];
    }
    return !fits[0] && (fits[1] || fits[2]);
}

}  // namespace

TimeColumn read_times(Texts texts, const Place& place) {
    const std::vector<TimeText> times = parse_all(texts, place);
    const FirstRows first = first_rows(times);
    if (first.dated == none && first.clock == none && (first.number != none || !has_year_last(times))) {
        std::vector<Instant> numbers;
        numbers.reserve(times.size());
        for (const TimeText& time : times) numbers.push_back(time.number);
        return of_numbers(std::move(numbers), place);
    }

    // Rows of different forms
    require_together(texts, place, first.number, std::min(first.dated, first.clock), "write all times alike");
    require_together(texts, place, first.clock, first.dated, "one has a date and one has none; write all times alike");
    require_together(texts, place, first.offset, first.no_offset,
                     "one has an offset from UTC and one has none; write all times alike");
    require_together(texts, place, first.short_clock, first.long_clock,
                     "one may be minutes and seconds or hours and minutes; write both as 0:10:05");
    require_one_zone(texts, times, place, first.zone);

    TimeColumn column;
    if (first.clock != none) {
        column.kind = TimeColumn::Form::clocks;
        column.has_days = std::any_of(times.begin(), times.end(), [](const auto& time) { return time.is_duration; });
        column.readings.push_back(reading(times, DateOrder::ymd));
        return column;
    }
    const bool has_clock =
        std::any_of(times.begin(), times.end(), [](const auto& time) { return time.form == Form::moment; });
    column.kind = has_clock ? TimeColumn::Form::moments : TimeColumn::Form::dates;
    column.readings = readings(times, orders_of(texts, times, place));
    return column;
}

TimeColumn read_times(std::span<const double> numbers, const Place& place) {
    std::vector<Instant> instants;
    instants.reserve(numbers.size());
    for (std::size_t row = 0; row < numbers.size(); ++row) {
        if (!(std::abs(numbers[row]) < 9e18)) bad_file("{}: {} is no time; correct it", place(row), numbers[row]);
        const double whole = std::floor(numbers[row]);
        instants.push_back(
            {static_cast<std::int64_t>(whole), static_cast<std::int64_t>((numbers[row] - whole) * 1e18)});
    }
    return of_numbers(std::move(instants), place);
}

void refuse_open_date(Texts texts, const TimeColumn& column, std::size_t row, const Place& place) {
    std::string ways;
    for (const TimeColumn::Reading& read : column.readings)
        ways += fmt::format("{}{}", ways.empty() ? "" : " or ", how(read.order));
    bad_file("{}: '{}' may be {}, and no row tells which; write dates as 2024-05-31", place(row), shown(texts[row]),
             ways);
}

}  // namespace dunlin::io
