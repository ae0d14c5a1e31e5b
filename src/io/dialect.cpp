// SPDX-License-Identifier: Apache-2.0
#include "io/dialect.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "io/decimal_marks.hpp"
#include "io/fail.hpp"
#include "io/readers.hpp"
#include "io/shift.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

constexpr std::array<Dialect, 10> dialects = {{{'\t', '.'},
                                               {',', '.'},
                                               {';', '.'},
                                               {' ', '.'},
                                               {'|', '.'},
                                               {';', ','},
                                               {'\t', ','},
                                               {',', ','},
                                               {' ', ','},
                                               {'|', ','}}};

bool is_quoted(const Bytes& bytes, std::string_view raw) {
    return raw.data() != bytes.begin() && raw.data()[-1] == '"';
}

/// Number of numbers in a field with marks of another delimiter, at which the row should have been split.
std::ptrdiff_t torn_numbers(const Bytes& bytes, std::string_view raw, char delimiter) {
    const std::string_view marks = delimiter == '|' ? ";\t," : ";\t|";
    if (raw.find_first_of(marks) == std::string_view::npos || is_quoted(bytes, raw)) return 0;
    std::ptrdiff_t numbers = 0;
    for (std::size_t cut = 0; cut != std::string_view::npos; raw.remove_prefix(std::min(raw.size(), cut + 1))) {
        cut = raw.find_first_of(marks);
        numbers += any_number(raw.substr(0, cut)) ? 1 : 0;
    }
    return numbers;
}

struct DialectScore {
    std::ptrdiff_t numbers = 0, rows = 0;
    auto operator<=>(const DialectScore&) const = default;
};

std::vector<RawRow> first_rows(const Bytes& bytes, Dialect dialect, const char* from) {
    constexpr std::size_t most = 32, enough = 1 << 16;
    FieldReader fields(bytes, dialect, from, false);
    std::vector<RawRow> rows;
    while (rows.size() < most && (rows.size() < 2 || static_cast<std::size_t>(fields.at() - from) < enough)) {
        RawRow row = raw_fields(fields);
        if (row.empty()) break;
        rows.push_back(std::move(row));
    }
    return rows;
}

/// Whether a dialect is a candidate. With decimal commas, blanks are a delimiter only if all fields are numbers.
bool is_plausible(Dialect dialect, const std::vector<RawRow>& rows, Decimal decimal) {
    if (decimal != Decimal::automatic && dialect.point != (decimal == Decimal::comma ? ',' : '.')) return false;
    if (dialect.point == '.') return true;
    const auto number = [](std::string_view raw) { return is_missing(raw) || is_number(raw, ','); };
    const auto numbers = [&](const RawRow& row) { return std::all_of(row.begin(), row.end(), number); };
    if (dialect.delimiter == ' ' && decimal == Decimal::automatic)
        return !rows.empty() && std::all_of(rows.begin() + (rows.size() > 1 ? 1 : 0), rows.end(), numbers);
    const auto marked = [](const RawRow& row) {
        return std::any_of(row.begin(), row.end(), [](std::string_view raw) { return has_other_point(raw, '.'); });
    };
    return dialect.delimiter != ',' || std::any_of(rows.begin(), rows.end(), marked);
}

/// Whether a field holds several numbers between blanks, which no thousands separator explains.
bool holds_row_of_numbers(std::string_view raw) {
    if (raw.find_first_of(" \t") == std::string_view::npos || has_digit_groups(raw)) return false;
    while (!raw.empty()) {
        const std::size_t cut = std::min(raw.find_first_of(" \t"), raw.size());
        if (cut > 0 && !any_number(raw.substr(0, cut))) return false;
        raw.remove_prefix(std::min(raw.size(), cut + 1));
    }
    return true;
}

DialectScore score_of(const Bytes& bytes, Dialect dialect, const std::vector<RawRow>& rows, Decimal decimal) {
    DialectScore score;
    for (const RawRow& row : rows) {
        for (const std::string_view raw : row) {
            const bool thousands = decimal == Decimal::automatic ? is_grouped(raw) : has_thousands(raw, dialect.point);
            const bool number = is_number(raw, dialect.point) || thousands;
            score.numbers += number ? 1 : -torn_numbers(bytes, raw, dialect.delimiter);
            // 1,5 2,5
            if (dialect.delimiter == ',' && raw.find('.') == std::string_view::npos && holds_row_of_numbers(raw))
                --score.numbers;
        }
        if (dialect.delimiter != ' ' && row.size() > 1 && row.size() == rows.front().size()) ++score.rows;
    }
    return score;
}

