// SPDX-License-Identifier: Apache-2.0
#include "io/table_schema.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/dialect.hpp"
#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/number.hpp"
#include "io/number_like.hpp"
#include "io/table_header.hpp"

namespace dunlin::io {

namespace {

template <class Names>
bool among(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), lower(name)) != names.end();
}

/// Skips the byte order mark and comment lines.
const char* beginning(const Bytes& bytes) {
    const char* p = text_of(bytes);
    while (*p == '#') {
        p = std::find(p, bytes.end(), '\n');
        if (p != bytes.end()) ++p;
    }
    return p;
}

/// `has_texts`: words stand above words, so that the first row of a table with texts may have names, too.
void note_first_row(std::vector<Note>& notes, const RawRow& first, FirstRow kind, bool has_texts) {
    if (kind == FirstRow::header || (kind == FirstRow::values && !has_texts)) return;
    std::string row;
    constexpr std::size_t most = 4;
    for (std::size_t c = 0; c < std::min(first.size(), most); ++c)
        row += fmt::format("{}{}", c == 0 ? "" : ", ", shown(first[c]));
    if (first.size() > most) row += ", ..";
    if (kind == FirstRow::likely_header) {
        notes.push_back({fmt::format("read with its first row ({}) as names of the columns, as it differs from all "
                                     "others; if it has values, put a row of names above it",
                                     row),
                         ""});
    } else if (has_texts) {
        notes.push_back({fmt::format("read with its first row ({}) as a text; if it has names of the columns, give the "
                                     "name of the column of texts instead of its number",
                                     row),
                         "text"});
    } else {
        notes.push_back({fmt::format("read with its first row ({}) as values; if it has names of the columns, write a "
                                     "letter before each",
                                     row),
                         ""});
    }
}

/// Names the columns after the last comment above rows without a header, as numpy.savetxt writes it. Says which
/// comments may be rows.
void read_comments(TableSchema& schema, const Bytes& bytes, std::size_t width) {
    const auto number = [&](std::string_view field) { return is_number(field, schema.dialect.point); };
    Index like_rows = 0;
    RawRow names;
    for (const char* p = text_of(bytes); p < schema.body;
         p = std::min(std::find(p, schema.body, '\n') + 1, schema.body)) {
        const char* const text = std::find_if(p, schema.body, [](char c) { return c != '#' && c != ' ' && c != '\t'; });
        if (text == schema.body || *text == '\n' || *text == '\r') continue;
        FieldReader fields(bytes, schema.dialect, text, false);
        RawRow row = raw_fields(fields);
        if (row.size() == width && text == p + 1 && std::any_of(row.begin(), row.end(), number)) ++like_rows;
        names = row.size() == width && std::none_of(row.begin(), row.end(), number) ? std::move(row) : RawRow{};
    }
    if (like_rows > 0) {
        schema.notes.push_back(
            {fmt::format("read without {} line{} that begin{} with '#' and may be {}; quote such ids", like_rows,
                         like_rows == 1 ? "" : "s", like_rows == 1 ? "s" : "", like_rows == 1 ? "a row" : "rows"),
             ""});
    }
    if (names.empty()) return;
    schema.notes.push_back({fmt::format("read with the comment '{}' as names of the columns",
                                        shown(fmt::format("{}", fmt::join(names, ", ")))),
                            ""});
    for (const std::string_view name : names) schema.names.push_back(unquoted(name));
}

/// Whether a field is the name that an option gives to a column: the row is a header then, of words above words, too.
bool has_name(const RawRow& first, const std::string& name) {
    if (name.empty() || is_number(name)) return false;
    return std::any_of(first.begin(), first.end(), [&](std::string_view field) { return unquoted(field) == name; });
}

