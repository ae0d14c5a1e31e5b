// SPDX-License-Identifier: Apache-2.0
#include "io/network/edge_schema.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "io/dialect.hpp"
#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/network/parsed_network.hpp"
#include "io/number.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

using RawRow = std::vector<std::string_view>;
constexpr std::size_t none = EdgeSchema::none;

struct EndNames {
    std::string_view source, target;
};

/// Usual names of the two ends of an edge, in lower case without punctuation (from_node_id is fromnodeid).
constexpr std::array<EndNames, 19> end_names = {{{"source", "target"},
                                                 {"source", "destination"},
                                                 {"src", "dst"},
                                                 {"src", "dest"},
                                                 {"from", "to"},
                                                 {"fromid", "toid"},
                                                 {"fromnode", "tonode"},
                                                 {"fromnodeid", "tonodeid"},
                                                 {"srcid", "dstid"},
                                                 {"srcnid", "dstnid"},
                                                 {"sourceid", "targetid"},
                                                 {"sourcenode", "targetnode"},
                                                 {"node1", "node2"},
                                                 {"nodeid1", "nodeid2"},
                                                 {"nodea", "nodeb"},
                                                 {"nodeid", "nodeid"},
                                                 {"id1", "id2"},
                                                 {"vertex1", "vertex2"},
                                                 {"origin", "destination"}}};
constexpr std::array<std::string_view, 4> weight_names = {"weight", "weights", "w", "value"};

std::string plain(std::string_view name) {
    std::string out = lower(name);
    std::erase_if(out, [](char c) { return !(c >= 'a' && c <= 'z') && !is_digit(c); });
    return out;
}

/// Position of `name` in `names`, from column `from` on.
std::size_t position(const std::vector<std::string>& names, std::string_view name, std::size_t from = 0) {
    for (std::size_t c = from; c < names.size(); ++c) {
        if (names[c] == name) return c;
    }
    return none;
}

std::string letters(std::string_view name) {
    std::string out = plain(name);
    std::erase_if(out, is_digit);
    return out;
}

/// Whether a column has vertices in both rows, such as "node1 node2" above "node2 node3", and hence no header.
bool numbers_vertices(const RawRow& first, const RawRow& second, std::size_t column) {
    return column < second.size() && letters(first[column]) == letters(second[column]);
}

/// Finds two columns with usual names of the ends of an edge.
bool find_ends(const RawRow& first, const RawRow& second, EdgeSchema& schema) {
    std::vector<std::string> names;
    for (const std::string_view name : first) names.push_back(plain(name));
    for (const EndNames& ends : end_names) {
        const std::size_t source = position(names, ends.source);
        const std::size_t target = position(names, ends.target, ends.source == ends.target ? source + 1 : 0);
        if (source == none || target == none) continue;
        if (numbers_vertices(first, second, source) && numbers_vertices(first, second, target)) return false;
        schema.source = source;
        schema.target = target;
        return true;
    }
    return false;
}

/// Whether strings above integers name a column.
bool is_above_integers(const RawRow& first, const RawRow& second, char point) {
    return second.size() >= 2 && is_whole(second[0]) && is_whole(second[1]) && !is_number(first[0], point) &&
           !is_number(first[1], point);
}