/// Whether a delimiter splits all rows alike, a first row without a name of the row names apart.
bool splits_alike(const std::vector<RawRow>& rows) {
    if (rows.empty()) return false;
    const std::size_t width = rows.back().size();
    const std::size_t fewer = rows.size() > 1 && rows.front().size() + 1 == width ? 1 : 0;
    const bool is_alike = std::all_of(rows.begin() + static_cast<std::ptrdiff_t>(fewer), rows.end(),
                                      [width](const RawRow& row) { return row.size() == width; });
    const bool only_trails = width == 2 && std::all_of(rows.begin(), rows.end(), [](const RawRow& row) {
                                 return row.size() > 1 && row[1].empty();
                             });
    return is_alike && width - fewer > 1 && !only_trails;
}

/// Numbers among the fields, also with thousands separators.
std::ptrdiff_t numbers_in(const std::vector<RawRow>& rows) {
    std::ptrdiff_t numbers = 0;
    for (const RawRow& row : rows)
        numbers +=
            std::count_if(row.begin(), row.end(), [](auto raw) { return any_number(raw) || has_digit_groups(raw); });
    return numbers;
}

/// Whether both ends of all edges hold a mark, as in "Paris,FR Lyon,FR 0.5".
bool ends_hold(char mark, const std::vector<RawRow>& by_blanks) {
    const auto holds = [mark](std::string_view raw) {
        const std::size_t at = raw.find(mark);
        return at != raw.npos && at > 0 && raw.back() != mark;
    };
    return std::all_of(by_blanks.begin(), by_blanks.end(), [&](const RawRow& row) {
        return row.size() > 1 && holds(row[0]) && holds(row[1]) && (row.size() == 2 || any_number(row[2]));
    });
}

/// Whether blanks are part of the text, as another delimiter splits all rows alike. Blanks separate columns
/// nevertheless where they part a row of numbers, or decimal commas.
bool blanks_are_text(const Bytes& bytes, Dialect blanks, const std::vector<RawRow>& by_blanks, const char* from,
                     Decimal decimal) {
    const std::string extension = extension_of(bytes.name());
    for (const char delimiter : {'\t', ';', '|', ','}) {
        if (delimiter == ',' && decimal == Decimal::comma) continue;
        std::vector<RawRow> rows = first_rows(bytes, {delimiter, '.'}, from);
        std::erase_if(rows, [](const RawRow& row) { return row[0].starts_with('#') || row[0].starts_with('%'); });
        if (!splits_alike(rows)) continue;
        const bool is_named = delimiter == '\t' ? extension == ".tsv" : extension == ".csv" && delimiter != '|';
        const bool has_rows_of_numbers = std::any_of(rows.begin(), rows.end(), [](const RawRow& row) {
            return std::any_of(row.begin(), row.end(), holds_row_of_numbers);
        });
        if (has_rows_of_numbers && !(is_named && delimiter != '\t' && blanks.point == '.')) continue;
        if (is_named) return true;
        const bool blanks_split = splits_alike(by_blanks) && by_blanks.front().size() == by_blanks.back().size();
        if (delimiter == ',' && blanks.point == ',' && blanks_split) continue;
        if (blanks_split && ends_hold(delimiter, by_blanks)) continue;
        std::ptrdiff_t fields = 0;
        for (const RawRow& row : by_blanks) fields += std::ssize(row);
        if (blanks_split && numbers_in(rows) == 0 && 2 * numbers_in(by_blanks) > fields) continue;
        return true;
    }
    return false;
}

}  // namespace

DecimalColumn column_of_decimals(const Bytes& bytes, const char* from) {
    std::vector<RawRow> rows = first_rows(bytes, one_column, from);
    if (rows.size() < 2 || any_number(rows[0][0]) || rows[0][0].find(',') != std::string_view::npos)
        return DecimalColumn::none;
    std::set<std::string_view> before;
    std::size_t marked = 0;
    for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
        const std::string_view raw = row->front();
        if (!is_missing(raw) && (!is_number(raw, ',') || is_quoted(bytes, raw))) return DecimalColumn::none;
        if (!has_other_point(raw, '.')) continue;
        ++marked;
        before.insert(raw.substr(0, raw.find(',')));
    }
    if (marked == 0) return DecimalColumn::none;
    const bool may_name_rows = marked + 1 == rows.size() && before.size() == marked && rows[1][0].starts_with("1,");
    if (may_name_rows) return DecimalColumn::possible;
    point_of(bytes, one_column, rows);
    return DecimalColumn::certain;
}

