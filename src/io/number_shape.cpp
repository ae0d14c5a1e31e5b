// SPDX-License-Identifier: Apache-2.0
#include "io/number_shape.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "io/number.hpp"
#include "io/times.hpp"

namespace dunlin::io {

namespace {

bool read_whole(std::string_view text, double& value) {
    const std::string copy(text);  // a number ends at a zero byte
    return parse_field(copy, '.', value);
}

bool is_number_text(std::string_view text) {
    double value = 0;
    return read_whole(text, value);
}

/// Ten digits in a row of Unicode, by the UTF-8 of the first.
constexpr std::array<std::string_view, 6> other_zeros = {"\xef\xbc\x90", "\xd9\xa0",     "\xdb\xb0",
                                                         "\xe0\xa5\xa6", "\xe0\xa7\xa6", "\xe0\xb9\x90"};

/// The text with digits 0 to 9 for those of other scripts.
std::string with_plain_digits(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
        const auto digit = std::find_if(other_zeros.begin(), other_zeros.end(), [text](std::string_view zero) {
            const std::size_t last = zero.size() - 1;
            if (text.size() <= last || text.substr(0, last) != zero.substr(0, last)) return false;
            const int above = static_cast<unsigned char>(text[last]) - static_cast<unsigned char>(zero[last]);
            return above >= 0 && above < 10;
        });
        const bool found = digit != other_zeros.end();
        const std::size_t size = found ? digit->size() : 1;
        const int above =
            found ? static_cast<unsigned char>(text[size - 1]) - static_cast<unsigned char>(digit->back()) : 0;
        plain += found ? static_cast<char>('0' + above) : text[0];
        text.remove_prefix(size);
    }
    return plain;
}

/// Whether the texts between commas, semicolons and blanks are numbers.
bool is_list(std::string_view text) {
    bool any = false;
    while (!text.empty()) {
        const std::size_t cut = std::min(text.find_first_of(",; "), text.size());
        if (cut > 0 && !is_number_text(text.substr(0, cut))) return false;
        any = any || cut > 0;
        text.remove_prefix(std::min(text.size(), cut + 1));
    }
    return any;
}

/// 1/5, 10^3
bool is_pair(std::string_view text, char mark) {
    const std::size_t at = text.find(mark);
    return at != text.npos && is_number_text(text.substr(0, at)) && is_number_text(text.substr(at + 1));
}

/// 0-5, from a number to a greater one. Long numbers make names such as 2019-00017.
bool is_range(std::string_view text) {
    constexpr std::array<std::string_view, 4> marks = {"-", "\xe2\x80\x93", "..", " to "};
    constexpr std::size_t longest = 5;
    for (const std::string_view mark : marks) {
        const std::size_t at = text.find(mark, 1);
        if (at == text.npos || at > longest + 1) continue;
        std::string_view from = text.substr(0, at), to = text.substr(at + mark.size());
        while (from.ends_with(' ')) from.remove_suffix(1);
        while (to.starts_with(' ')) to.remove_prefix(1);
        double low = 0, high = 0;
        if (from.size() > longest || to.size() > longest) continue;
        if (read_whole(from, low) && read_whole(to, high) && low < high && is_digit(to.front())) return true;
    }
    return false;
}

/// 0°30', 51°28'40.1"N
bool is_angle(std::string_view text) {
    constexpr std::string_view degree = "\xc2\xb0";
    const std::size_t at = text.find(degree);
    if (at == text.npos || !is_number_text(text.substr(0, at))) return false;
    std::string_view rest = text.substr(at + degree.size());
    constexpr std::string_view marks = "0123456789.'\" NSEWO\xe2\x80\xb2\xb3\x99\x9d";
    return rest.find_first_not_of(marks) == rest.npos;
}

}  // namespace

std::string_view shape_of_numbers(std::string_view text) {
    if (text.size() < 2) return {};
    const std::string plain = with_plain_digits(text);
    if (plain != text) {
        const bool digits = plain.find_first_not_of("0123456789+-.,/: \xef\xbc\x8e\x8c\x8d\xd9\xab\xac") == plain.npos;
        return digits ? "digits other than 0 to 9" : std::string_view();
    }
    const bool brackets = text.starts_with('[') && text.ends_with(']');
    const bool parentheses = text.starts_with('(') && text.ends_with(')');
    if (brackets || parentheses || (text.starts_with('{') && text.ends_with('}'))) {
        const std::string_view inside = text.substr(1, text.size() - 2);
        if (parentheses && is_number_text(inside)) return {};  // a negative number of accountants
        return is_list(inside) ? "brackets" : std::string_view();
    }
    if (text.size() > 2 && text.starts_with('\'') && text.ends_with('\'')) {
        return is_number_text(text.substr(1, text.size() - 2)) ? "single quotes" : std::string_view();
    }
    if (is_pair(text, '/')) return "a fraction bar";
    if (is_pair(text, '^')) return "a sign of powers";
    if (is_range(text)) return two_numbers;
    return is_angle(text) ? "a sign of degrees" : std::string_view();
}

std::string_view shape_of_time(std::string_view text) {
    if (std::none_of(text.begin(), text.end(), is_digit)) return {};
    if (text.find_first_not_of("0123456789, ") == text.npos) return {};  // a list such as 1,2,9
    switch (parse_time(text).form) {
        case TimeText::Form::clock:
            return "a clock time";
        case TimeText::Form::date:
        case TimeText::Form::moment:
            return "a date";
        default:
            return {};
    }
}

}  // namespace dunlin::io
