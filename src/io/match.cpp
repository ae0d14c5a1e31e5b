// SPDX-License-Identifier: Apache-2.0
#include <dunlin/match.hpp>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "io/fail.hpp"

namespace dunlin::io {

namespace {

using RowOf = std::unordered_map<std::string_view, Index>;

/// Whether the ids are first, first + 1, ...
bool count_from(std::span<const std::string> ids, std::size_t first) {
    for (std::size_t row = 0; row < ids.size(); ++row) {
        std::size_t number = 0;
        const char* const end = ids[row].data() + ids[row].size();
        const auto parsed = std::from_chars(ids[row].data(), end, number);
        if (parsed.ec != std::errc() || parsed.ptr != end || number != row + first) return false;
    }
    return true;
}

bool only_count(std::span<const std::string> ids) { return count_from(ids, 0) || count_from(ids, 1); }

/// "1 row", "3 rows"
std::string rows(Index count) { return fmt::format("{} row{}", count, count == 1 ? "" : "s"); }

RowMatch by_order(const NamedRows& first, const NamedRows& second, const std::string& reason) {
    if (first.rows != second.rows) {
        const bool one_more = second.rows == first.rows + 1;
        bad_file("{} has {} and {} has {}; they must agree{}{}", second.name, rows(second.rows), first.name,
                 rows(first.rows), reason.empty() ? "" : ", " + reason,
                 one_more ? "; if its first row is a header, name the column: label, or FILE:COLUMN" : "");
    }
    RowMatch match{.partner = std::vector<Index>(static_cast<std::size_t>(first.rows)), .in_order = true};
    std::iota(match.partner.begin(), match.partner.end(), 0);
    if (!reason.empty()) match.how = "by order, " + reason;
    return match;
}

RowOf rows_by_id(const NamedRows& input) {
    RowOf row_of;
    row_of.reserve(input.ids.size());
    for (std::size_t row = 0; row < input.ids.size(); ++row) {
        const auto [entry, is_new] = row_of.emplace(input.ids[row], static_cast<Index>(row));
        if (is_new) continue;
        bad_file("{} has the id '{}' twice, in rows {} and {}; keep one of them, so that rows can be matched by id",
                 input.name, shown(input.ids[row]), entry->second + 1, row + 1);
    }
    return row_of;
}

[[noreturn]] void refuse_strangers(const NamedRows& first, const NamedRows& second) {
    bad_file(
        "{} and {} have no id in common, such as '{}' and '{}'; give them the same ids, or take the ids out of one of "
        "them, so that rows are matched by order",
        second.name, first.name, shown(second.ids.front()), shown(first.ids.front()));
}

/// "by id: 1 row of meta.csv is not in p.csv and not used; 2 of the 20 rows of p.csv are not in meta.csv"
/// repeated: number of rows of the first input whose id an earlier row has.
std::string leftovers(const NamedRows& first, const NamedRows& second, const RowMatch& match, Index repeated) {
    std::string text;
    const auto is = [](Index count) { return count == 1 ? "is" : "are"; };
    if (match.unused > 0) {
        text = fmt::format("{} of {} {} not in {} and not used", rows(match.unused), second.name, is(match.unused),
                           first.name);
    }
    if (match.lonely > 0) {
        text += fmt::format("{}{} of the {} of {} {} not in {}", text.empty() ? "" : "; ", match.lonely,
                            rows(first.rows), first.name, is(match.lonely), second.name);
    }
    if (repeated > 0) {
        text += fmt::format("{}{} of {} {} the id of an earlier one and the same partner", text.empty() ? "" : "; ",
                            rows(repeated), first.name, repeated == 1 ? "has" : "have");
    }
    return text.empty() ? text : "by id: " + text;
}

}  // namespace

RowMatch match_rows(const NamedRows& first, const NamedRows& second, Lonely lonely) {
    // Inputs that cannot be matched by id
    if (first.ids.empty() && second.ids.empty()) return by_order(first, second, "");
    if (first.ids.empty() || second.ids.empty()) {
        const NamedRows &nameless = first.ids.empty() ? first : second, &named = first.ids.empty() ? second : first;
        const bool counts = only_count(named.ids);  // such ids say no more than the order
        return by_order(first, second, counts ? "" : fmt::format("since {} has no ids", nameless.name));
    }
    if (std::ranges::equal(first.ids, second.ids)) {
        RowMatch same = by_order(first, second, "");
        same.by_id = true;
        return same;
    }
    // 0, 1, ... and 1, 2, ... of as many rows
    if (first.rows == second.rows && only_count(first.ids) && only_count(second.ids))
        return by_order(first, second, "since the ids of both only count their rows, from 0 and from 1");

    // The partners
    const RowOf row_of = rows_by_id(second);
    RowMatch match{.partner = std::vector<Index>(first.ids.size(), no_row), .by_id = true};
    std::vector<bool> used(second.ids.size());
    Index repeated = 0;
    for (std::size_t row = 0; row < first.ids.size(); ++row) {
        const auto found = row_of.find(first.ids[row]);
        if (found == row_of.end()) {
            ++match.lonely;
            continue;
        }
        match.partner[row] = found->second;
        repeated += used[static_cast<std::size_t>(found->second)] ? 1 : 0;
        used[static_cast<std::size_t>(found->second)] = true;
    }
    match.unused = static_cast<Index>(std::count(used.begin(), used.end(), false));

    // What is left over
    if (match.lonely == static_cast<Index>(first.ids.size())) {
        const bool first_counts = only_count(first.ids);
        if (!first_counts && !only_count(second.ids)) refuse_strangers(first, second);
        return by_order(first, second,
                        fmt::format("since the ids of {} only count its rows", (first_counts ? first : second).name));
    }
    if (match.lonely > 0 && lonely == Lonely::refused) {
        const auto at = static_cast<std::size_t>(std::find(match.partner.begin(), match.partner.end(), no_row) -
                                                 match.partner.begin());
        bad_file("{} has no row '{}', which is row {} of {} ({} missing in all); add it", second.name,
                 shown(first.ids[at]), at + 1, first.name, rows(match.lonely));
    }
    match.how = leftovers(first, second, match, repeated);
    return match;
}

ColumnMatch match_columns(const std::string& first, std::span<const std::string> first_names, const std::string& second,
                          std::span<const std::string> second_names) {
    if (std::ranges::equal(first_names, second_names)) return {};
    if (first_names.empty() || second_names.empty()) {
        return {.from = {},
                .how = fmt::format("taken with its columns in their order, since {} has no names of columns",
                                   first_names.empty() ? first : second)};
    }
    const auto refuse_stranger = [&](const std::string& name, const std::string& has, const std::string& lacks) {
        bad_file("{} has the column '{}', which {} lacks ({} has {}, {} {}); give both the same columns", has,
                 shown(name), lacks, second, shown(second_names.front()), first, shown(first_names.front()));
    };
    std::unordered_map<std::string_view, Index> column_of;
    for (std::size_t c = 0; c < second_names.size(); ++c) {
        if (!column_of.emplace(second_names[c], static_cast<Index>(c)).second) {
            bad_file("{} has the column '{}' twice, and its columns are in another order than those of {}; rename one",
                     second, shown(second_names[c]), first);
        }
    }
    ColumnMatch match;
    std::vector<bool> used(second_names.size());
    for (const std::string& name : first_names) {
        const auto found = column_of.find(name);
        if (found == column_of.end()) refuse_stranger(name, first, second);
        if (used[static_cast<std::size_t>(found->second)])
            bad_file("{} has the column '{}' twice; rename one", first, shown(name));
        used[static_cast<std::size_t>(found->second)] = true;
        match.from.push_back(found->second);
    }
    const auto stranger = static_cast<std::size_t>(std::find(used.begin(), used.end(), false) - used.begin());
    if (stranger < used.size()) refuse_stranger(second_names[stranger], second, first);
    match.how = fmt::format("in another order of columns than {}; they are put in its order, by name", first);
    return match;
}

}  // namespace dunlin::io
