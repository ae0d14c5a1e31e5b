// SPDX-License-Identifier: Apache-2.0
#include "io/table_ids.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "io/fail.hpp"
#include "io/number.hpp"
#include "io/table_header.hpp"
#include "io/table_rows.hpp"

namespace dunlin::io {

namespace {

constexpr std::array<std::string_view, 31> id_titles = {
    "sample",    "samples",    "gene",   "genes", "cell",        "cells",     "barcode",   "barcodes",
    "key",       "keys",       "row",    "rows",  "rownames",    "row_names", "row.names", "uid",
    "uuid",      "obs",        "record", "case",  "item",        "patient",   "subject",   "user",
    "accession", "identifier", "name",   "names", "observation", "sampleid",  "cellid"};

bool ends_as_id(std::string_view title) {
    constexpr std::array<std::string_view, 5> ends = {"_id", " id", ".id", "-id", "index"};
    const std::string small = lower(title);
    if (std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return small.ends_with(end); })) return true;
    const std::string_view stem = title.substr(0, title.find_last_not_of("0123456789") + 1);
    if (stem.size() < title.size() && lower(stem) == "id") return true;  // ID2
    return title.size() > 2 && title.ends_with("Id") && title[title.size() - 3] >= 'a' &&
           title[title.size() - 3] <= 'z';
}

/// Whether the first column of the rows looked at has whole numbers.
bool has_whole_numbers(const TableSchema& schema) {
    return std::all_of(schema.sample.begin(), schema.sample.end(), [](const RawRow& row) { return is_whole(row[0]); });
}

/// Whether all cells of a column in the rows looked at differ.
bool differ(const TableSchema& schema, std::size_t column) {
    std::unordered_set<std::string_view> seen;
    return std::all_of(schema.sample.begin(), schema.sample.end(),
                       [&](const RawRow& row) { return seen.insert(row[column]).second; });
}

/// Whether whole numbers that all differ are in the first column of all rows.
bool numbers_differ(const TableSchema& schema, const Bytes& bytes) {
    TableSchema first = schema;
    std::fill(first.roles.begin(), first.roles.end(), ColumnRole::skipped);
    first.roles[0] = ColumnRole::id;
    TableRows rows(bytes, first);
    constexpr std::size_t most_digits = 19;
    std::vector<std::uint64_t> numbers;
    while (rows.next()) {
        const std::string& id = rows.ids().back();
        if (!is_whole(id) || id.size() > most_digits) return false;
        std::uint64_t number = 0;
        for (const char digit : id) number = 10 * number + static_cast<std::uint64_t>(digit - '0');
        numbers.push_back(number);
        rows.ids().clear();
    }
    std::sort(numbers.begin(), numbers.end());
    return std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
}

}  // namespace

bool is_id_title(std::string_view title) {
    return std::find(id_titles.begin(), id_titles.end(), lower(title)) != id_titles.end() || ends_as_id(title);
}

void take_numbered_ids(TableSchema& schema, const Bytes& bytes) {
    const auto has = [&](ColumnRole role, std::size_t from) {
        return std::find(schema.roles.begin() + static_cast<std::ptrdiff_t>(from), schema.roles.end(), role) !=
               schema.roles.end();
    };
    if (schema.names.empty() || schema.roles[0] != ColumnRole::number || has(ColumnRole::id, 0)) return;
    const bool alone = !has(ColumnRole::number, 1) && !has(ColumnRole::word, 1) && !has(ColumnRole::label, 1);
    if (alone || schema.sample.size() < 2 || !is_id_title(schema.names[0])) return;
    if (!has_whole_numbers(schema) || !differ(schema, 0)) return;
    for (std::size_t c = 1; schema.roles.size() > 2 && c < schema.roles.size(); ++c) {
        if (schema.roles[c] != ColumnRole::word || !differ(schema, c)) continue;
        schema.notes.push_back({fmt::format("read with column {} as numbers, since column {} has words that could be "
                                            "the ids; name the column of ids",
                                            schema.title(0), schema.title(c)),
                                "ids"});
        return;
    }
    if (!numbers_differ(schema, bytes)) return;
    schema.roles[0] = ColumnRole::id;
    schema.notes.push_back({fmt::format("read with column {} as ids, as its whole numbers all differ; give it another "
                                        "name if it is a coordinate",
                                        schema.title(0)),
                            ""});
}

void note_unused_names(const TableSchema& schema, std::size_t chosen, std::vector<Note>& notes) {
    if (chosen == 0 || schema.roles[0] != ColumnRole::number || !has_whole_numbers(schema) || !differ(schema, 0))
        return;
    notes.push_back(
        {fmt::format("read without column {}, and its rows by order; call it id if it names the rows", schema.title(0)),
         ""});
}

}  // namespace dunlin::io
