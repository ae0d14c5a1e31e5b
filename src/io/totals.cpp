// SPDX-License-Identifier: Apache-2.0
#include "io/totals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "io/decimal_marks.hpp"
#include "io/fail.hpp"
#include "io/table_rows.hpp"

namespace dunlin::io {

namespace {

/// Words that rows of totals begin with, in small letters.
constexpr auto words = std::to_array<std::string_view>(
    {"total",   "totals",  "grand total", "subtotal",   "sum",          "sums",    "mean",        "means",
     "average", "avg",     "averages",    "min",        "max",          "minimum", "maximum",     "sd",
     "std",     "stddev",  "st. dev",     "std. dev.",  "gesamt",       "summe",   "gesamtsumme", "insgesamt",
     "somme",   "moyenne", "media",       "promedio",   "suma",         "totaal",  "som",         "gemiddelde",
     "totale",  "somma",   "mittel",      "mittelwert", "durchschnitt", "overall", "all",         "\xce\xa3"});

/// What a row of totals may say of a column.
struct ColumnSums {
    double count = 0, sum = 0, squares = 0, magnitude = 0;
    double least = std::numeric_limits<double>::infinity(), most = -least;

    void add(double value) {
        if (!std::isfinite(value)) return;
        ++count;
        sum += value;
        squares += value * value;
        magnitude += std::abs(value);
        least = std::min(least, value);
        most = std::max(most, value);
    }

    /// Whether a number that is rounded to 1/1000 of the values is one of the column's statistics. unit: of its last
    /// digit.
    [[nodiscard]] bool explain(double value, double unit) const {
        if (count < 2) return false;
        const double mean = sum / count;
        const double deviations = std::max(0.0, squares - sum * mean);
        const auto is = [&](double statistic, double size) {
            return std::abs(value - statistic) <= 1e-3 * size + 0.51 * unit;
        };
        return is(sum, magnitude) || is(mean, magnitude / count) || value == least || value == most ||
               is(std::sqrt(deviations / count), std::sqrt(deviations / count)) ||
               is(std::sqrt(deviations / (count - 1)), std::sqrt(deviations / (count - 1)));
    }
};

/// The unit of the last digit of a number without an exponent.
double unit_of(std::string_view raw, char point) {
    const std::size_t mark = raw.find(point);
    if (mark == raw.npos) return raw.find_first_of("eE") == raw.npos ? 1 : 0;
    const std::size_t decimals = std::min(raw.find_first_not_of("0123456789", mark + 1), raw.size()) - mark - 1;
    return std::pow(10.0, -static_cast<double>(decimals));
}

struct LastRow {
    const char* from;
    RawRow cells;
};

/// The row at the end of [begin, end); lines that are empty are none.
std::optional<LastRow> last_row(const Bytes& bytes, const TableSchema& schema, const char* end) {
    const char* const begin = schema.body;
    const auto ends_line = [](char c) { return c == '\n' || c == '\r'; };
    while (end > begin && (ends_line(end[-1]) || end[-1] == ' ')) --end;
    const char* from = end;
    while (from > begin && !ends_line(from[-1])) --from;
    if (from == begin) return std::nullopt;
    FieldReader fields(bytes, schema.dialect, from, false);
    return LastRow{from, raw_fields(fields)};
}

bool begins_with_total(const RawRow& cells) {
    std::string word = lower(unquoted(cells.front()));
    while (!word.empty() && (word.back() == ':' || word.back() == ' ')) word.pop_back();
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// The rows at the end that begin with such words, from the last one on; none that a spreadsheet would not write.
std::vector<LastRow> candidates(const Bytes& bytes, const TableSchema& schema) {
    constexpr std::size_t most = 8;
    std::vector<LastRow> found;
    const char* end = bytes.end();
    while (found.size() < most) {
        std::optional<LastRow> row = last_row(bytes, schema, end);
        if (!row || row->cells.size() != schema.roles.size() || !begins_with_total(row->cells)) break;
        end = row->from;
        found.push_back(std::move(*row));
    }
    return found;
}

std::vector<ColumnSums> sums_of(const Bytes& bytes, const TableSchema& schema) {
    TableRows rows(bytes, schema, Gaps::kept);
    std::vector<ColumnSums> sums(rows.width());
    while (rows.next()) {
        for (std::size_t n = 0; n < sums.size(); ++n) sums[n].add(rows.numbers()[n]);
    }
    return sums;
}

/// Whether every number of a row is a statistic of its column.
bool is_total(const RawRow& cells, const TableSchema& schema, const std::vector<ColumnSums>& sums) {
    bool has_some = false;
    std::size_t n = 0;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        if (schema.roles[c] != ColumnRole::number) continue;
        const ColumnSums& column = sums[n++];
        double value = 0;
        if (c == 0 || is_missing(cells[c])) continue;
        const bool is_explained = parse_field(cells[c], schema.dialect.point, value) &&
                                  column.explain(value, unit_of(cells[c], schema.dialect.point));
        if (!is_explained) return false;
        has_some = true;
    }
    return has_some;
}

}  // namespace

Bytes without_totals(const Bytes& bytes, TableSchema& schema) {
    const std::vector<LastRow> rows = candidates(bytes, schema);
    if (rows.empty()) return bytes;
    const auto cut = static_cast<std::size_t>(rows.back().from - bytes.begin());
    Bytes rest(bytes.owner(), cut, bytes.name());
    rest.say(bytes.said());
    TableSchema numbers = schema;
    if (schema.roles[0] == ColumnRole::number) numbers.roles[0] = ColumnRole::skipped;
    const std::vector<ColumnSums> sums = sums_of(rest, numbers);
    const bool are_totals =
        std::all_of(rows.begin(), rows.end(), [&](const LastRow& row) { return is_total(row.cells, numbers, sums); });
    const std::string first = shown(unquoted(rows.back().cells.front()));
    if (!are_totals) {
        schema.notes.push_back(
            {fmt::format("read with '{}' at its end as a row like others, as its numbers are not all "
                         "totals of the columns; remove it if it is none",
                         first),
             ""});
        return bytes;
    }
    schema.notes.push_back({fmt::format("read without the last {}, '{}'{}, which has totals of the columns",
                                        rows.size() == 1 ? "row" : fmt::format("{} rows", rows.size()), first,
                                        rows.size() == 1 ? "" : " and so on"),
                            ""});
    std::erase_if(schema.sample, [&](const RawRow& row) { return row.front().data() >= rest.end(); });
    return rest;
}

}  // namespace dunlin::io
