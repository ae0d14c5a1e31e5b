// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

/// The days that the parts of a date may mean.
namespace dunlin::io {

constexpr std::int64_t seconds_per_day = 86400;

struct DatePart {
    std::int64_t value;
    int digits;     ///< 0 of a month's name
    bool is_month;  ///< by its name
};

/// Seconds from 1970 to the date by each of date_orders (times.hpp); empty: the order gives no date that exists.
using DatesByOrder = std::array<std::optional<std::int64_t>, 3>;

/// The meanings of one to three parts, in the order of the text. separator: the mark between them, 0: blanks or none.
/// A year of two digits is from 1969 to 2068, as POSIX has it.
DatesByOrder dates_of(const std::vector<DatePart>& parts, char separator);

}  // namespace dunlin::io
