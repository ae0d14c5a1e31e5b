// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>

namespace dunlin::io {

/// Powers of ten that a double holds exactly.
inline constexpr double powers_of_ten[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

constexpr bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// Whether all of `raw` is digits.
constexpr bool is_whole(std::string_view raw) {
    for (const char c : raw) {
        if (!is_digit(c)) return false;
    }
    return !raw.empty();
}

/// The general case of parse_number for the decimal number [first, last) with decimal mark `point`. Infinity or zero if
/// it is out of range.
double parse_any_number(const char* first, const char* last, char point = '.');

/// Rounds the decimal number [first, last) to float; false if it is out of range.
bool parse_float(const char* first, const char* last, char point, float& value);

/// Appends the digits at p to `number`, which may wrap around. Returns the position after them.
inline const char* take_digits(const char* p, std::uint64_t& number) {
    for (; is_digit(*p); ++p) number = number * 10 + static_cast<std::uint64_t>(*p - '0');
    return p;
}

/// Adds the power of ten at p, if any (e [+-] digits). Returns the position after it.
inline const char* take_power(const char* p, std::int64_t& exponent) {
    if ((*p | 0x20) != 'e') return p;
    const char* q = p + 1;
    const bool down = *q == '-';
    if (*q == '-' || *q == '+') ++q;
    if (!is_digit(*q)) return p;
    std::int64_t power = 0;
    for (; is_digit(*q); ++q) power = power < 100000000 ? power * 10 + (*q - '0') : power;
    exponent += down ? -power : power;
    return q;
}

/// Reads a decimal number ([+-] digits [. digits] [e [+-] digits]) at p and rounds it correctly to double. Returns the
/// position after it, or nullptr if there is none. A digit, '.' or 'e' must not follow the content.
/// point: the decimal mark, '.' or ','. A digit follows a decimal comma: "1, 2" are two numbers.
inline const char* parse_number(const char* p, double& value, char point = '.') {
    const bool negative = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    const char* const first = p;

    // Digits before and after the point, as one integer
    std::uint64_t mantissa = 0;
    p = take_digits(p, mantissa);
    std::ptrdiff_t digits = p - first;
    std::int64_t exponent = 0;
    if (*p == point && (point == '.' || is_digit(p[1]))) {
        const char* const fraction = ++p;
        p = take_digits(p, mantissa);
        exponent = fraction - p;
        digits += p - fraction;
    }
    if (digits == 0) return nullptr;

    p = take_power(p, exponent);

    // Both factors are exact doubles, hence a single rounding (Clinger 1990)
    constexpr std::uint64_t exact = std::uint64_t{1} << 53;
    double magnitude;
    if (digits <= 19 && mantissa <= exact && exponent >= -22 && exponent <= 22) {
        magnitude = static_cast<double>(mantissa);
        magnitude = exponent < 0 ? magnitude / powers_of_ten[-exponent] : magnitude * powers_of_ten[exponent];
    } else {
        magnitude = parse_any_number(first, p, point);
    }
    value = negative ? -magnitude : magnitude;
    return p;
}

/// Whether all of `raw`, a field of a text table, is a decimal number; sets `value`. A comma may follow the field as
/// delimiter, even if the decimal mark is a comma.
inline bool parse_field(std::string_view raw, char point, double& value) {
    if (raw.empty()) return false;
    if (point == '.') return parse_number(raw.data(), value) == raw.data() + raw.size();
    if (raw.find('.') != std::string_view::npos) return false;
    const bool marked = raw.find(point) != std::string_view::npos;
    return parse_number(raw.data(), value, marked ? point : '.') == raw.data() + raw.size();
}

/// Whether `value` is halfway between two floats: only then can rounding to double and then to float be wrong.
inline bool is_float_tie(double value) {
    constexpr std::uint64_t low = (std::uint64_t{1} << 29) - 1;
    return (std::bit_cast<std::uint64_t>(value) & low) == (std::uint64_t{1} << 28);
}

}  // namespace dunlin::io
