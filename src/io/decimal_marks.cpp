// SPDX-License-Identifier: Apache-2.0
#include "io/decimal_marks.hpp"

#include <algorithm>
#include <optional>

#include "io/fail.hpp"
#include "io/readers.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

bool is_marked(std::string_view raw, char point) {
    return raw.find(point) != std::string_view::npos && is_number(raw, point);
}

/// A number as groups of three digits with equal separators, and optional decimals after another mark.
struct GroupedDigits {
    char mark = 0;
    int groups = 0;  ///< after the first
    bool decimals = false;
};

std::optional<GroupedDigits> grouped(std::string_view raw) {
    const auto digits = [&raw] {
        const auto count = std::min(raw.find_first_not_of("0123456789"), raw.size());
        raw.remove_prefix(count);
        return count;
    };
    if (!raw.empty() && (raw[0] == '-' || raw[0] == '+')) raw.remove_prefix(1);
    if (raw.empty() || raw[0] == '0') return std::nullopt;
    const std::size_t first = digits();
    if (first < 1 || first > 3 || raw.empty()) return std::nullopt;
    GroupedDigits found;
    constexpr std::string_view hard_blank = "\xc2\xa0", narrow_blank = "\xe2\x80\xaf";
    found.mark = raw[0];
    if (std::string_view(".,' \xc2\xe2").find(found.mark) == std::string_view::npos) return std::nullopt;
    while (!raw.empty() && raw[0] == found.mark) {
        const std::size_t width = raw.starts_with(hard_blank) ? 2 : raw.starts_with(narrow_blank) ? 3 : 1;
        raw.remove_prefix(width);
        if (digits() != 3) return std::nullopt;
        ++found.groups;
    }
    if (found.groups > 0 && !raw.empty() && (raw[0] == '.' || raw[0] == ',')) {
        raw.remove_prefix(1);
        found.decimals = digits() > 0;
    }
    return raw.empty() && found.groups > 0 ? std::optional(found) : std::nullopt;
}

/// The decimal marks in columns of numbers.
struct Marks {
    std::string_view comma = {}, point = {};  ///< an example of each mark; empty: none
    bool thousands = true;                    ///< every comma could separate thousands
    std::string_view mixed = {};              ///< a number of a column whose marks separate thousands by all signs
};

/// A number of a column in which every mark precedes three digits beside whole numbers of fewer than four, and the
/// whole numbers are larger than what precedes the marks, or some of the digits end with 0: 1.050, 971, 3.628. Decimals
/// that are written without their last zeros do not look so. Empty: it is none.
std::string_view grouped_among_whole(const std::vector<RawRow>& rows, std::size_t column) {
    std::string_view example;
    int largest_whole = -1, largest_before = -1;
    bool ends_with_zero = false;
    for (const RawRow& row : rows) {
        if (column >= row.size() || is_missing(row[column])) continue;
        std::string_view raw = row[column];
        if (raw.starts_with('-') || raw.starts_with('+')) raw.remove_prefix(1);
        const std::size_t mark = raw.find_first_of(".,");
        const std::string_view before = raw.substr(0, mark);
        constexpr std::size_t of_group = 3;
        if (!is_whole(before) || before.size() > of_group) continue;  // a word, or a larger number without a mark
        int number = 0;
        for (const char digit : before) number = number * 10 + (digit - '0');
        if (mark == std::string_view::npos) {
            largest_whole = std::max(largest_whole, number);
            continue;
        }
        const std::optional<GroupedDigits> found = grouped(raw);
        if (!found || found->groups > 1 || found->decimals) return {};
        largest_before = std::max(largest_before, number);
        ends_with_zero = ends_with_zero || raw.back() == '0';
        if (example.empty()) example = row[column];
    }
    const bool are_mixed = largest_whole >= 0 && (largest_whole > largest_before || ends_with_zero);
    return are_mixed ? example : std::string_view{};
}

Marks marks_of(const std::vector<RawRow>& rows) {
    Marks marks;
    std::size_t width = 0;
    for (const RawRow& row : rows) width = std::max(width, row.size());
    for (std::size_t c = 0; c < width; ++c) {
        std::size_t numbers = 0, words = 0;
        for (const RawRow& row : rows) {
            if (c < row.size() && !is_missing(row[c])) ++(any_number(row[c]) ? numbers : words);
        }
        if (numbers < words) continue;
        if (marks.mixed.empty()) marks.mixed = grouped_among_whole(rows, c);
        for (const RawRow& row : rows) {
            if (c >= row.size()) continue;
            const std::string_view raw = row[c];
            if (is_marked(raw, '.') && marks.point.empty()) marks.point = raw;
            if (!is_marked(raw, ',')) continue;
            if (marks.comma.empty()) marks.comma = raw;
            marks.thousands = marks.thousands && grouped(raw).has_value();
        }
    }
    return marks;
}

}  // namespace

bool any_number(std::string_view raw) { return is_number(raw, '.') || is_number(raw, ','); }

bool is_grouped(std::string_view raw) {
    const std::optional<GroupedDigits> found = grouped(raw);
    return found && (found->decimals || (found->groups > 1 && found->mark != ' '));
}

bool has_digit_groups(std::string_view raw) { return grouped(raw).has_value(); }

bool has_thousands(std::string_view raw, char point) {
    const std::optional<GroupedDigits> found = grouped(raw);
    return found && (is_grouped(raw) || (found->mark != point && found->mark != ' '));
}

bool has_other_point(std::string_view raw, char point) { return is_marked(raw, point == '.' ? ',' : '.'); }

char point_of(const Bytes& bytes, Dialect dialect, const std::vector<RawRow>& rows) {
    const Marks marks = marks_of(rows);
    if (!marks.mixed.empty()) {
        bad_file(
            "{}: the mark of '{}' may separate thousands, as whole numbers stand beside such numbers in its column; "
            "take thousands separators out, or say that it marks decimals (decimal: point or comma)",
            at_line(bytes.name(), line_of(bytes, marks.mixed.data())), shown(marks.mixed));
    }
    if (marks.comma.empty()) return dialect.point;
    const std::size_t line = line_of(bytes, marks.comma.data());
    if (!marks.point.empty()) {
        bad_file(
            "{}: '{}' has a decimal comma and '{}' in line {} a decimal point; write all numbers alike, or say "
            "which is the mark (decimal: comma or point)",
            at_line(bytes.name(), line), shown(marks.comma), shown(marks.point), line_of(bytes, marks.point.data()));
    }
    // Semicolons as delimiters imply decimal commas
    if (marks.thousands && dialect.delimiter != ';') {
        bad_file(
            "{}: the comma of '{}' may mark decimals or thousands; say decimal: comma, or take thousands "
            "separators out",
            at_line(bytes.name(), line), shown(marks.comma));
    }
    return ',';
}

}  // namespace dunlin::io
