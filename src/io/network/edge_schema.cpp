// SPDX-License-Identifier: Apache-2.0
#include "io/network/edge_schema.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/network/end_kinds.hpp"
#include "io/network/other_formats.hpp"
#include "io/network/parsed_network.hpp"
#include "io/network/triples.hpp"
#include "io/network/weight_names.hpp"
#include "io/number.hpp"
#include "io/number_like.hpp"
#include "io/remedy.hpp"
#include "io/table_header.hpp"
#include "io/table_schema.hpp"
#include "io/track_columns.hpp"

namespace dunlin::io {

namespace {

constexpr std::size_t none = EdgeSchema::none;

/// A 1-based number of a column; none: no such column.
std::size_t numbered_column(const std::string& name, std::size_t columns) {
    std::size_t number = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool whole = parsed.ec == std::errc() && parsed.ptr == name.data() + name.size();
    return whole && number >= 1 && number <= columns ? number - 1 : none;
}

bool is_not_finite(std::string_view raw) {
    double value = 0;
    const auto parsed = std::from_chars(raw.data(), raw.data() + raw.size(), value);
    return parsed.ec == std::errc() && parsed.ptr == raw.data() + raw.size() && !std::isfinite(value);
}

/// The column of weights: by the option, by the header, or the third column if it has numbers.
std::size_t weight_column(const EdgeSchema& schema, const std::vector<std::string>& names, const RawRow& first,
                          const std::vector<RawRow>& below, const NetworkOptions& options, const std::string& file) {
    if (ignores_weights(options)) return none;
    std::size_t column = find_weights(names, options);
    if (!options.weights_from.empty()) {
        if (column == names.size()) column = numbered_column(options.weights_from, schema.columns);
        if (column == none || column == schema.source || column == schema.target) {
            bad_option("weights-from",
                       "'{}' is no column of '{}' beside the two ends; give a name or a number from 1 to {}",
                       shown(options.weights_from), file, schema.columns);
        }
        return column;
    }
    if (column < names.size()) return column;
    const std::size_t third = std::max(schema.source, schema.target) + 1;
    if (third != std::min(schema.source, schema.target) + 2 || third >= first.size()) return none;
    if (third < names.size() && is_no_weight(names[third], options)) return none;
    // A word above numbers is a weight too, which its row then refuses
    const auto number = [&](const RawRow& row) {
        return third < row.size() && (is_number(row[third], schema.dialect.point) || is_not_finite(row[third]));
    };
    const bool numbers_below = !below.empty() && std::all_of(below.begin(), below.end(), number);
    NumberLikeColumn looks;  // 5%, which its row refuses
    looks.add(first[third]);
    for (const RawRow& row : below) looks.add(third < row.size() ? row[third] : std::string_view());
    return number(first) || numbers_below || looks.looks_like_numbers() ? third : none;
}

/// Whether a column has whole numbers such as the seconds since 1970 alone.
bool are_like_times(const std::vector<RawRow>& rows, std::size_t column) {
    const auto is_time = [&](const RawRow& row) {
        constexpr std::size_t shortest = 9, longest = 13;  // 1973 in seconds to 2286 in milliseconds
        return column < row.size() && is_whole(row[column]) && row[column].size() >= shortest &&
               row[column].size() <= longest;
    };
    return !rows.empty() && std::all_of(rows.begin(), rows.end(), is_time);
}

/// "3 'length'"
std::string title_of(std::size_t column, const std::vector<std::string>& names) {
    return fmt::format("{}{}", column + 1, column < names.size() ? fmt::format(" '{}'", shown(names[column])) : "");
}

std::string columns_left_out(const EdgeSchema& schema, const std::vector<std::string>& names) {
    std::string list;
    for (std::size_t c = 0; c < schema.columns; ++c) {
        if (c == schema.source || c == schema.target || c == schema.weight) continue;
        list += fmt::format("{}{}", list.empty() ? "" : ", ", title_of(c, names));
    }
    return list;
}

/// Whether the first row has the numbers of vertices and edges, such as "75879 405740", which the rows below confirm.
bool counts_edges(const Bytes& bytes, const RawRow& first, const char* second) {
    if (first.size() != 2 || !is_whole(first[0]) || !is_whole(first[1])) return false;
    const auto is_name = [](std::string_view raw) { return raw.size() > 1 && raw[0] == '0'; };
    if (is_name(first[0]) || is_name(first[1])) return false;
    double vertices = 0, edges = 0;
    parse_number(first[0].data(), vertices);
    parse_number(first[1].data(), edges);
    if (edges * 4 > static_cast<double>(bytes.end() - second) + 1) return false;  // the shortest edge is "1 2\n"
    double smallest = vertices, largest = 0, rows = 0;
    for (const char* p = second; p != bytes.end(); p = after_edge_row(bytes, p), ++rows) {
        if (rows == edges) return false;
        for (int end = 0; end < 2; ++end) {
            double id = 0;
            while (*p == ' ' || *p == '\t' || *p == ',' || *p == ';') ++p;
            p = parse_number(p, id);
            if (p == nullptr || id > vertices) return false;
            smallest = std::min(smallest, id);
            largest = std::max(largest, id);
        }
    }
    return rows == edges && (smallest >= 1 || largest < vertices);
}

/// Whether the first row numbers columns, 0 1 or 0 1 2 as pandas writes them: its ends are no ends below, which are
/// words, or whole numbers from 3 on.
bool numbers_columns(const Bytes& bytes, const RawRow& first, const char* second, Dialect dialect) {
    if (first.size() > 3 || second == bytes.end()) return false;
    for (std::size_t c = 0; c < first.size(); ++c) {
        if (!is_integer(first[c], c)) return false;
    }
    for (const char* p = second; p != bytes.end(); p = after_edge_row(bytes, p)) {
        const RawRow row = edge_row(bytes, dialect, p);
        if (row.size() != first.size()) return false;
        for (std::size_t end = 0; end < 2; ++end) {
            if (row[end] == "0" || row[end] == "1" || row[end] == "2") return false;
        }
    }
    return true;
}

void require_edges(const Bytes& bytes, const char* row, Offset comments = 0) {
    if (row != bytes.end()) return;
    bad_file("'{}' holds no edges; give a file with an edge per line{}", bytes.name(),
             comments > 0 ? ", and quote names that begin with # or %, as such lines are comments" : "");
}

}  // namespace

std::size_t EdgeSchema::last() const { return std::max({source, target, weight == none ? std::size_t{0} : weight}); }

namespace {

/// Refuses edges with dictionaries of attributes, as networkx.write_edgelist writes them.
void refuse_attributes(const Bytes& bytes, const EdgeSchema& schema, const RawRow& edge,
                       const NetworkOptions& options) {
    if (!options.weights_from.empty() || edge.size() < 3 || !(edge[2].starts_with("{'") || edge[2].starts_with("{\"")))
        return;
    refuse_unless({"weights-from", "none"}, Fault::bad_file,
                  "{}: '{}' begins the attributes of an edge; write the file by networkx.write_weighted_edgelist, or "
                  "read the edges without",
                  at_line(bytes.name(), line_of(bytes, schema.body)), shown(edge[2]));
}

/// The last comment above the edges, as a row: it may name the columns, as in "# FromNodeId ToNodeId".
RawRow commented_row(const Bytes& bytes, const EdgeSchema& schema) {
    const char* last = nullptr;
    for (const char* p = text_of(bytes); p < schema.body; p = std::find(p, schema.body, '\n') + 1) {
        if (*p == '#' || *p == '%') last = p;
        if (std::find(p, schema.body, '\n') == schema.body) break;
    }
    if (last == nullptr) return {};
    while (*last == '#' || *last == '%' || *last == ' ') ++last;
    if (*last == '\n' || *last == '\r') return {};
    RawRow row = edge_row(bytes, schema.dialect, last);
    return row.size() == schema.columns ? row : RawRow{};
}

/// Number of comments above the edges that are as long as an edge and have no blank behind their mark.
Offset comments_like_edges(const Bytes& bytes, const EdgeSchema& schema) {
    Offset count = 0;
    for (const char* p = text_of(bytes); p < schema.body; p = std::find(p, schema.body, '\n')) {
        while (p < schema.body && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) ++p;
        const bool marked = p < schema.body && (*p == '#' || *p == '%') && std::strchr(" \t#%", p[1]) == nullptr;
        if (marked && edge_row(bytes, schema.dialect, p).size() == schema.columns) ++count;
    }
    return count;
}

/// Moves ends without usual names from a column called weight to the two columns beside it.
void keep_from_weights(const RawRow& names, EdgeHeader& judged) {
    if (judged.ends || judged.relations || names.size() < 3) return;
    std::vector<std::size_t> ends;
    for (std::size_t c = 0; c < names.size() && ends.size() < 2; ++c) {
        const std::string plain = plain_name(names[c]);
        if (c < judged.source || plain == "weight" || plain == "weights") continue;
        ends.push_back(c);
    }
    if (ends.size() == 2) judged.source = ends[0], judged.target = ends[1];
}

/// Decides whether the first row is a header and sets the columns of the ends. Returns the names of the columns.
std::vector<std::string> settle_header(const Bytes& bytes, const RawRow& first, const std::vector<RawRow>& below,
                                       const NetworkOptions& options, EdgeSchema& schema) {
    EdgeHeader judged = judge_header(first, below, schema.dialect.point);
    const bool asked = options.header == Header::automatic;
    judged.found =
        judged.found || (asked && numbers_columns(bytes, first, after_edge_row(bytes, schema.body), schema.dialect));
    schema.header = asked ? judged.found && !schema.counts : options.header == Header::yes;
    RawRow names = schema.header ? first : RawRow{};
    keep_from_weights(names, judged);
    if (!schema.header) {
        std::vector<RawRow> rows = below;
        rows.insert(rows.begin(), first);
        names = commented_row(bytes, schema);
        judged = names.empty() ? EdgeHeader{} : named_ends(names, rows, schema.dialect.point);
        if (!judged.ends) names.clear();
    }
    if (schema.header || names.empty()) schema.comments = comments_like_edges(bytes, schema);
    schema.names_ends = judged.ends && judged.usual;
    schema.source = judged.source;
    schema.target = judged.target;
    if (schema.header && asked && !judged.certain) {
        schema.notes.push_back({fmt::format("read with its first row '{}' as names of columns",
                                            shown(fmt::format("{}", fmt::join(first, " ")))),
                                "header"});
    }
    std::vector<std::string> texts;
    for (const std::string_view name : names) texts.push_back(unquoted(name));
    if (judged.relations) {
        schema.notes.push_back({fmt::format("read with columns {} and {} as the ends of edges, of which column {} has "
                                            "relations",
                                            title_of(schema.source, texts), title_of(schema.target, texts),
                                            title_of(schema.source + 1, texts)),
                                ""});
    }
    if (schema.header && !judged.ends && are_two_kinds(texts[schema.source], texts[schema.target]))
        schema.kinds = fmt::format("'{}' and '{}'", shown(texts[schema.source]), shown(texts[schema.target]));
    return texts;
}

}  // namespace

EdgeSchema detect_edge_schema(const Bytes& bytes, const NetworkOptions& options) {
    EdgeSchema schema;
    schema.body = next_edge_row(bytes, text_of(bytes));
    require_edges(bytes, schema.body);
    schema.dialect = edge_dialect(bytes, schema.body, options.decimal);
    const RawRow first = edge_row(bytes, schema.dialect, schema.body);
    Offset comments_below = 0;
    const char* const second = after_edge_row(bytes, schema.body, &comments_below);
    schema.columns = first.size();
    if (schema.columns < 2) {
        bad_file("{}: '{}' is no edge; a line names two vertices, with a blank, tab, comma or semicolon between them",
                 at_line(bytes.name(), line_of(bytes, schema.body)), shown(first[0]));
    }
    const std::vector<RawRow> below = edge_rows(bytes, schema.dialect, second);
    schema.counts = options.header != Header::no && counts_edges(bytes, first, second);
    const std::vector<std::string> names = settle_header(bytes, first, below, options, schema);
    schema.refuses_headers = options.header != Header::no;
    if (schema.counts || schema.header) {
        if (schema.header) schema.first_row = schema.body;
        schema.body = second;
        schema.comments += comments_below;
    }
    require_edges(bytes, schema.body, schema.comments);
    const RawRow& edge = schema.header && !below.empty() ? below[0] : first;
    schema.weight = weight_column(schema, names, edge, below, options, bytes.name());
    const bool by_place =
        schema.weight < names.size() && options.weights_from.empty() && find_weights(names, options) == names.size();
    const bool like_times = names.empty() && options.weights_from.empty() && are_like_times(below, schema.weight);
    if (by_place || like_times) {
        const bool inverse = by_place && options.lengths && is_strength(names[schema.weight]);
        schema.notes.push_back({fmt::format("read with column {} as the weights{}", title_of(schema.weight, names),
                                            like_times ? ", though its numbers look like times"
                                            : inverse  ? ", which are lengths here: a larger number is farther"
                                                       : ""),
                                "weights-from"});
    }
    if (schema.counts) {
        schema.notes.push_back({"read with its first row as the numbers of vertices and edges", "header"});
    }
    schema.triples = names.empty() && are_triples(edge, below, schema.dialect.point);
    if (schema.triples) return schema;
    check_numbered_triples(bytes, edge, below, names, options, schema);
    refuse_attributes(bytes, schema, edge, options);
    schema.left_out = columns_left_out(schema, names);
    // All words: nothing tells such a first row from names of columns, unless its ends are ends below
    schema.may_be_header = !schema.header && !schema.counts && options.header == Header::automatic &&
                           std::none_of(first.begin(), first.end(),
                                        [&](std::string_view raw) { return is_number(raw, schema.dialect.point); });
    return schema;
}

}  // namespace dunlin::io
