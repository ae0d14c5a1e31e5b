// SPDX-License-Identifier: Apache-2.0
#include "io/table_header.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "io/decimal_marks.hpp"
#include "io/dialect.hpp"
#include "io/field_reader.hpp"
#include "io/id_titles.hpp"
#include "io/number.hpp"
#include "io/table_schema.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

template <class Names>
bool among(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), lower(name)) != names.end();
}

}  // namespace

bool is_class_name(std::string_view name) { return among(label_names, name) || is_group_name(name); }

bool is_group_name(std::string_view name) { return among(group_names, name); }

namespace {

/// Includes numbers with thousands separators, which the reader rejects later.
bool is_like_number(std::string_view raw, char point) { return is_number(raw, point) || has_thousands(raw, point); }

/// Whether the names are 0, 1, ..., as pandas writes them; the column of row names may be unnamed.
bool counts_columns(const RawRow& first) {
    const std::size_t unnamed = first[0].empty() ? 1 : 0;
    if (first.size() < unnamed + (unnamed > 0 ? 1 : 3)) return false;
    for (std::size_t c = unnamed; c < first.size(); ++c) {
        if (!is_integer(first[c], c - unnamed)) return false;
    }
    return true;
}

/// Whether a name is usual for labels or ids.
bool is_familiar(std::string_view name) { return among(label_names, name) || (!name.empty() && among(id_names, name)); }

/// Whether whole numbers beside an empty corner, or one that is a title of ids, stand above rows with ids of their own.
bool has_corner(const RawRow& first, const std::vector<RawRow>& body) {
    const std::string corner = unquoted(first[0]);
    if (first.size() < 2 || body.empty() || !(corner.empty() || is_id_title(corner))) return false;
    std::set<std::string_view> ids;
    return std::all_of(first.begin() + 1, first.end(), [](auto field) { return is_whole(unquoted(field)); }) &&
           std::all_of(body.begin(), body.end(), [&](const RawRow& row) {
               return row.size() != first.size() || (!unquoted(row[0]).empty() && ids.insert(row[0]).second);
           });
}

/// Whether words of the first row stand above columns of numbers, and it has no number.
bool is_certain_header(const RawRow& first, const std::vector<RawRow>& body, char point) {
    if (counts_columns(first)) return true;
    const auto number = [point](std::string_view field) { return is_number(field, point); };
    const bool counts = std::none_of(first.begin(), first.end(), [&](std::string_view field) {
        return number(field) && field.find_first_not_of("0123456789") != std::string_view::npos;
    });
    // Columns may be named 1, 2, ..., with one named label
    if (counts && std::any_of(first.begin(), first.end(), is_familiar)) return true;
    if (std::any_of(first.begin(), first.end(), number)) return false;
    for (std::size_t c = 0; c < first.size(); ++c) {
        const ColumnContent kind = content_of(body, c, point);
        if (is_word(first[c], point) && kind.numbers > kind.words) return true;
    }
    return false;
}

/// A first row of numbers, and the columns of numbers below it.
struct NumberedRow {
    std::vector<double> first;
    std::vector<std::vector<double>> body;  ///< rows whose cells in these columns are all numbers
    bool has_words = false;                 ///< words above other columns
};

/// Empty if the first row has words above numbers, or numbers above words.
NumberedRow numbered(const RawRow& first, const std::vector<RawRow>& body, char point) {
    NumberedRow row;
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < first.size(); ++c) {
        const ColumnContent content = content_of(body, c, point);
        double value = 0;
        const bool is_number = parse_field(first[c], point, value);
        if (is_number != (content.numbers > content.words)) {
            row.first.clear();
            row.has_words = false;
            return row;
        }
        if (is_number) {
            columns.push_back(c);
            row.first.push_back(value);
        }
        row.has_words = row.has_words || (!is_number && !first[c].empty());
    }
    for (const RawRow& raw : body) {
        progress::cancellation_point();
        std::vector<double> values;
        for (const std::size_t c : columns) {
            double value = 0;
            if (c < raw.size() && parse_field(raw[c], point, value)) values.push_back(value);
        }
        if (values.size() == columns.size()) row.body.push_back(std::move(values));
    }
    return row;
}

bool is_whole_number(double value) { return value == std::floor(value); }

/// Whether numbers rise or fall by equal steps.
bool is_progression(const std::vector<double>& values) {
    if (values.size() < 3) return false;
    const double step = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
    if (step == 0) return false;
    for (std::size_t i = 1; i < values.size(); ++i) {
        if (std::abs(values[i] - values[i - 1] - step) > 1e-6 * std::abs(step)) return false;
    }
    return true;
}

bool are_years(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](double value) { return is_whole_number(value) && value >= 1500 && value <= 2200; });
}