/// Finds the first row of values and the names of the columns; returns the number of columns.
std::size_t read_header(TableSchema& schema, const RawRow& first, const char* second, const ReadOptions& options,
                        const Bytes& bytes) {
    const std::size_t width = usual_width(schema.sample);
    const char point = schema.dialect.point;
    if (schema.sample.empty()) {
        if (std::all_of(first.begin(), first.end(), [&](std::string_view field) { return is_word(field, point); }))
            bad_file("'{}' has a header and no rows; add rows", bytes.name());
        schema.sample.push_back(first);
        return first.size();
    }
    if (is_class_line(first, schema.sample, point)) {
        for (std::size_t c = 2; c < first.size(); ++c) schema.classes.push_back(unquoted(first[c]));
        schema.body = second;
        return width;
    }
    const FirstRow kind = kind_of_first_row(first, schema.sample, point);
    const bool named = has_name(first, options.labels) || has_name(first, options.ids) || has_name(first, options.text);
    if (!named) note_first_row(schema.notes, first, kind, !options.text.empty());
    if (!named && (kind == FirstRow::values || kind == FirstRow::likely_values)) {
        read_comments(schema, bytes, first.size());
        schema.sample.push_back(first);
        return first.size();
    }
    schema.body = second;
    if (has_row_names(first, schema.sample, point)) {
        schema.names.emplace_back();
        const ColumnContent content = content_of(schema.sample, 0, point);
        schema.has_bare_row_names = content.numbers > content.words;
    }
    for (const std::string_view name : first) schema.names.push_back(unquoted(name));
    return schema.names.size();
}

ColumnRole role_by_content(const TableSchema& schema, std::size_t column) {
    const ColumnContent kind = content_of(schema.sample, column, schema.dialect.point);
    if (kind.words > kind.numbers) return ColumnRole::word;
    const bool unnamed = schema.names.empty() || schema.names[column].empty();
    const bool last = column > 0 && column + 1 == schema.roles.size();
    return last && unnamed && kind.empty > 0 && kind.empty == schema.sample.size() ? ColumnRole::empty
                                                                                   : ColumnRole::number;
}

/// The index that pandas writes is not needed beside a column of ids.
void leave_index_out(TableSchema& schema, std::size_t id) {
    schema.roles[0] = ColumnRole::skipped;
    schema.notes.push_back(
        {fmt::format("read with column {} as ids, and without column {}", schema.title(id), schema.title(0)), "ids"});
}

/// The column with a usual name; the number of columns if there is none.
template <class Names>
std::size_t column_by_habit(TableSchema& schema, const Names& names, const char* option, const std::string& file) {
    std::size_t found = schema.roles.size();
    for (std::size_t c = 0; c < schema.names.size(); ++c) {
        const bool unnamed = schema.names[c].empty() && c > 0;
        const bool is_used = schema.roles[c] != ColumnRole::empty && schema.roles[c] != ColumnRole::skipped;
        if (unnamed || !among(names, schema.names[c]) || !is_used) continue;
        if (found == 0 && (schema.names[0].empty() || lower(schema.names[0]) == "unnamed: 0")) {
            leave_index_out(schema, c);
            found = c;
        }
        if (found < c) {
            bad_file("'{}': columns {} and {} could both be the {}; name one", file, schema.title(found),
                     schema.title(c), option);
        }
        found = c;
    }
    return found;
}

/// A fraction among the rows looked at of a column; empty: it has none.
std::string_view fraction_in(const TableSchema& schema, std::size_t column) {
    for (const RawRow& row : schema.sample) {
        if (is_fraction(row[column], schema.dialect.point)) return row[column];
    }
    return {};
}

/// The column of labels by its name. Columns of fractions with such a name are left out, as what is measured is no
/// class; a lone one is left to the caller.
std::size_t labels_by_habit(TableSchema& schema, const std::string& file) {
    const std::size_t none = schema.roles.size();
    std::vector<std::size_t> measured;
    for (std::size_t c = 0; c < schema.names.size(); ++c) {
        if (schema.roles[c] != ColumnRole::number || !among(label_names, schema.names[c])) continue;
        if (fraction_in(schema, c).empty()) continue;
        schema.roles[c] = ColumnRole::skipped;
        measured.push_back(c);
    }
    const std::size_t label = column_by_habit(schema, label_names, "label", file);
    schema.has_measures_as_labels = label == none && measured.size() == 1;
    if (schema.has_measures_as_labels) return measured.front();
    for (const std::size_t c : measured) schema.notes.push_back(note_of_measures(schema, c, fraction_in(schema, c)));
    return label;
}

/// The columns that one name, number or range of a list means, added to `chosen`.
void add_columns(const TableSchema& schema, const std::string& word, const std::string& file,
                 std::vector<bool>& chosen) {
    const std::size_t none = schema.roles.size();
    const std::size_t one = find_column(schema, word, file), dash = word.find('-', 1);
    if (one != none) {
        chosen[one] = true;
        return;
    }
    const std::size_t first = dash == std::string::npos ? none : find_column(schema, word.substr(0, dash), file),
                      last = dash == std::string::npos ? none : find_column(schema, word.substr(dash + 1), file);
    if (first == none || last == none || last < first) {
        bad_option("columns",
                   "'{}' is no column of '{}'; give names, numbers from 1 to {}, or ranges of them such as 2-5",
                   shown(word), file, none);
    }
    std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(first),
              chosen.begin() + static_cast<std::ptrdiff_t>(last) + 1, true);
}

