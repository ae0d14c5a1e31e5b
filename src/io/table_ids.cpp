// SPDX-License-Identifier: Apache-2.0
#include "io/table_ids.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "io/fail.hpp"
#include "io/id_titles.hpp"
#include "io/number.hpp"
#include "io/remedy.hpp"
#include "io/table_header.hpp"
#include "io/table_rows.hpp"

namespace dunlin::io {

namespace {

/// The digits of a whole number, also of one that pandas has made a fraction: 103.0. Empty: it is none.
std::string_view digits_of(std::string_view raw) {
    const std::size_t point = raw.find('.');
    if (point != raw.npos && point + 1 < raw.size() && raw.find_first_not_of('0', point + 1) == raw.npos)
        raw = raw.substr(0, point);
    return is_whole(raw) ? raw : std::string_view();
}

/// Whether a column of the rows looked at has whole numbers.
bool has_whole_numbers(const TableSchema& schema, std::size_t column) {
    return std::all_of(schema.sample.begin(), schema.sample.end(),
                       [column](const RawRow& row) { return !digits_of(row[column]).empty(); });
}

/// Whether all cells of a column in the rows looked at differ.
bool differ(const TableSchema& schema, std::size_t column) {
    std::unordered_set<std::string_view> seen;
    return std::all_of(schema.sample.begin(), schema.sample.end(),
                       [&](const RawRow& row) { return seen.insert(row[column]).second; });
}

/// Whether a column of the rows looked at has whole numbers some of which begin with a zero: 0042.
bool is_padded(const TableSchema& schema, std::size_t column) {
    const auto begins_with_zero = [column](const RawRow& row) {
        return row[column].size() > 1 && row[column][0] == '0' && is_whole(row[column]);
    };
    return has_whole_numbers(schema, column) &&
           std::any_of(schema.sample.begin(), schema.sample.end(), begins_with_zero);
}

/// Whether zeros before numbers say that these are none: other columns have numbers without.
bool padding_tells(const TableSchema& schema) {
    for (std::size_t c = 0; c < schema.roles.size(); ++c) {
        if (schema.roles[c] == ColumnRole::number && !is_padded(schema, c)) return true;
    }
    return false;
}

/// The whole numbers of a column of all rows, in order; nothing if another cell is among them.
std::optional<std::vector<std::uint64_t>> whole_numbers(const TableSchema& schema, const Bytes& bytes,
                                                        std::size_t column) {
    TableSchema one = schema;
    std::fill(one.roles.begin(), one.roles.end(), ColumnRole::skipped);
    one.roles[column] = ColumnRole::id;
    TableRows rows(bytes, one);
    constexpr std::size_t most_digits = 19;
    std::vector<std::uint64_t> numbers;
    while (rows.next()) {
        const std::string_view digits = digits_of(rows.ids().back());
        if (digits.empty() || digits.size() > most_digits) return std::nullopt;
        std::uint64_t number = 0;
        take_digits(rows.ids().back().c_str(), number);
        numbers.push_back(number);
        rows.ids().clear();
    }
    return numbers;
}

bool has_role(const TableSchema& schema, ColumnRole role, std::size_t from) {
    return std::find(schema.roles.begin() + static_cast<std::ptrdiff_t>(from), schema.roles.end(), role) !=
           schema.roles.end();
}

/// Leaves indices of pandas out that stand before the column of ids.
void leave_indices_out(TableSchema& schema) {
    const auto id = std::find(schema.roles.begin(), schema.roles.end(), ColumnRole::id) - schema.roles.begin();
    for (std::size_t c = 0; c < std::min(static_cast<std::size_t>(id), schema.names.size()); ++c) {
        if (id == std::ssize(schema.roles) || schema.roles[c] != ColumnRole::number || schema.are_chosen) continue;
        if (!is_pandas_index(schema.names[c]) || !has_whole_numbers(schema, c)) continue;
        schema.roles[c] = ColumnRole::skipped;
        schema.notes.push_back({fmt::format("read with column {} as ids, and without column {}",
                                            schema.title(static_cast<std::size_t>(id)), schema.title(c)),
                                "ids"});
    }
}

/// Whether the first column has the numbers of the rows alone, beside which another may have the ids.
bool begins_with_index(const TableSchema& schema) {
    return schema.roles.size() > 2 && !schema.names.empty() && schema.roles[0] == ColumnRole::id &&
           (schema.names[0].empty() || is_pandas_index(schema.names[0])) && has_whole_numbers(schema, 0);
}

/// Whether a title that a program made stands alone: beside X there is no Y, beside Column1 no Column2.
bool is_made_alone(const TableSchema& schema) {
    const std::string& title = schema.names[0];
    if (!is_made_title(title) || !has_role(schema, ColumnRole::number, 1)) return false;
    const std::string stem = lower(title == "X" ? title : title.substr(0, title.size() - 1));
    return std::none_of(schema.names.begin() + 1, schema.names.end(), [&](const std::string& name) {
        const std::string other = lower(name);
        return other == stem + "2" || (title == "X" && (other == "y" || other == "z" || other == "x1"));
    });
}

/// Whether a column of numbers may be the ids, by its title or, of the first, its zeros. Where an option chooses the
/// coordinates, it is none of these.
bool may_be_ids(const TableSchema& schema, std::size_t column) {
    const ColumnRole role = schema.are_chosen ? ColumnRole::skipped : ColumnRole::number;
    if (schema.roles[column] != role || !has_whole_numbers(schema, column)) return false;
    if (!schema.names.empty() && is_id_title(schema.names[column])) return true;
    if (column > 0) return false;
    return (!schema.names.empty() && is_made_alone(schema)) || (is_padded(schema, 0) && padding_tells(schema));
}

/// Whether a column of words could be the ids just as well.
bool has_rival(TableSchema& schema, std::size_t column) {
    for (std::size_t c = column + 1; schema.roles.size() > 2 && c < schema.roles.size(); ++c) {
        if (schema.roles[c] != ColumnRole::word || !differ(schema, c)) continue;
        schema.notes.push_back({fmt::format("read with column {} as numbers, since column {} has words that could be "
                                            "the ids; name the column of ids",
                                            schema.title(column), schema.title(c)),
                                "ids"});
        return true;
    }
    return false;
}

const char* looks_of(bool is_titled) {
    return is_titled ? "has a usual name of ids" : "has numbers that begin with zeros";
}

/// Takes a column as the ids if its numbers all differ, else says which does not.
void take_if_they_differ(TableSchema& schema, const Bytes& bytes, std::size_t column) {
    std::optional<std::vector<std::uint64_t>> numbers = whole_numbers(schema, bytes, column);
    if (!numbers) return;
    std::sort(numbers->begin(), numbers->end());
    const auto same = std::adjacent_find(numbers->begin(), numbers->end());
    if (same == numbers->end()) {
        schema.roles[column] = ColumnRole::id;
        schema.notes.push_back({fmt::format("read with column {} as ids, as its whole numbers all differ; give it "
                                            "another name if it is a coordinate",
                                            schema.title(column)),
                                ""});
        return;
    }
    const bool is_titled = !schema.names.empty() && is_id_title(schema.names[column]);
    if (schema.are_chosen || (!is_titled && !is_padded(schema, column))) return;
    schema.notes.push_back({fmt::format("read with column {} as numbers, not as ids: it {}, but {} is in several rows",
                                        schema.title(column), looks_of(is_titled), *same),
                            "ids"});
}

/// Whether the words of a column of all rows differ, and none is empty.
bool names_all_rows(const TableSchema& schema, const Bytes& bytes, std::size_t column) {
    if (!differ(schema, column)) return false;
    TableSchema one = schema;
    std::fill(one.roles.begin(), one.roles.end(), ColumnRole::skipped);
    one.roles[column] = ColumnRole::word;
    TableRows rows(bytes, one, Gaps::kept);
    while (rows.next()) {
    }
    const std::vector<std::string>& words = rows.words(column).names();
    return rows.words(column).distinct() && std::find(words.begin(), words.end(), "") == words.end();
}

/// Where the ids would be an index of pandas that only counts the rows, the only column of words that all differ has
/// the ids, which leaves the index out.
void prefer_names_to_index(TableSchema& schema, const Bytes& bytes) {
    if (schema.names.empty() || schema.sample.size() < 2) return;
    const auto id = static_cast<std::size_t>(std::find(schema.roles.begin(), schema.roles.end(), ColumnRole::id) -
                                             schema.roles.begin());
    if (id == schema.roles.size()) return;
    const bool is_unnamed = id == 0 && schema.names[id].empty() && !schema.has_bare_row_names;
    if ((!is_unnamed && !is_pandas_index(schema.names[id])) || !counts_rows(schema, bytes, id)) return;
    std::size_t named = schema.roles.size();
    for (std::size_t c = 0; c < schema.roles.size(); ++c) {
        if (schema.roles[c] != ColumnRole::word || !names_all_rows(schema, bytes, c)) continue;
        if (named < schema.roles.size()) return;
        named = c;
    }
    if (named == schema.roles.size()) return;
    schema.roles[id] = ColumnRole::skipped;
    schema.roles[named] = ColumnRole::id;
    schema.notes.push_back({fmt::format("read with column {} as ids, and without column {}, which counts the rows",
                                        schema.title(named), schema.title(id)),
                            "ids"});
}

}  // namespace

void take_numbered_ids(TableSchema& schema, const Bytes& bytes, bool ids_are_given) {
    leave_indices_out(schema);
    if (!ids_are_given) prefer_names_to_index(schema, bytes);
    const bool has_index = begins_with_index(schema);
    const std::size_t first = has_index ? 1 : 0;
    const bool is_free = has_index || !has_role(schema, ColumnRole::id, 0);
    const bool is_alone = !has_role(schema, ColumnRole::number, first + 1) &&
                          !has_role(schema, ColumnRole::word, first + 1) &&
                          !has_role(schema, ColumnRole::label, first + 1);
    const bool is_candidate = is_free && !is_alone && schema.sample.size() > 1 && may_be_ids(schema, first) &&
                              (first == 0 || has_word_id(schema.names[first]));
    if (is_candidate && !(differ(schema, first) && has_rival(schema, first))) take_if_they_differ(schema, bytes, first);
    if (has_index && schema.roles[1] == ColumnRole::id) {
        schema.roles[0] = ColumnRole::skipped;
        schema.notes.push_back({"read without column " + schema.title(0), ""});
    }
}

namespace {

/// Says that a column counts the rows of a table of five or more, as an index does; a column beside others.
bool note_running_number(TableSchema& schema, const Bytes& bytes, std::size_t column) {
    constexpr std::size_t enough = 5;  // a few numbers may count by chance
    const auto numbers = std::count(schema.roles.begin(), schema.roles.end(), ColumnRole::number);
    if (numbers < 2 || schema.sample.size() < enough || !counts_rows(schema, bytes, column)) return false;
    schema.notes.push_back({fmt::format("read with column {} as a coordinate, although it only counts the rows; "
                                        "--columns chooses the coordinates",
                                        schema.title(column)),
                            ""});
    return true;
}

}  // namespace

void note_ids_as_coordinates(TableSchema& schema, const Bytes& bytes) {
    if (schema.are_chosen || schema.sample.size() < 2) return;
    const bool padding = padding_tells(schema);
    for (std::size_t c = 0; c < schema.roles.size(); ++c) {
        if (schema.roles[c] != ColumnRole::number || !has_whole_numbers(schema, c)) continue;
        if (note_running_number(schema, bytes, c) || c == 0) continue;
        const bool is_titled = !schema.names.empty() && has_word_id(schema.names[c]) && differ(schema, c);
        if (!is_titled && !(padding && is_padded(schema, c))) continue;
        schema.notes.push_back({fmt::format("read with column {} as a coordinate, although it {}; --columns chooses "
                                            "the coordinates",
                                            schema.title(c), looks_of(is_titled)),
                                "ids"});
    }
}

void require_row_names_differ(const std::vector<std::string>& ids, const TableSchema& schema, const Bytes& bytes) {
    std::vector<std::string_view> sorted(ids.begin(), ids.end());
    std::sort(sorted.begin(), sorted.end());
    const auto same = std::adjacent_find(sorted.begin(), sorted.end());
    if (same == sorted.end()) return;
    const std::string what = fmt::format(
        "'{}': the first row has one name less than there are columns, and the numbers of the first column do not name "
        "the rows, as {} is in several; add the name",
        bytes.name(), shown(*same));
    if (schema.dialect.delimiter != ',') bad_file("{}", what);
    refuse_unless({"decimal", "comma"}, Fault::bad_file, "{}, or say whether commas mark decimals", what);
}

bool counts_rows(const TableSchema& schema, const Bytes& bytes, std::size_t column) {
    if (!has_whole_numbers(schema, column) || !differ(schema, column)) return false;
    const std::optional<std::vector<std::uint64_t>> numbers = whole_numbers(schema, bytes, column);
    if (!numbers || numbers->size() < 2 || numbers->front() > 1) return false;
    for (std::size_t row = 0; row < numbers->size(); ++row) {
        if ((*numbers)[row] != numbers->front() + row) return false;
    }
    return true;
}

void note_unused_names(const TableSchema& schema, std::size_t chosen, std::vector<Note>& notes) {
    if (chosen == 0 || schema.roles[0] != ColumnRole::number || !has_whole_numbers(schema, 0) || !differ(schema, 0))
        return;
    notes.push_back(
        {fmt::format("read without column {}, and its rows by order; call it id if it names the rows", schema.title(0)),
         ""});
}

}  // namespace dunlin::io
