// SPDX-License-Identifier: Apache-2.0
#include "io/network/adjacency.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "io/network/optional_weights.hpp"
#include "io/network/vertex_table.hpp"

/// Formats that list the neighbors of each vertex.
namespace dunlin::io {

namespace {

ParsedNetwork named(ParsedNetwork parsed, const VertexTable& vertices, const char* kind) {
    parsed.network.kind = kind;
    parsed.network.ids = vertices.names();
    parsed.source->vertices = vertices.size();
    return parsed;
}

/// Removes the first name of a line; in lists with colons, commas may part names, too.
std::string_view take_name(std::string_view& rest, bool colons) {
    if (!colons) return take_word(rest);
    rest.remove_prefix(std::min(rest.find_first_not_of(", \t"), rest.size()));
    const std::string_view name = rest.substr(0, rest.find_first_of(", \t"));
    rest.remove_prefix(name.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(", \t"), rest.size()));
    return name;
}

/// What the rows of a text have in common with adjacency lists.
struct Rows {
    std::set<std::string_view> heads;  ///< first words
    std::set<std::string_view> lone;   ///< those with nothing behind them
    std::set<std::string_view> vertices, neighbors;
    std::vector<std::string_view> more;  ///< words from the third on
    std::set<std::size_t> lengths;
    bool repeats = false;  ///< a first word; the rows below it are not read
};

Rows look_at_rows(const Bytes& bytes) {
    Rows rows;
    TextLines lines(bytes);
    for (std::string_view line; lines.next_but("#%", line);) {
        const std::string_view head = word_of(line);
        rows.repeats = !rows.heads.insert(head).second;
        if (rows.repeats) return rows;
        std::size_t words = 0;
        for (; !line.empty(); ++words) {
            const std::string_view word = take_word(line);
            if (words > 0) rows.neighbors.insert(word);
            if (words < 2)
                rows.vertices.insert(word);
            else
                rows.more.push_back(word);
        }
        if (words == 1) rows.lone.insert(head);
        rows.lengths.insert(words);
    }
    return rows;
}

bool are_adjacency(const Rows& rows) {
    const auto stands_elsewhere = [&](std::string_view word) { return rows.vertices.contains(word); };
    const auto is_neighbor = [&](std::string_view word) { return rows.neighbors.contains(word); };
    const auto may_be_vertex = [&](std::string_view word) { return !is_number(word, '.') || stands_elsewhere(word); };
    const bool linked = std::any_of(rows.more.begin(), rows.more.end(), stands_elsewhere) ||
                        std::any_of(rows.lone.begin(), rows.lone.end(), is_neighbor);
    return !rows.repeats && rows.lengths.size() > 1 && linked &&
           std::all_of(rows.more.begin(), rows.more.end(), may_be_vertex);
}

}  // namespace

bool has_colons(const Bytes& bytes) {
    TextLines lines(bytes);
    Offset rows = 0;
    for (std::string_view line; lines.next_but("#%", line); ++rows) {
        const std::string_view head = word_of(line);
        if (head.size() < 2 || !head.ends_with(':')) return false;
    }
    return rows > 0;
}

bool lists_neighbors(const Bytes& bytes) { return are_adjacency(look_at_rows(bytes)); }

bool lists_all_vertices(const Bytes& bytes) {
    const Rows rows = look_at_rows(bytes);
    const auto has_row = [&](std::string_view word) { return rows.heads.contains(word); };
    return are_adjacency(rows) && std::all_of(rows.neighbors.begin(), rows.neighbors.end(), has_row);
}

/// "a b c" or "a: b c": the vertex a and its neighbors, as NetworkX writes adjacency lists.
ParsedNetwork parse_adjacency(const Bytes& bytes, const NetworkOptions& options) {
    ignores_unnamed_weights(options, bytes.name());
    ParsedNetwork parsed;
    VertexTable vertices;
    const bool colons = has_colons(bytes);
    TextLines lines(bytes);
    for (std::string_view line; lines.next_but("#%", line);) {
        line = without_blanks(line.substr(0, line.find(" #")));  // a comment behind the neighbors
        const std::string_view head = take_word(line);
        const Index source = vertices.of(head.substr(0, head.size() - (colons ? 1 : 0)));
        while (!line.empty()) parsed.source->edges.add(source, vertices.of(take_name(line, colons)));
    }
    return named(std::move(parsed), vertices, "adjacency");
}

/// "# a" above its neighbors, one a line with or without a weight (LGL: Large Graph Layout).
ParsedNetwork parse_lgl(const Bytes& bytes, const NetworkOptions& options) {
    const bool without_weights = ignores_unnamed_weights(options, bytes.name());
    ParsedNetwork parsed;
    VertexTable vertices;
    OptionalWeights weights;
    EdgeList& edges = parsed.source->edges;
    Index source = VertexTable::none;
    TextLines lines(bytes);
    for (std::string_view line; lines.next_but("", line);) {
        std::string_view rest = line;
        if (line[0] == '#') rest = without_blanks(rest.substr(1));
        const std::string_view name = take_word(rest), weight = take_word(rest);
        if (name.empty() || !rest.empty() || (line[0] == '#' && !weight.empty()) ||
            (line[0] != '#' && source == VertexTable::none)) {
            bad_file("{}: '{}' is neither # and a vertex nor a neighbor of one; correct the line",
                     place_of(bytes, line), shown(line));
        }
        const Index vertex = vertices.of(name);
        if (line[0] == '#') {
            source = vertex;
            continue;
        }
        edges.add(source, vertex);
        if (without_weights) continue;
        if (weight.empty())
            weights.add_none(edges);
        else
            weights.add(edges, weight_in(bytes, weight, [&] { return fmt::format("to {}", shown(name)); }));
    }
    if (!without_weights) weights.settle(parsed);
    return named(std::move(parsed), vertices, "lgl");
}

}  // namespace dunlin::io