/// Leaves out the columns that are not in a list, except labels and ids that were named.
void choose_columns(TableSchema& schema, const std::string& list, const std::string& file) {
    std::vector<bool> chosen(schema.roles.size());
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
        end = list.find(',', begin);
        add_columns(schema, list.substr(begin, end == std::string::npos ? end : end - begin), file, chosen);
    }
    for (std::size_t c = 0; c < chosen.size(); ++c) {
        ColumnRole& role = schema.roles[c];
        if (chosen[c] && role == ColumnRole::word) require_words(schema, c, file);
        if (chosen[c] && role != ColumnRole::number) {
            bad_option("columns", "column {} of '{}' is no column of numbers; leave it out", schema.title(c), file);
        }
        if (!chosen[c] && role == ColumnRole::number) role = ColumnRole::skipped;
    }
}

void assign_roles(TableSchema& schema, const ReadOptions& options, const std::string& file) {
    for (std::size_t c = 0; c < schema.roles.size(); ++c) schema.roles[c] = role_by_content(schema, c);
    const std::size_t none = schema.roles.size();
    std::size_t label = options.labels.empty() ? none : find_column(schema, options.labels, file);
    std::size_t id = options.ids.empty() ? none : find_column(schema, options.ids, file);
    if (!options.ids.empty() && id == none) {
        bad_option("ids", "'{}' is no column of '{}'; give a column's name or its number from 1 to {}", options.ids,
                   file, none);
    }
    if (label == none && !schema.classes.empty()) label = none - 1;
    if (label == none) {
        label = options.labels.empty() ? labels_by_habit(schema, file)
                                       : column_by_habit(schema, label_names, "label", file);
    }
    if (id == none) id = column_by_habit(schema, id_names, "id", file);
    if (id != none) schema.roles[id] = ColumnRole::id;
    if (label != none) schema.roles[label] = ColumnRole::label;
    schema.are_chosen = !options.columns.empty();
    if (schema.are_chosen) choose_columns(schema, options.columns, file);
}

}  // namespace

Note note_of_measures(const TableSchema& schema, std::size_t column, std::string_view fraction) {
    return {fmt::format("read without column {}: it has fractions such as {}, which are no classes",
                        schema.title(column), shown(fraction)),
            "labels"};
}

bool is_fraction(std::string_view raw, char point) {
    double value = 0;
    return parse_field(raw, point, value) && std::isfinite(value) && value != std::floor(value);
}

void leave_measures_out(TableSchema& schema) {
    if (!schema.has_measures_as_labels) return;
    const auto label = std::find(schema.roles.begin(), schema.roles.end(), ColumnRole::label);
    const bool is_alone = std::count(schema.roles.begin(), schema.roles.end(), ColumnRole::number) == 0;
    *label = is_alone ? ColumnRole::number : ColumnRole::skipped;
    if (is_alone) return;
    const auto c = static_cast<std::size_t>(label - schema.roles.begin());
    schema.notes.push_back(note_of_measures(schema, c, fraction_in(schema, c)));
}

std::string TableSchema::title(std::size_t column) const {
    return names.empty() || names[column].empty() ? fmt::format("{}", column + 1)
                                                  : fmt::format("{} '{}'", column + 1, shown(names[column]));
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    return out;
}

bool is_number(std::string_view raw, char point) {
    double value = 0;
    return parse_field(raw, point, value);
}

bool is_missing(std::string_view raw) {
    // With the errors of spreadsheets
    constexpr std::array<std::string_view, 25> ways = {
        "",        ".",       "na",     "n/a",   "nan",   "null",   "none", "<na>",     "nat",
        "#n/a",    "?",       "-",      "inf",   "-inf",  "+inf",   "-nan", "infinity", "-infinity",
        "#div/0!", "#value!", "#name?", "#ref!", "#num!", "#null!", "#nv"};
    if (!raw.empty() && is_digit(raw[0])) return false;  // nearly all
    return raw.size() < 10 && among(ways, raw);
}

