// SPDX-License-Identifier: Apache-2.0
// A text as a time.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "io/date_parts.hpp"
#include "io/number.hpp"
#include "io/times.hpp"

namespace dunlin::io {

namespace {

constexpr std::int64_t attoseconds = 1'000'000'000'000'000'000;

constexpr std::array<std::string_view, 12> months = {"january",   "february", "march",    "april",
                                                     "may",       "june",     "july",     "august",
                                                     "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 7> weekdays = {"monday", "tuesday",  "wednesday", "thursday",
                                                      "friday", "saturday", "sunday"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The place, from 1, of a name or its beginning of at least three letters; 0: none.
template <class Names>
int number_of(const Names& names, std::string_view word) {
    for (std::size_t i = 0; i < names.size() && word.size() >= 3; ++i) {
        if (word == names[i] || word == names[i].substr(0, 3)) return static_cast<int>(i) + 1;
    }
    return 0;
}

/// Scans the parts of a time from left to right.
class TimeScanner {
public:
    explicit TimeScanner(std::string_view text) : rest_(text) {}

    /// False: the text is no time.
    bool scan() {
        while (skip_between()) {
            if (is_digit(rest_[0]) ? !take_number() : !take_word_or_offset()) return false;
        }
        return true;
    }

    TimeText text() {
        TimeText found;
        const bool has_date = !parts_.empty();
        if (has_date && !resolve_date(found)) return {};
        if (!has_date && !has_clock_) return {};
        if (!settle_clock(has_date)) return {};
        found.form = !has_date ? TimeText::Form::clock : has_clock_ ? TimeText::Form::moment : TimeText::Form::date;
        found.has_offset = has_offset_;
        found.clock_fields = fields_;
        found.is_duration = is_duration_ || hour_ > 23;
        found.has_dots = separator_ == '.';
        found.zone = zone_;
        const Instant clock{days_ * seconds_per_day + hour_ * 3600 + minute_ * 60 + second_ - offset_, fraction_};
        for (Instant& instant : found.instants) instant = instant + clock;
        return found;
    }

private:
    /// Moves over blanks, commas and low lines; false at the end.
    bool skip_between() {
        constexpr std::array<std::string_view, 6> between = {" ", ",", "_", "\t", "\xc2\xa0", "\xe2\x80\xaf"};
        for (bool moved = true; moved;) {
            moved = false;
            for (const std::string_view mark : between) {
                if (!rest_.starts_with(mark)) continue;
                rest_.remove_prefix(mark.size());
                moved = true;
            }
        }
        return !rest_.empty();
    }

    std::int64_t take_digits_of(int& digits) {
        std::int64_t value = 0;
        for (digits = 0; !rest_.empty() && is_digit(rest_[0]) && digits < 18; ++digits) {
            value = value * 10 + (rest_[0] - '0');
            rest_.remove_prefix(1);
        }
        return value;
    }

    std::string take_letters() {
        std::string word;
        for (; !rest_.empty() && is_letter(rest_[0]); rest_.remove_prefix(1))
            word += static_cast<char>(rest_[0] | 0x20);
        return word;
    }

    bool take_number() {
        int digits = 0;
        const std::int64_t value = take_digits_of(digits);
        if (rest_.starts_with(':')) return take_clock(value, digits);
        // The time of the basic form, 20240501T123000
        if (after_t_ && !has_clock_) return take_basic_clock(value, digits);
        if (parts_.size() == 3 || (parts_.empty() && has_clock_ && digits < 3 && !starts_date())) return false;
        parts_.push_back({value, digits, false});
        return take_separator();
    }

    /// Whether a date may begin after a clock time: 10:05 01/02/2024.
    [[nodiscard]] bool starts_date() const {
        return !rest_.empty() && (rest_[0] == '/' || rest_[0] == '-' || rest_[0] == '.' || rest_[0] == ' ');
    }

    /// The mark after a part of a date; all of them are the same, and a blank may follow a dot.
    bool take_separator() {
        if (rest_.empty()) return true;
        const char mark = rest_[0];
        if (mark == 'T' || mark == 't') {
            after_t_ = rest_.size() > 1 && is_digit(rest_[1]);
            if (after_t_) rest_.remove_prefix(1);
            return true;
        }
        if (mark != '-' && mark != '/' && mark != '.') return true;
        // A third part may end with a dot (Hungarian), an offset may follow a date of the basic form
        if (parts_.size() == 3 && mark != '.') return false;
        if (separator_ != 0 && separator_ != mark) return false;
        separator_ = mark;
        rest_.remove_prefix(1);
        return true;
    }

    bool take_clock(std::int64_t hour, int digits) {
        if (has_clock_ || digits > 4) return false;
        has_clock_ = true;
        hour_ = hour;
        fields_ = 1;
        for (std::int64_t* part : {&minute_, &second_}) {
            if (!rest_.starts_with(':')) break;
            rest_.remove_prefix(1);
            int width = 0;
            *part = take_digits_of(width);
            if (width < 1 || width > 2) return false;
            ++fields_;
        }
        if (minute_ > 59 || second_ > 60) return false;
        return take_fraction(fields_ == 3 ? 1 : 60);
    }

    /// hh, hhmm, hhmmss
    bool take_basic_clock(std::int64_t value, int digits) {
        if (digits != 2 && digits != 4 && digits != 6) return false;
        has_clock_ = true;
        fields_ = 3;
        if (digits == 6) second_ = value % 100;
        if (digits == 6) value /= 100;
        if (digits >= 4) minute_ = value % 100;
        if (digits >= 4) value /= 100;
        hour_ = value;
        if (minute_ > 59 || second_ > 60) return false;
        return take_fraction(digits == 6 ? 1 : digits == 4 ? 60 : 3600);
    }

    /// Decimals of the last field of a clock time, whose unit has this many seconds.
    bool take_fraction(std::int64_t unit) {
        if (rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !is_digit(rest_[1])) return true;
        rest_.remove_prefix(1);
        std::int64_t value = 0, scale = attoseconds;
        for (; !rest_.empty() && is_digit(rest_[0]); rest_.remove_prefix(1)) {
            if (scale == 1) continue;
            scale /= 10;
            value += (rest_[0] - '0') * scale;
        }
        if (unit == 1) {
            fraction_ = value;
            return true;
        }
        // A part of a minute or an hour: whole seconds, and what is left to 1e-9 s
        const std::int64_t nano = value / 1'000'000'000 * unit;
        second_ += nano / 1'000'000'000;
        fraction_ = nano % 1'000'000'000 * 1'000'000'000;
        return true;
    }

    bool take_word_or_offset() {
        const char c = rest_[0];
        if (c == '+' || c == '-') return take_offset();
        // +01:00[Europe/Berlin], GMT+0100 (Central European Standard Time)
        if (has_offset_ && ((c == '[' && rest_.ends_with(']')) || (c == '(' && rest_.ends_with(')')))) {
            rest_ = {};
            return true;
        }
        if (!is_letter(c)) return false;
        const std::string_view here = rest_;
        const std::string word = take_letters();
        if (const int month = word == "sept" ? 9 : number_of(months, word); month > 0) return take_month(month);
        if (number_of(weekdays, word) > 0) {
            if (rest_.starts_with('.')) rest_.remove_prefix(1);
            return true;
        }
        if (word == "t" && !rest_.empty() && is_digit(rest_[0])) return after_t_ = true;
        if (word == "st" || word == "nd" || word == "rd" || word == "th") return !parts_.empty();
        if (word == "day" || word == "days") return take_days();
        if (word == "am" || word == "pm") return take_half(word == "pm");
        if ((word == "a" || word == "p") && (rest_ == ".m." || rest_ == ".m")) {
            rest_ = {};
            return take_half(word == "p");
        }
        if (word == "z" || word == "utc" || word == "gmt" || word == "ut") return has_clock_ && (has_offset_ = true);
        // A zone by its name: its offset is not known here
        if (!has_clock_ || has_offset_ || !zone_.empty() || word.size() < 2 || word.size() > 5) return false;
        zone_ = std::string(here.substr(0, word.size()));
        return std::all_of(zone_.begin(), zone_.end(), [](char letter) { return letter >= 'A' && letter <= 'Z'; });
    }

    bool take_month(int month) {
        const bool has_month =
            std::any_of(parts_.begin(), parts_.end(), [](const DatePart& part) { return part.is_month; });
        if (has_month || parts_.size() == 3) return false;
        parts_.push_back({month, 0, true});
        if (rest_.starts_with('.')) rest_.remove_prefix(1);
        if (!rest_.empty() && (rest_[0] == '-' || rest_[0] == '/')) rest_.remove_prefix(1);
        return true;
    }

    /// "2 days" before a clock time.
    bool take_days() {
        if (parts_.size() != 1 || parts_[0].is_month || has_clock_ || parts_[0].digits > 9) return false;
        days_ = parts_[0].value;
        parts_.clear();
        has_clock_ = is_duration_ = true;
        fields_ = 3;
        if (!skip_between()) return true;
        if (!is_digit(rest_[0])) return false;
        has_clock_ = false;
        return true;
    }

    /// am or pm, after a clock time or an hour alone.
    bool take_half(bool is_after_noon) {
        if (has_half_) return false;
        if (!has_clock_) {
            if (parts_.empty() || parts_.back().digits > 2 || parts_.back().is_month) return false;
            hour_ = parts_.back().value;
            parts_.pop_back();
            has_clock_ = true;
        }
        fields_ = 3;
        if (hour_ < 1 || hour_ > 12) return false;
        hour_ = hour_ % 12 + (is_after_noon ? 12 : 0);
        return has_half_ = true;
    }

    /// +01:00, +0100, +01
    bool take_offset() {
        if (!has_clock_ || offset_ != 0) return false;
        const int sign = rest_[0] == '-' ? -1 : 1;
        rest_.remove_prefix(1);
        int digits = 0;
        std::int64_t hours = take_digits_of(digits), minutes = 0;
        if (digits == 4) {
            minutes = hours % 100;
            hours /= 100;
        } else if (digits < 1 || digits > 2) {
            return false;
        } else if (rest_.starts_with(':')) {
            rest_.remove_prefix(1);
            minutes = take_digits_of(digits);
            if (digits != 2) return false;
        }
        if (hours > 18 || minutes > 59) return false;
        offset_ = sign * (hours * 3600 + minutes * 60);
        return has_offset_ = true;
    }

    /// 24:00 is the end of a day; a clock time alone may be a duration of more hours.
    [[nodiscard]] bool settle_clock(bool has_date) const {
        if (!has_date) return true;
        return !is_duration_ && (hour_ < 24 || (hour_ == 24 && minute_ == 0 && second_ == 0 && fraction_ == 0));
    }

    /// Sets what the date means; false if it does not exist.
    bool resolve_date(TimeText& found) const {
        DatesByOrder dates = dates_of(parts_, separator_);
        // Digits before a clock time, 20240531T12, are year, month, day
        if (parts_.size() == 1 && has_clock_) dates[1] = dates[2] = dates[0];
        for (std::size_t o = 0; o < dates.size(); ++o) {
            found.reads[o] = dates[o].has_value();
            if (dates[o]) found.instants[o] = {*dates[o], 0};
        }
        return dates[0] || dates[1] || dates[2];
    }

    std::string_view rest_;
    std::vector<DatePart> parts_;  ///< of the date, in their order
    char separator_ = 0;
    bool after_t_ = false, has_clock_ = false, has_offset_ = false, has_half_ = false, is_duration_ = false;
    std::int64_t days_ = 0, hour_ = 0, minute_ = 0, second_ = 0, fraction_ = 0, offset_ = 0;
    int fields_ = 0;
    std::string zone_;
};

/// All of `text` as a decimal number up to 9e18, exact to 18 digits after the point.
std::optional<Instant> exact_number(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    const std::size_t whole = std::min(text.find_first_not_of("0123456789"), text.size());
    std::string_view rest = text.substr(whole);
    if (whole == 0 || whole > 19) return std::nullopt;
    std::uint64_t seconds = 0;
    for (const char c : text.substr(0, whole)) seconds = seconds * 10 + static_cast<std::uint64_t>(c - '0');
    if (seconds > 9'000'000'000'000'000'000U) return std::nullopt;
    Instant found{static_cast<std::int64_t>(seconds), 0};
    if (rest.starts_with('.')) {
        rest.remove_prefix(1);
        for (std::int64_t scale = attoseconds; !rest.empty() && is_digit(rest[0]); rest.remove_prefix(1)) {
            scale /= 10;
            found.fraction += (rest[0] - '0') * scale;
        }
    }
    if (!rest.empty()) return std::nullopt;
    if (negative) found = Instant{-1, attoseconds} + Instant{-found.seconds, -found.fraction};
    return found;
}

}  // namespace

Instant operator+(Instant a, Instant b) {
    Instant sum{a.seconds + b.seconds, a.fraction + b.fraction};
    while (sum.fraction >= attoseconds) {
        sum.fraction -= attoseconds;
        ++sum.seconds;
    }
    return sum;
}

TimeText parse_time(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    if (text.empty() || text.size() > 100) return {};
    const std::optional<Instant> number = exact_number(text);
    const bool only_digits = text.find_first_not_of("0123456789") == std::string_view::npos;
    if (number && !(only_digits && text.size() == 8)) {
        TimeText found;
        found.form = TimeText::Form::number;
        found.number = *number;
        return found;
    }
    TimeScanner scanner(text);
    TimeText found = scanner.scan() ? scanner.text() : TimeText();
    if (number) {
        found.form = found.form == TimeText::Form::none ? TimeText::Form::number : TimeText::Form::digits;
        found.number = *number;
    }
    double value = 0;
    const std::string copy(text);  // a number ends at a zero byte
    if (found.form == TimeText::Form::none && parse_field(copy, '.', value) && std::abs(value) < 9e18) {
        found.form = TimeText::Form::number;
        found.number.seconds = static_cast<std::int64_t>(std::floor(value));
        found.number.fraction = static_cast<std::int64_t>((value - std::floor(value)) * 1e18);
    }
    return found;
}

}  // namespace dunlin::io
