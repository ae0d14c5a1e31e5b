// SPDX-License-Identifier: Apache-2.0
#include "io/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "io/number.hpp"

namespace dunlin::io {

namespace {

/// The significant digits of a decimal, without its exponent.
std::string significant_digits(std::string_view decimal) {
    std::string digits;
    for (const char c : decimal.substr(0, decimal.find_first_of("eE"))) {
        if (is_digit(c) && (c != '0' || !digits.empty())) digits += c;
    }
    while (!digits.empty() && digits.back() == '0') digits.pop_back();
    return digits;
}

/// "d.ddde-dd", the shortest that reads back.
std::string scientific(float value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
    return {text.data(), end};
}

}  // namespace

std::string plain_decimal(float value) {
    if (value == 0) return "0";
    const std::string text = scientific(std::fabs(value));
    std::string digits = significant_digits(text);
    const auto before = 1 + std::strtol(text.c_str() + text.find('e') + 1, nullptr, 10);  // digits before the point
    const auto count = static_cast<long>(digits.size());
    if (before >= count)
        digits.append(static_cast<std::size_t>(before - count), '0');
    else if (before > 0)
        digits.insert(static_cast<std::size_t>(before), 1, '.');
    else
        digits.insert(0, "0." + std::string(static_cast<std::size_t>(-before), '0'));
    return (value < 0 ? "-" : "") + digits;
}

bool loses_digits(std::string_view decimal, float rounded) {
    const std::string digits = significant_digits(decimal);
    constexpr auto always_kept = static_cast<std::size_t>(std::numeric_limits<float>::digits10);
    return digits.size() > always_kept && digits != significant_digits(scientific(rounded));
}

}  // namespace dunlin::io
