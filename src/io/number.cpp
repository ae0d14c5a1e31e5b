// SPDX-License-Identifier: Apache-2.0
#include "io/number.hpp"

#include <algorithm>
#include <string>

namespace dunlin::io {

namespace {

/// Whether an out-of-range number is too large, by the decimal exponent of its leading nonzero digit; else too small.
bool is_large(const char* first, const char* last) {
    constexpr std::int64_t more_than_digits = std::int64_t{1} << 62;  // no text has as many
    const char* const power = std::find_if(first, last, [](char c) { return (c | 0x20) == 'e'; });
    const char* const point = std::find(first, power, '.');
    const char* const leading = std::find_if(first, power, [](char c) { return c >= '1' && c <= '9'; });
    std::int64_t exponent = 0;
    if (power != last) {
        const char* digits = power + 1;
        const bool down = digits != last && *digits == '-';
        if (digits != last && (*digits == '-' || *digits == '+')) ++digits;
        const auto parsed = std::from_chars(digits, last, exponent);
        if (parsed.ec == std::errc::result_out_of_range || exponent > more_than_digits) return !down;
        if (down) exponent = -exponent;
    }
    return (point - leading) + exponent > 0;
}

/// The number with a decimal point, for from_chars.
std::string with_point(const char* first, const char* last, char point) {
    std::string number(first, last);
    std::replace(number.begin(), number.end(), point, '.');
    return number;
}

}  // namespace

bool parse_float(const char* first, const char* last, char point, float& value) {
    const std::string number = with_point(*first == '+' ? first + 1 : first, last, point);
    return std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc();
}

double parse_any_number(const char* first, const char* last, char point) {
    if (point != '.') {
        const std::string number = with_point(first, last, point);
        return parse_any_number(number.data(), number.data() + number.size());
    }
    double value = 0;
    const auto parsed = std::from_chars(first, last, value);
    if (parsed.ec != std::errc::result_out_of_range) return value;
    return is_large(first, last) ? std::numeric_limits<double>::infinity() : 0.0;
}

}  // namespace dunlin::io
