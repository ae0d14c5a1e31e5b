// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "io/decimal_marks.hpp"
#include "io/dialect.hpp"
#include "io/network/edge_schema.hpp"
#include "io/number.hpp"
#include "io/readers.hpp"
#include "io/remedy.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

constexpr std::size_t ends = 2;

/// Whether a column behind the ends has numbers alone, of which some have a decimal comma, which `example` shows.
bool has_decimal_commas(const std::vector<RawRow>& edges, std::size_t column, std::string_view& example) {
    for (const RawRow& edge : edges) {
        if (!is_number(edge[column], ',')) return false;
        const bool decides = example.empty() || has_thousands(example, '.');
        if (has_other_point(edge[column], '.') && decides) example = edge[column];
    }
    return !example.empty();
}

/// Whether a comma is in another column than those of numbers.
bool holds_other_commas(const std::vector<RawRow>& edges) {
    return std::any_of(edges.begin(), edges.end(), [](const RawRow& edge) {
        for (std::size_t c = 0; c < edge.size(); ++c) {
            const bool is_value = c >= ends && is_number(edge[c], ',');
            if (!is_value && edge[c].find(',') != std::string_view::npos) return true;
        }
        return false;
    });
}

/// Whether a target is a source, too.
bool are_linked(const std::vector<RawRow>& edges) {
    std::set<std::string_view> sources;
    for (const RawRow& edge : edges) sources.insert(edge[0]);
    return std::any_of(edges.begin(), edges.end(), [&](const RawRow& edge) { return sources.contains(edge[1]); });
}

/// Whether blanks part the rows, and the commas mark decimals behind two words: "a b 0,5". Commas would split these
/// rows alike.
bool has_words_before_decimal_commas(const Bytes& bytes, const char* body) {
    std::vector<RawRow> rows = edge_rows(bytes, {' ', ','}, body);
    const std::size_t width = rows.empty() ? 0 : rows.front().size();
    const auto is_as_long = [width](const RawRow& row) { return row.size() == width; };
    if (width <= ends || !std::all_of(rows.begin(), rows.end(), is_as_long)) return false;
    const RawRow& first = rows.front();
    const auto is_value = [](std::string_view raw) { return is_number(raw, ','); };
    const bool is_header = rows.size() > 1 && std::none_of(first.begin() + ends, first.end(), is_value);
    if (is_header) rows.erase(rows.begin());
    if (holds_other_commas(rows)) return false;
    std::string_view example;
    bool found = false;
    for (std::size_t c = ends; c < width && !found; ++c) {
        example = {};
        found = has_decimal_commas(rows, c, example);
    }
    if (!found || (extension_of(bytes.name()) == ".csv" && !are_linked(rows))) return false;
    if (has_thousands(example, '.')) {
        refuse_unless({"decimal", "comma"}, Fault::bad_file,
                      "{}: the comma of '{}' may mark decimals or thousands; take thousands separators out, or say "
                      "that it marks decimals",
                      at_line(bytes.name(), line_of(bytes, example.data())), shown(example));
    }
    return true;
}

}  // namespace

Dialect edge_dialect(const Bytes& bytes, const char* body, Decimal decimal) {
    Dialect dialect = choose_dialect(bytes, body, decimal);
    FieldReader fields(bytes, dialect, body, false);
    if (raw_fields(fields).size() < 2) dialect.delimiter = ' ';
    const bool may_be_blanks = dialect.delimiter == ',' || dialect.delimiter == ' ';
    if (decimal != Decimal::automatic || dialect.point != '.' || !may_be_blanks || delimiter_line(bytes))
        return dialect;
    return has_words_before_decimal_commas(bytes, body) ? Dialect{' ', ','} : dialect;
}

const char* next_edge_row(const Bytes& bytes, const char* p, Offset* comments) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // of a file that was joined to another
    for (;;) {
        while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') ++p;
        if (std::string_view(p, static_cast<std::size_t>(bytes.end() - p)).starts_with(byte_order_mark)) {
            p += byte_order_mark.size();
            continue;
        }
        if (*p != '#' && *p != '%') return p;
        if (comments != nullptr) ++*comments;
        p = std::find_if(p, bytes.end(), [](char c) { return c == '\n' || c == '\r'; });
    }
}

const char* after_edge_row(const Bytes& bytes, const char* p, Offset* comments) {
    p = std::find_if(p, bytes.end(), [](char c) { return c == '\n' || c == '\r'; });
    return next_edge_row(bytes, p, comments);
}

std::string_view row_text(const Bytes& bytes, const char* p) {
    const char* end = std::find_if(p, bytes.end(), [](char c) { return c == '\n' || c == '\r'; });
    while (end != p && (end[-1] == ' ' || end[-1] == '\t')) --end;
    return {p, static_cast<std::size_t>(end - p)};
}

RawRow edge_row(const Bytes& bytes, Dialect dialect, const char* p) {
    FieldReader fields(bytes, dialect, p, false);
    RawRow row = raw_fields(fields);
    if (row.size() > 2 && row.back().empty()) row.pop_back();  // trailing delimiter
    return row;
}

std::vector<RawRow> edge_rows(const Bytes& bytes, Dialect dialect, const char* p) {
    constexpr std::size_t most = 32;
    std::vector<RawRow> rows;
    for (; rows.size() < most && p != bytes.end(); p = after_edge_row(bytes, p))
        rows.push_back(edge_row(bytes, dialect, p));
    return rows;
}

}  // namespace dunlin::io
