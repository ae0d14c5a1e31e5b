// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/fail.hpp"

/// Times as people write them.
namespace dunlin::io {

/// Seconds since 1970-01-01T00:00Z of a date, since midnight of a clock time, or a number as it stands. The second part
/// is a fraction in 1e-18 s, so that numbers of 18 digits and nanoseconds since 1970 keep their order.
struct Instant {
    std::int64_t seconds = 0, fraction = 0;
    auto operator<=>(const Instant&) const = default;
};

Instant operator+(Instant a, Instant b);

/// The order of year, month and day in a date.
enum class DateOrder : unsigned char { ymd, dmy, mdy };
constexpr std::array<DateOrder, 3> date_orders = {DateOrder::ymd, DateOrder::dmy, DateOrder::mdy};

/// What a text may mean.
struct TimeText {
    enum class Form : unsigned char { none, number, digits, date, clock, moment };
    Form form = Form::none;             ///< digits: a number that may be a date as 20240501 is
    std::array<bool, 3> reads = {};     ///< of date, moment, digits: the orders that give a valid date
    std::array<Instant, 3> instants{};  ///< by order; all equal where it does not matter
    Instant number;                     ///< of number, digits
    bool has_offset = false;            ///< Z, UTC or +01:00
    bool has_dots = false;              ///< 01.02.2024, which is day, month, year
    int clock_fields = 0;               ///< 2 of 10:05, 3 of 10:05:00
    bool is_duration = false;           ///< of clock: more than 24 hours, or days
    std::string zone;                   ///< a name as CET, whose offset is not known
};

/// Reads ISO 8601 (also basic, ordinal dates, fractions, offsets), 1.2.2024, 1/2/2024, 1-2-24, names of months and days
/// in English, clock times with am and pm, 2 days 01:00:00, and numbers.
TimeText parse_time(std::string_view text);

/// A column of times: what each row means, by every order of day and month that fits all rows.
struct TimeColumn {
    enum class Form : unsigned char { numbers, clocks, dates, moments };
    struct Reading {
        DateOrder order;
        std::vector<Instant> of;
    };
    Form kind = Form::numbers;
    std::vector<Reading> readings;  ///< the likely one first
    bool has_days = false;          ///< clocks that are no times of a day
};

/// Reads the texts of a column. Throws Error{bad_file} where `place` of the row says, for an empty text, one that is no
/// time, forms that do not go together, and dates for which there is no common order.
TimeColumn read_times(std::span<const std::string> texts, const std::function<FileLocation(std::size_t)>& place);

/// Reads the numbers of a column of times. Throws as read_times() does, also where seconds and milliseconds are mixed.
TimeColumn read_times(std::span<const double> numbers, const std::function<FileLocation(std::size_t)>& place);

/// Throws Error{bad_file}: a date has two readings, which give different orders of the rows.
[[noreturn]] void refuse_open_date(std::span<const std::string> texts, const TimeColumn& column, std::size_t row,
                                   const std::function<FileLocation(std::size_t)>& place);

}  // namespace dunlin::io