bool rise(const std::vector<double>& values) {
    return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

bool differ(const std::vector<double>& values) {
    return std::set<double>(values.begin(), values.end()).size() == values.size();
}

/// Whether all values of the first row are beyond those below.
bool is_beyond(const NumberedRow& row) {
    const auto [low, high] = std::minmax_element(row.first.begin(), row.first.end());
    return std::all_of(row.body.begin(), row.body.end(), [&, low = *low, high = *high](const auto& values) {
        return std::all_of(values.begin(), values.end(), [=](double value) { return value < low || value > high; });
    });
}

/// Whether whole numbers stand above rows that have fractions, most of whose values are fractions.
bool is_above_fractions(const NumberedRow& row) {
    if (!std::all_of(row.first.begin(), row.first.end(), is_whole_number)) return false;
    std::ptrdiff_t fractions = 0;
    for (const std::vector<double>& values : row.body) {
        const auto here =
            std::count_if(values.begin(), values.end(), [](double value) { return !is_whole_number(value); });
        if (here == 0) return false;
        fractions += here;
    }
    const auto all = static_cast<std::ptrdiff_t>(row.body.size() * row.first.size());
    return fractions * 5 >= all * 4;
}

/// Whether numbers of a first row could be names of columns.
bool could_be_names(const RawRow& first, char point) {
    std::vector<double> values;
    for (const std::string_view raw : first) {
        double value = 0;
        if (parse_field(raw, point, value)) values.push_back(value);
    }
    if (values.size() < 2) return false;
    return is_progression(values) || (std::all_of(values.begin(), values.end(), is_whole_number) && differ(values));
}

/// A first row of numbers that may be names of columns: years, wavelengths, 1, 2, 3.
FirstRow kind_of_numbers(const NumberedRow& row) {
    const std::size_t columns = row.first.size();
    if (columns < 2 || row.body.empty()) return FirstRow::values;
    const auto none = [&row](auto is) { return std::none_of(row.body.begin(), row.body.end(), is); };
    const bool fractions = is_above_fractions(row);
    if (are_years(row.first) && rise(row.first) && none(are_years)) {
        const bool differs = row.has_words || columns > 2 || fractions || is_beyond(row);
        return differs ? FirstRow::likely_header : FirstRow::likely_values;
    }
    if (is_progression(row.first) && !std::all_of(row.body.begin(), row.body.end(), is_progression)) {
        if (fractions || is_beyond(row)) return FirstRow::likely_header;
        return columns > 3 && none(is_progression) ? FirstRow::likely_values : FirstRow::values;
    }
    const bool differs = fractions && row.body.size() > 2 && differ(row.first);
    return differs ? FirstRow::likely_values : FirstRow::values;
}

/// Whether words stand above columns of numbers beside whole numbers, such as "x,y,1990".
bool has_words_above_numbers(const RawRow& first, const std::vector<RawRow>& body, char point) {
    bool found = false;
    for (std::size_t c = 0; c < first.size(); ++c) {
        const bool letters = !first[c].empty() && !is_digit(first[c][0]) && is_word(first[c], point) &&
                             first[c].find_first_of("$%<>+-") == std::string_view::npos;
        if (letters && !found) {
            const ColumnContent content = content_of(body, c, point);
            found = content.words == 0 && content.numbers > 1;
        }
        double value = 0;
        if (parse_field(first[c], point, value) && !is_whole_number(value)) return false;
    }
    return found;
}

}  // namespace

ColumnContent content_of(const std::vector<RawRow>& rows, std::size_t column, char point) {
    progress::cancellation_point();
    ColumnContent kind;
    for (const RawRow& row : rows) {
        if (column >= row.size()) continue;
        if (is_like_number(row[column], point))
            ++kind.numbers;
        else if (!is_missing(row[column]))
            ++kind.words;
        else if (row[column].empty())
            ++kind.empty;
    }
    return kind;
}

std::size_t usual_width(const std::vector<RawRow>& rows) {
    std::map<std::size_t, std::size_t> times;
    for (const RawRow& row : rows) ++times[row.size()];
    const auto usual =
        std::max_element(times.begin(), times.end(), [](auto& a, auto& b) { return a.second < b.second; });
    return usual == times.end() ? 0 : usual->first;
}

bool is_integer(std::string_view raw, std::size_t value) {
    std::size_t parsed = 0;
    const auto done = std::from_chars(raw.data(), raw.data() + raw.size(), parsed);
    return done.ec == std::errc() && done.ptr == raw.data() + raw.size() && parsed == value;
}

bool is_word(std::string_view raw, char point) { return !is_like_number(raw, point) && !is_missing(raw); }

bool is_class_line(const RawRow& first, const std::vector<RawRow>& body, char point) {
    const std::size_t width = usual_width(body);
    return first.size() > 2 && is_number(first[0], point) && width > 1 && is_integer(first[1], width - 1) &&
           std::all_of(first.begin() + 2, first.end(),
                       [point](std::string_view field) { return is_word(field, point); }) &&
           std::all_of(body.begin(), body.end(),
                       [width](const RawRow& row) { return row.size() != width || is_whole(row.back()); });
}

FirstRow kind_of_first_row(const RawRow& first, const std::vector<RawRow>& body, char point) {
    if (is_certain_header(first, body, point)) {
        const bool counts = counts_columns(first) && !first[0].empty();  // 0, 1, 2 could be values
        return counts ? FirstRow::likely_header : FirstRow::header;
    }
    if (has_corner(first, body)) return FirstRow::likely_header;
    constexpr std::ptrdiff_t enough = 16;
    const std::vector<RawRow> some(body.begin(), body.begin() + std::min(std::ssize(body), enough));
    if (has_words_above_numbers(first, some, point)) return FirstRow::likely_header;
    return could_be_names(first, point) ? kind_of_numbers(numbered(first, some, point)) : FirstRow::values;
}

bool has_row_names(const RawRow& first, const std::vector<RawRow>& body, char point) {
    if (first.size() + 1 != usual_width(body)) return false;
    const ColumnContent kind = content_of(body, 0, point);
    return kind.words > kind.numbers || body[0][0] == "1";
}

}  // namespace dunlin::io