std::size_t find_column(const TableSchema& schema, const std::string& name, const std::string& file) {
    const auto times = std::count(schema.names.begin(), schema.names.end(), name);
    if (times > 1) {
        bad_input("'{}' is the name of {} columns of '{}'; give the column's number instead", name, times, file);
    }
    if (times == 1) {
        return static_cast<std::size_t>(std::find(schema.names.begin(), schema.names.end(), name) -
                                        schema.names.begin());
    }
    for (std::size_t c = 0; c < schema.roles.size() && name.size() < 10; ++c) {
        if (is_integer(name, c + 1)) return c;
    }
    return schema.roles.size();
}

const char* text_of(const Bytes& bytes) {
    const std::string_view head = bytes.view().substr(0, 4096);
    if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) {
        bad_file("'{}' is in UTF-16; save it as UTF-8", bytes.name());
    }
    if (head.find('\0') != std::string_view::npos) {
        bad_file("'{}' is not text and of no binary format known here; give it as .npy or .csv", bytes.name());
    }
    if (const std::optional<DelimiterLine> line = delimiter_line(bytes)) return line->after;
    return bytes.begin() + (head.starts_with("\xef\xbb\xbf") ? 3 : 0);
}

std::vector<std::string> number_names(const TableSchema& schema) {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < schema.names.size(); ++c) {
        if (schema.roles[c] == ColumnRole::number) names.push_back(schema.names[c]);
    }
    return names;
}

namespace {

/// Throws for a line of one text above a row of words above rows with numbers.
void refuse_title(const RawRow& first, const TableSchema& schema, const Bytes& bytes) {
    const auto is_filled = [](std::string_view field) { return !field.empty(); };
    const char point = schema.dialect.point;
    if (std::count_if(first.begin(), first.end(), is_filled) != 1 || schema.sample.size() < 2) return;
    const std::string_view title = *std::find_if(first.begin(), first.end(), is_filled);
    const auto words_in = [point](const RawRow& row) {
        return std::count_if(row.begin(), row.end(), [point](std::string_view field) { return is_word(field, point); });
    };
    const RawRow &names = schema.sample[0], &values = schema.sample[1];
    const bool is_above_names = is_word(title, point) && words_in(names) >= 2 && words_in(names) == std::ssize(names) &&
                                values.size() == names.size() && words_in(values) < std::ssize(values);
    if (!is_above_names) return;
    bad_file("{}: '{}' is a title above the names of the columns; remove the line",
             at_line(bytes.name(), line_of(bytes, title.data())), shown(title));
}

/// A delimiter at the end of the header alone adds no column.
void drop_empty_name(RawRow& first, TableSchema& schema) {
    const std::size_t width = usual_width(schema.sample);
    if (width < 2 || first.size() != width + 1 || !first.back().empty()) return;
    first.pop_back();
    schema.notes.push_back(
        {"read without the empty name at the end of the header, as the rows have a column less", ""});
}

}  // namespace

TableSchema detect_schema(const Bytes& bytes, const ReadOptions& options) {
    TableSchema schema;
    schema.body = beginning(bytes);
    const bool is_open = options.decimal == Decimal::automatic && !delimiter_line(bytes);
    const DecimalColumn column = is_open ? column_of_decimals(bytes, schema.body) : DecimalColumn::none;
    schema.dialect =
        column == DecimalColumn::certain ? one_column : choose_dialect(bytes, schema.body, options.decimal);
    if (column == DecimalColumn::possible) {
        schema.notes.push_back(
            {"read with the numbers before the commas as names of the rows; they could be decimals", "decimal"});
    }
    FieldReader fields(bytes, schema.dialect, schema.body, false);
    RawRow first = raw_fields(fields);
    if (first.empty()) {
        const bool has_comments = schema.body != text_of(bytes);
        bad_file("'{}' {}; give a file with a row per point", bytes.name(),
                 has_comments ? "has only lines that begin with '#'" : "is empty");
    }
    schema.sample = sample_rows(bytes, schema.dialect, fields.at(), first.size());
    std::erase_if(schema.sample, [](const RawRow& row) {
        return row.size() > 1 &&
               std::all_of(row.begin(), row.end(), [](std::string_view cell) { return cell.empty(); });
    });
    refuse_title(first, schema, bytes);
    drop_empty_name(first, schema);
    const std::size_t cols = read_header(schema, first, fields.at(), options, bytes);
    std::erase_if(schema.sample, [cols](const RawRow& row) { return row.size() != cols; });
    schema.roles.resize(cols);
    assign_roles(schema, options, bytes.name());
    return schema;
}

}  // namespace dunlin::io