/// A column by name, else by 1-based number.
std::size_t named_column(const RawRow& names, const std::string& name, std::size_t columns) {
    for (std::size_t c = 0; c < names.size(); ++c) {
        if (unquoted(names[c]) == name) return c;
    }
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
std::size_t weight_column(const EdgeSchema& schema, const RawRow& header, const RawRow& first,
                          const NetworkOptions& options, const std::string& file) {
    if (ignores_weights(options)) return none;
    if (!options.weights_from.empty()) {
        const std::size_t column = named_column(header, options.weights_from, schema.columns);
        if (column == none || column == schema.source || column == schema.target) {
            bad_option("weights-from",
                       "'{}' is no column of '{}' beside the two ends; give a name or a number from 1 to {}",
                       shown(options.weights_from), file, schema.columns);
        }
        return column;
    }
    for (std::size_t c = 0; c < header.size(); ++c) {
        const std::string name = plain(header[c]);
        if (std::find(weight_names.begin(), weight_names.end(), name) != weight_names.end()) return c;
    }
    if (!header.empty() || schema.columns < 3 || first.size() < 3) return none;
    return is_number(first[2], schema.dialect.point) || is_not_finite(first[2]) ? 2 : none;
}

std::string columns_left_out(const EdgeSchema& schema, const RawRow& header) {
    std::string list;
    for (std::size_t c = 0; c < schema.columns; ++c) {
        if (c == schema.source || c == schema.target || c == schema.weight) continue;
        list += fmt::format("{}{}", list.empty() ? "" : ", ", c + 1);
        if (c < header.size()) list += fmt::format(" '{}'", shown(header[c]));
    }
    return list;
}

RawRow row_at(const Bytes& bytes, Dialect dialect, const char* p) {
    FieldReader fields(bytes, dialect, p, false);
    RawRow row = raw_fields(fields);
    if (row.size() > 2 && row.back().empty()) row.pop_back();  // trailing delimiter
    return row;
}

const char* after_row(const Bytes& bytes, const char* p) {
    p = std::find_if(p, bytes.end(), [](char c) { return c == '\n' || c == '\r'; });
    return next_edge_row(bytes, p);
}

/// Whether the first row has the numbers of vertices and edges, such as "75879 405740", which the rows below confirm.
bool counts_edges(const Bytes& bytes, const RawRow& first, const char* second) {
    if (first.size() != 2 || !is_whole(first[0]) || !is_whole(first[1])) return false;
    double vertices = 0, edges = 0;
    parse_number(first[0].data(), vertices);
    parse_number(first[1].data(), edges);
    if (edges * 4 > static_cast<double>(bytes.end() - second) + 1) return false;  // the shortest edge is "1 2\n"
    double smallest = vertices, largest = 0, rows = 0;
    for (const char* p = second; p != bytes.end(); p = after_row(bytes, p), ++rows) {
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

void require_edges(const Bytes& bytes, const char* row) {
    if (row == bytes.end()) bad_file("'{}' holds no edges; give a file with an edge per line", bytes.name());
}

}  // namespace

Dialect edge_dialect(const Bytes& bytes, const char* body, Decimal decimal) {
    const Dialect dialect = choose_dialect(bytes, body, decimal);
    FieldReader fields(bytes, dialect, body, false);
    return raw_fields(fields).size() > 1 ? dialect : Dialect{' ', dialect.point};
}

bool is_whole(std::string_view raw) { return !raw.empty() && std::all_of(raw.begin(), raw.end(), is_digit); }

std::size_t EdgeSchema::last() const { return std::max({source, target, weight == none ? std::size_t{0} : weight}); }

const char* next_edge_row(const Bytes& bytes, const char* p) {
    for (;;) {
        while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') ++p;
        if (*p != '#' && *p != '%') return p;
        p = std::find_if(p, bytes.end(), [](char c) { return c == '\n' || c == '\r'; });
    }
}

EdgeSchema detect_edge_schema(const Bytes& bytes, const NetworkOptions& options) {
    EdgeSchema schema;
    schema.body = next_edge_row(bytes, text_of(bytes));
    require_edges(bytes, schema.body);
    schema.dialect = edge_dialect(bytes, schema.body, options.decimal);
    const RawRow first = row_at(bytes, schema.dialect, schema.body);
    const char* const second = after_row(bytes, schema.body);
    schema.columns = first.size();
    if (schema.columns < 2) {
        bad_file("{}: '{}' is no edge; a line names two vertices, with a blank, tab, comma or semicolon between them",
                 at_line(bytes.name(), line_of(bytes, schema.body)), shown(first[0]));
    }
    const RawRow body = row_at(bytes, schema.dialect, second);
    schema.counts = counts_edges(bytes, first, second);
    if (schema.counts) schema.body = second;
    schema.names_ends = find_ends(first, body, schema);
    schema.header = schema.names_ends || is_above_integers(first, body, schema.dialect.point);
    if (schema.header) schema.body = second;
    require_edges(bytes, schema.body);
    const RawRow header = schema.header ? first : RawRow{};
    schema.weight = weight_column(schema, header, schema.header ? body : first, options, bytes.name());
    schema.left_out = columns_left_out(schema, header);
    return schema;
}

}  // namespace dunlin::io