std::optional<DelimiterLine> delimiter_line(const Bytes& bytes) {
    std::string_view head = bytes.view().substr(0, 64);
    if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
    const bool quoted = head.starts_with('"');
    if (quoted) head.remove_prefix(1);
    constexpr std::string_view word = "sep=";
    if (head.size() <= word.size() || lower(head.substr(0, word.size())) != word) return std::nullopt;
    const char mark = head[word.size()];
    head.remove_prefix(word.size() + 1);
    if (quoted && head.starts_with('"')) head.remove_prefix(1);
    const bool ends = head.empty() || head.starts_with('\n') || head.starts_with('\r');
    if (!ends) return std::nullopt;
    const auto known = [mark](Dialect dialect) { return dialect.delimiter == mark; };
    if (std::none_of(dialects.begin(), dialects.end(), known)) {
        bad_file("{}: the line names the delimiter '{}', which is not read; use a comma, a semicolon, a tab or '|'",
                 at_line(bytes.name(), 1), shown(std::string_view(&mark, 1)));
    }
    head.remove_prefix(head.starts_with("\r\n") ? 2 : head.empty() ? 0 : 1);
    return DelimiterLine{mark, head.data()};
}

std::vector<RawRow> sample_rows(const Bytes& bytes, Dialect dialect, const char* from, std::size_t width) {
    const auto probes = static_cast<std::size_t>(sample_size(width));
    std::vector<RawRow> rows;
    const char* unseen = from;
    for (std::size_t i = 0; i < probes; ++i) {
        const char* p = from + static_cast<std::size_t>(bytes.end() - from) / probes * i;
        if (i > 0) p = std::find(p, bytes.end(), '\n');
        if (p < unseen) p = unseen;
        FieldReader fields(bytes, dialect, p, false);
        RawRow row = raw_fields(fields);
        if (row.empty()) break;
        rows.push_back(std::move(row));
        unseen = fields.at();
    }
    return rows;
}

Dialect choose_dialect(const Bytes& bytes, const char* from, Decimal decimal) {
    Dialect chosen{',', decimal == Decimal::comma ? ',' : '.'};
    DialectScore best;
    const std::optional<DelimiterLine> named = delimiter_line(bytes);
    if (named) chosen.delimiter = named->delimiter;
    for (const Dialect dialect : dialects) {
        if (named && dialect.delimiter != named->delimiter) continue;
        const std::vector<RawRow> rows = first_rows(bytes, dialect, from);
        if (!is_plausible(dialect, rows, decimal)) continue;
        if (dialect.delimiter == ' ' && blanks_are_text(bytes, dialect, rows, from, decimal)) continue;
        const DialectScore score = score_of(bytes, dialect, rows, decimal);
        if (score > best) {
            best = score;
            chosen = dialect;
        }
    }
    if (decimal != Decimal::automatic) return chosen;
    std::vector<RawRow> rows = first_rows(bytes, chosen, from);
    if (rows.empty()) return chosen;
    const std::size_t width = rows.front().size();
    for (RawRow& row : sample_rows(bytes, chosen, from, width)) rows.push_back(std::move(row));
    chosen.point = point_of(bytes, chosen, rows);
    return chosen;
}

std::string description(Dialect dialect) {
    if (dialect.point == '.') return "";
    if (dialect.delimiter == one_column.delimiter) return "decimal commas in one column";
    const char* const separator = dialect.delimiter == ';'    ? "semicolons"
                                  : dialect.delimiter == '\t' ? "tabs"
                                  : dialect.delimiter == ' '  ? "blanks"
                                  : dialect.delimiter == '|'  ? "pipes"
                                                              : "commas";
    return fmt::format("decimal commas, columns separated by {}", separator);
}

std::vector<Note> notes_of(Dialect dialect, Decimal decimal) {
    if (decimal != Decimal::automatic || dialect.point == '.') return {};
    return {{"read with " + description(dialect), "decimal"}};
}

}  // namespace dunlin::io
