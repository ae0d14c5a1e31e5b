// SPDX-License-Identifier: Apache-2.0
#include "io/square_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "io/fail.hpp"
#include "io/number.hpp"
#include "io/table_schema.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

using Names = std::vector<std::string>;

/// What programs write before the number of a row or column without a name.
constexpr std::array<std::string_view, 12> stems = {"",    "v",   "x",         "c",   "col", "column",
                                                    "var", "...", "unnamed: ", "row", "r",   "item"};

/// Whether names only count: 0, 1, ..; 1, 2, ..; V1, V2, ..
bool count_up(const Names& names) {
    const auto stem_of = [](std::string_view name) { return name.substr(0, name.find_last_not_of("0123456789") + 1); };
    const std::string_view stem = stem_of(names.front());
    if (std::find(stems.begin(), stems.end(), lower(stem)) == stems.end()) return false;
    std::size_t next = names.front().substr(stem.size()).find_first_not_of('0') == std::string::npos ? 0 : 1;
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        std::size_t number = 0;
        const char *const digits = name.data() + stem_of(name).size(), *const end = name.data() + name.size();
        const auto parsed = std::from_chars(digits, end, number);
        return stem_of(name) == stem && parsed.ec == std::errc() && number == next++;
    });
}

bool are_blank(const Names& names) {
    return std::all_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); });
}

/// A name as R writes it above a column: a point for what is no letter, digit or underscore, and an X before a digit.
std::string as_in_r(const std::string& name) {
    std::string made;
    for (const char c : name) {
        const bool is_kept = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                             static_cast<unsigned char>(c) > 127;
        made += is_kept ? c : '.';
    }
    const bool starts_well = !made.empty() && !is_digit(made[0]) && made[0] != '_' &&
                             !(made[0] == '.' && made.size() > 1 && is_digit(made[1]));
    return starts_well && !(name[0] != '.' && made[0] == '.') ? made : "X" + made;
}

/// The column that has the name of each row; empty if not all are columns.
std::vector<Index> order_of(const Names& rows, const Names& columns) {
    std::unordered_map<std::string_view, Index> column_of;
    for (std::size_t c = 0; c < columns.size(); ++c) column_of.emplace(columns[c], static_cast<Index>(c));
    std::vector<Index> order;
    std::vector<bool> taken(columns.size());
    for (const std::string& name : rows) {
        const auto found = column_of.find(name);
        if (found == column_of.end() || taken[at(found->second)]) return {};
        taken[at(found->second)] = true;
        order.push_back(found->second);
    }
    return order;
}

}  // namespace

SquareNames square_names(Names rows, Names columns, const std::string& file) {
    if (columns.empty() || are_blank(columns) || rows == columns) return {std::move(rows)};
    if (rows.empty() || are_blank(rows)) return {std::move(columns)};
    if (std::vector<Index> order = order_of(rows, columns); !order.empty()) return {std::move(rows), std::move(order)};
    if (count_up(columns)) return {std::move(rows)};
    if (count_up(rows)) return {std::move(columns)};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (columns[i] == rows[i] || columns[i] == as_in_r(rows[i])) continue;
        std::string complaint =
            fmt::format("'{}': row {} is called '{}' and column {} '{}'; give rows and columns the same names", file,
                        i + 1, shown(rows[i]), i + 1, shown(columns[i]));
        return {std::move(rows), {}, std::move(complaint)};
    }
    return {std::move(rows)};
}

void permute_columns(std::vector<float>& values, const std::vector<Index>& columns) {
    const std::size_t n = columns.size();
    std::vector<float> row(n);
    for (std::size_t i = 0; i < n; ++i) {
        progress::cancellation_point();
        float* const there = values.data() + i * n;
        for (std::size_t j = 0; j < n; ++j) row[j] = there[columns[j]];
        std::copy(row.begin(), row.end(), there);
    }
}

}  // namespace dunlin::io
