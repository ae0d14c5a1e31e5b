// SPDX-License-Identifier: Apache-2.0
#include "io/date_parts.hpp"

#include <algorithm>
#include <chrono>

namespace dunlin::io {

namespace {

using Seconds = std::optional<std::int64_t>;

/// A day; empty: it does not exist.
Seconds day_of(std::int64_t year, std::int64_t month, std::int64_t date) {
    if (year < 0 || year > 9999 || month < 1 || month > 12 || date < 1 || date > 31) return std::nullopt;
    const std::chrono::year_month_day found{std::chrono::year(static_cast<int>(year)),
                                            std::chrono::month(static_cast<unsigned>(month)),
                                            std::chrono::day(static_cast<unsigned>(date))};
    if (!found.ok()) return std::nullopt;
    return std::chrono::sys_days(found).time_since_epoch().count() * seconds_per_day;
}

std::int64_t full_year(const DatePart& year) {
    if (year.digits > 2) return year.value;
    return year.value < 69 ? 2000 + year.value : 1900 + year.value;
}

DatesByOrder fixed(Seconds date) { return {date, date, date}; }

/// A date with the name of its month at place m.
Seconds named_month(std::vector<DatePart> parts, std::ptrdiff_t m) {
    const std::int64_t month = parts[static_cast<std::size_t>(m)].value;
    parts.erase(parts.begin() + m);
    if (parts.size() == 1) return parts[0].digits == 4 ? day_of(parts[0].value, month, 1) : std::nullopt;
    if (parts.size() != 2) return std::nullopt;
    const bool year_first = parts[0].digits > 2;
    const DatePart& year = year_first ? parts[0] : parts[1];
    const DatePart& date = year_first ? parts[1] : parts[0];
    if (date.digits > 2 || year.digits == 3 || year.digits > 4) return std::nullopt;
    return day_of(full_year(year), month, date.value);
}

/// The day of a year, 2024-152.
Seconds ordinal(std::int64_t year, std::int64_t number) {
    const Seconds first = day_of(year, 1, 1), last = day_of(year, 12, 31);
    if (!first || number < 1 || *first + (number - 1) * seconds_per_day > *last) return std::nullopt;
    return *first + (number - 1) * seconds_per_day;
}

/// Eight digits: 20240531, 31052024 or 05312024.
DatesByOrder compact(const DatePart& part) {
    if (part.digits != 8) return {};
    const std::int64_t v = part.value, first = v / 1000000, second = v / 10000 % 100, year = v % 10000;
    return {day_of(v / 10000, v / 100 % 100, v % 100), day_of(year, second, first), day_of(year, first, second)};
}

/// 2024-05, 05/2024, 2024-152
Seconds of_two(const DatePart& a, const DatePart& b, char separator) {
    if (separator == '.') return std::nullopt;
    if (a.digits == 2 && b.digits == 4) return day_of(b.value, a.value, 1);
    if (a.digits != 4) return std::nullopt;
    if (b.digits == 3) return ordinal(a.value, b.value);
    return b.digits <= 2 ? day_of(a.value, b.value, 1) : std::nullopt;
}

DatesByOrder of_three(const DatePart& a, const DatePart& b, const DatePart& c) {
    if (b.digits > 2 || c.digits == 3 || c.digits > 4) return {};
    if (a.digits > 2) return c.digits > 2 ? DatesByOrder() : fixed(day_of(a.value, b.value, c.value));
    const std::int64_t year = full_year(c);
    const bool may_begin_with_year = c.digits <= 2 && a.digits == 2;
    return {may_begin_with_year ? day_of(full_year(a), b.value, c.value) : std::nullopt, day_of(year, b.value, a.value),
            day_of(year, a.value, b.value)};
}

}  // namespace

DatesByOrder dates_of(const std::vector<DatePart>& parts, char separator) {
    const auto month = std::find_if(parts.begin(), parts.end(), [](const DatePart& part) { return part.is_month; });
    if (month != parts.end()) return fixed(named_month(parts, month - parts.begin()));
    if (parts.size() == 1) return compact(parts[0]);
    if (parts.size() == 2) return fixed(of_two(parts[0], parts[1], separator));
    return of_three(parts[0], parts[1], parts[2]);
}

}  // namespace dunlin::io
