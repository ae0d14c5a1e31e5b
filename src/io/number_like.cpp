// SPDX-License-Identifier: Apache-2.0
#include "io/number_like.hpp"

#include <algorithm>
#include <array>

#include "io/fail.hpp"
#include "io/number.hpp"
#include "io/number_shape.hpp"

namespace dunlin::io {

namespace {

constexpr std::array<std::string_view, 5> other_minus = {"\xe2\x88\x92", "\xe2\x80\x93", "\xe2\x80\x90", "\xe2\x80\x91",
                                                         "\xef\xbc\x8d"};
constexpr std::array<std::string_view, 13> comparisons = {
    "<=",           ">=",           "<",        ">",   "=",   "~",      "\xe2\x89\xa4",
    "\xe2\x89\xa5", "\xe2\x89\x88", "\xc2\xb1", "ca.", "ca ", "approx."};
constexpr std::array<std::string_view, 5> percents = {"%", "\xe2\x80\xb0", "\xef\xbc\x85", "percent", "pct"};
constexpr std::array<std::string_view, 52> currencies = {"US$",          "A$",           "C$",           "R$",
                                                         "HK$",          "NZ$",          "S$",           "$",
                                                         "\xe2\x82\xac", "\xc2\xa3",     "\xc2\xa5",     "\xc2\xa2",
                                                         "\xe2\x82\xb9", "\xe2\x82\xbd", "\xe2\x82\xa9", "\xe2\x82\xba",
                                                         "\xe2\x82\xab", "\xe2\x82\xaa", "\xe0\xb8\xbf", "\xe2\x82\xb1",
                                                         "\xe2\x82\xa6", "z\xc5\x82",    "K\xc4\x8d",    "USD",
                                                         "EUR",          "GBP",          "JPY",          "CHF",
                                                         "CNY",          "RMB",          "INR",          "AUD",
                                                         "CAD",          "NZD",          "SEK",          "NOK",
                                                         "DKK",          "PLN",          "CZK",          "HUF",
                                                         "RUB",          "BRL",          "ZAR",          "KRW",
                                                         "TRY",          "MXN",          "SGD",          "HKD",
                                                         "Rs.",          "Rs",           "Fr.",          "kr"};
/// Units of two letters or more, or with a sign; those of one letter count where all rows have the same.
constexpr std::array units = {"kg",
                              "mg",
                              "ug",
                              "ng",
                              "\xc2\xb5g",
                              "\xce\xbcg",
                              "lb",
                              "lbs",
                              "oz",
                              "cm",
                              "mm",
                              "km",
                              "nm",
                              "um",
                              "\xc2\xb5m",
                              "\xce\xbcm",
                              "mi",
                              "ft",
                              "in",
                              "yd",
                              "km/h",
                              "kph",
                              "mph",
                              "m/s",
                              "kn",
                              "ms",
                              "us",
                              "ns",
                              "\xc2\xb5s",
                              "\xce\xbcs",
                              "min",
                              "mins",
                              "hr",
                              "hrs",
                              "sec",
                              "secs",
                              "ml",
                              "mL",
                              "dl",
                              "dL",
                              "\xc2\xb5l",
                              "\xc2\xb5L",
                              "ul",
                              "uL",
                              "\xc2\xb0",
                              "\xc2\xb0"
                              "C",
                              "\xc2\xb0"
                              "F",
                              "deg",
                              "rad",
                              "Pa",
                              "kPa",
                              "hPa",
                              "MPa",
                              "bar",
                              "mbar",
                              "psi",
                              "mV",
                              "kV",
                              "mA",
                              "kW",
                              "MW",
                              "kWh",
                              "MWh",
                              "kJ",
                              "MJ",
                              "cal",
                              "kcal",
                              "Hz",
                              "kHz",
                              "MHz",
                              "GHz",
                              "mol",
                              "mmol",
                              "mM",
                              "uM",
                              "nM",
                              "ppm",
                              "ppb",
                              "dB",
                              "px",
                              "pt",
                              "kB",
                              "KB",
                              "MB",
                              "GB",
                              "TB",
                              "KiB",
                              "MiB",
                              "GiB",
                              "bp",
                              "kb",
                              "Mb",
                              "Gb",
                              "mg/dL",
                              "mg/dl",
                              "mg/l",
                              "mg/L",
                              "g/l",
                              "g/L",
                              "m2",
                              "m3",
                              "m\xc2\xb2",
                              "m\xc2\xb3",
                              "km2",
                              "km\xc2\xb2",
                              "cm2",
                              "cm3",
                              "ha",
                              "days",
                              "hours",
                              "years"};
constexpr std::array<std::string_view, 9> magnitudes = {"k", "K", "M", "B", "G", "T", "m", "bn", "mn"};

constexpr std::string_view comparison = "a comparison";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Removes one of `marks` at the front; whether one was there.
template <class Marks>
bool strip_front(std::string_view& text, const Marks& marks) {
    for (const std::string_view mark : marks) {
        if (!text.starts_with(mark)) continue;
        text.remove_prefix(mark.size());
        return true;
    }
    return false;
}

/// Removes one of `marks` at the end, after a digit, blank or dot.
template <class Marks>
bool strip_back(std::string_view& text, const Marks& marks) {
    for (const std::string_view mark : marks) {
        if (!text.ends_with(mark) || text.size() == mark.size()) continue;
        const char before = text[text.size() - mark.size() - 1];
        if (is_letter(mark[0]) && is_letter(before)) continue;
        text.remove_suffix(mark.size());
        return true;
    }
    return false;
}

void trim(std::string_view& text) {
    constexpr std::array<std::string_view, 3> blanks = {" ", "\xc2\xa0", "\xe2\x80\xaf"};
    while (strip_front(text, blanks) || strip_back(text, blanks)) {
    }
}

/// Removes the digits at the front; their number.
std::size_t take_digits(std::string_view& text) {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
}

/// What a text of digits, separators and an exponent has that a number has not; "" of a number, null of another text.
const char* shape_of_digits(std::string_view text) {
    constexpr std::array<std::string_view, 9> separators = {
        "_", " ", "'", ",", ".", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89", "\xe2\x80\x99"};
    if ((text.starts_with("0x") || text.starts_with("0X")) && text.size() > 2)
        return text.find_first_not_of("0123456789abcdefABCDEF", 2) == text.npos ? "hexadecimal digits" : nullptr;
    const std::size_t first = take_digits(text);
    const char* shape = "";

    // Groups of three digits, or of two as in 1,00,000
    if (first >= 1 && first <= 3) {
        for (const std::string_view separator : separators) {
            std::string_view rest = text;
            std::size_t groups = 0, last = 0;
            while (rest.starts_with(separator)) {
                std::string_view after = rest.substr(separator.size());
                const std::size_t width = take_digits(after);
                if (width != 3 && !(width == 2 && separator == ",")) break;
                last = width;
                ++groups;
                rest = after;
            }
            const bool is_mark = separator == "," || separator == ".";
            if (groups == 0 || last != 3 || (is_mark && groups == 1 && rest.empty())) continue;
            text = rest;
            shape = "a thousands separator";
            break;
        }
    }
    std::size_t decimals = 0;
    if (text.starts_with('.') || text.starts_with(',')) {
        text.remove_prefix(1);
        decimals = take_digits(text);
    }
    if (first + decimals == 0) return nullptr;
    if (text.empty()) return shape;

    // 1.5D+03, 1.5x10^3, 5.1 +- 0.2
    if (text.starts_with("e") || text.starts_with("E") || text.starts_with("d") || text.starts_with("D")) {
        const bool is_double = (text[0] | 0x20) == 'd';
        text.remove_prefix(1);
        const bool is_signed = text.starts_with('-') || text.starts_with('+');
        if (is_signed) text.remove_prefix(1);
        if (take_digits(text) == 0 || !text.empty()) return nullptr;
        if (is_double && !is_signed && decimals == 0) return nullptr;  // 1D66 is a name
        return is_double ? "an exponent D" : shape;
    }
    constexpr std::array<std::string_view, 4> powers = {"x10", "*10",
                                                        "\xc3\x97"
                                                        "10",
                                                        "\xc2\xb7"
                                                        "10"};
    std::string_view tail = text;
    if (strip_front(tail, powers)) return "a power of ten";
    constexpr std::array<std::string_view, 2> errors = {"\xc2\xb1", "+/-"};
    trim(tail);
    return strip_front(tail, errors) && !tail.empty() ? "an uncertainty" : nullptr;
}

/// Letters at the end, after digits or a blank; empty: none.
std::string_view letters_at_end(std::string_view text) {
    std::size_t begin = text.size();
    while (begin > 0 && (is_letter(text[begin - 1]) || static_cast<unsigned char>(text[begin - 1]) > 127)) --begin;
    return begin == 0 ? std::string_view() : text.substr(begin);
}

/// Removes a plain number with a decimal point and an exponent at the front; whether one was there.
bool take_number(std::string_view& text) {
    const std::size_t whole = take_digits(text);
    std::size_t decimals = 0;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        decimals = take_digits(text);
    }
    if (whole + decimals == 0) return false;
    if (!text.starts_with('e') && !text.starts_with('E')) return true;
    std::string_view power = text.substr(1);
    if (power.starts_with('-') || power.starts_with('+')) power.remove_prefix(1);
    if (take_digits(power) > 0) text = power;
    return true;
}

/// Whether it is a complex number: 1+2i, (0.5-1e-3j), 1.5 + 2j.
bool is_complex(std::string_view text) {
    if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
    const auto take_sign = [&] {
        trim(text);
        const bool found = text.starts_with('-') || text.starts_with('+');
        if (found) text.remove_prefix(1);
        trim(text);
        return found;
    };
    take_sign();
    if (!take_number(text) || !take_sign() || !take_number(text)) return false;
    return text == "i" || text == "j" || text == "I" || text == "*i" || text == "*I";
}

/// Whether it is a number in hexadecimal digits with a power of two: 0x1.8p+3.
bool is_hexadecimal_float(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdefABCDEF";
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (!text.starts_with("0x") && !text.starts_with("0X")) return false;
    text.remove_prefix(2);
    const std::size_t power = text.find_first_of("pP");
    const std::string_view mantissa = text.substr(0, power);
    if (mantissa.find_first_of(digits) == text.npos || std::count(mantissa.begin(), mantissa.end(), '.') > 1)
        return false;
    if (mantissa.find_first_not_of("0123456789abcdefABCDEF.") != text.npos) return false;
    if (power == text.npos) return mantissa.find('.') != text.npos;
    text.remove_prefix(power + 1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    return take_digits(text) > 0 && text.empty();
}

}  // namespace

NumberLikeness likeness_to_number(std::string_view text) {
    if (text.size() > 60) return {};
    if (is_complex(text)) return {"an imaginary part", {}};
    if (is_hexadecimal_float(text)) return {"hexadecimal digits", {}};
    if (text.size() > 40) return {};
    if (const std::string_view shape = shape_of_numbers(text); !shape.empty()) return {shape, {}};
    if (text.find_first_of("0123456789") == text.npos) return {};
    std::string_view sign;
    const auto is = [&sign](bool found, std::string_view what) {
        if (found && sign.empty()) sign = what;
        return found;
    };

    // Signs around the digits, from outside
    constexpr std::array<std::string_view, 2> minus = {"-", "+"};
    constexpr std::array<std::string_view, 1> apostrophe = {"'"}, star = {"*"}, dash = {"-"};
    for (bool moved = true; moved && !text.empty();) {
        trim(text);
        moved = false;
        if (text.starts_with('(') && text.ends_with(')')) {
            text = text.substr(1, text.size() - 2);
            moved = is(true, "parentheses");
        }
        if (is(strip_front(text, other_minus), "a minus sign that is no '-'") || strip_front(text, minus) ||
            is(strip_front(text, comparisons), comparison) || is(strip_front(text, apostrophe), "an apostrophe") ||
            is(strip_front(text, currencies), "a currency") || is(strip_front(text, percents), "a percent sign") ||
            is(strip_back(text, percents), "a percent sign") || is(strip_back(text, currencies), "a currency") ||
            is(strip_back(text, star), "a mark") || is(strip_back(text, units), "a unit") ||
            is(strip_back(text, dash), "a sign at its end"))
            moved = true;
    }
    const char* const shape = shape_of_digits(text);
    if (shape != nullptr) return {sign.empty() ? std::string_view(shape) : sign, {}};

    // A number, and a word that may be a unit
    const std::string_view suffix = letters_at_end(text);
    if (suffix.empty() || suffix.size() > 12) return {};
    std::string_view digits = text.substr(0, text.size() - suffix.size());
    trim(digits);
    const bool is_number = !digits.empty() && is_digit(digits.front()) && shape_of_digits(digits) != nullptr;
    if (!is_number) return {};
    return sign.empty() ? NumberLikeness{"a unit", suffix} : NumberLikeness{sign, {}};
}

void NumberLikeColumn::add(std::string_view word) {
    if (is_missing(word)) return;
    const std::string copy(word);  // a number ends at a zero byte
    double value = 0;
    if (parse_field(copy, '.', value) || parse_field(copy, ',', value)) {
        ++numbers_;
        if (copy.find_first_of(".,") != std::string::npos) ++fractions_;
        if (fraction_.empty() && copy.find('.') != std::string::npos) fraction_ = copy;
        return;
    }
    NumberLikeness likeness = likeness_to_number(word);
    if (likeness.sign.empty() && with_times_) likeness.sign = shape_of_time(word);
    if (likeness.sign.empty()) {
        if (words_++ == 0) word_ = copy;
        return;
    }
    if (example_.empty()) {
        example_ = copy;
        sign_ = likeness.sign;
    }
    if (!likeness.suffix.empty()) {
        if (suffixed_++ == 0) suffix_ = likeness.suffix;
        one_suffix_ = one_suffix_ && suffix_ == likeness.suffix;
        const bool known = std::find(magnitudes.begin(), magnitudes.end(), likeness.suffix) != magnitudes.end();
        only_magnitudes_ = only_magnitudes_ && known;
    } else {
        ++(likeness.sign == comparison ? compared_ : likeness.sign == two_numbers ? ranges_ : like_);
    }
}

bool NumberLikeColumn::looks_like_numbers() const {
    const bool has_units = suffixed_ > 1 && (one_suffix_ || only_magnitudes_);
    // "<5", "5-10", ">10" are classes, "<5" among numbers is a value below what could be measured
    const bool has_classes = ranges_ > 0 && compared_ > 0;
    const bool has_bounds = compared_ > 0 && !has_classes && (words_ == 0 || numbers_ + like_ > 0);
    const std::size_t like =
        like_ + (has_units ? suffixed_ : 0) + (has_bounds ? compared_ : 0) + (has_classes ? 0 : ranges_);
    const std::size_t words =
        words_ + (has_units ? 0 : suffixed_) + (has_bounds ? 0 : compared_) + (has_classes ? ranges_ : 0);
    return (like > 0 && numbers_ + like >= words) || is_mixed() || are_quoted();
}

/// Whether fractions outnumber the words among them, such as "below detection". Whole numbers may be names.
bool NumberLikeColumn::is_mixed() const { return example_.empty() && words_ > 0 && fractions_ > words_; }

/// Whether all are fractions that a cell has as text: ="1.5".
bool NumberLikeColumn::are_quoted() const { return example_.empty() && words_ == 0 && !fraction_.empty(); }

const std::string& NumberLikeColumn::example() const {
    return is_mixed() ? word_ : are_quoted() ? fraction_ : example_;
}
std::string_view NumberLikeColumn::sign() const {
    return is_mixed() ? "no number as other rows have" : are_quoted() ? "a number as text" : sign_;
}

void require_words(const TableSchema& schema, std::size_t column, const std::string& file) {
    NumberLikeColumn looks;
    for (const auto& row : schema.sample) looks.add(row[column]);
    if (looks.looks_like_numbers())
        refuse_number_like({fmt::format("{}: column {}", file, schema.title(column)), {}}, looks.example(),
                           looks.sign());
}

void refuse_number_like(const FileLocation& place, std::string_view example, std::string_view sign) {
    if (sign == "a date" || sign == "a clock time") {
        bad_file(
            "{}: '{}' is {}; write it as a number, such as one of days or seconds, or name the column as ids or "
            "labels",
            place, shown(example), sign);
    }
    bad_file(
        "{}: '{}' has {}, and the column looks like numbers; write plain numbers, or name the column as labels or ids "
        "if it holds words",
        place, shown(example), sign);
}

}  // namespace dunlin::io
