// SPDX-License-Identifier: Apache-2.0
#include <utility>

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

}  // namespace

/// "a b c": the vertex a and its neighbors, as NetworkX writes adjacency lists.
ParsedNetwork parse_adjacency(const Bytes& bytes, const NetworkOptions& options) {
    ignores_unnamed_weights(options, bytes.name());
    ParsedNetwork parsed;
    VertexTable vertices;
    TextLines lines(bytes);
    for (std::string_view line; lines.next_but("#%", line);) {
        line = without_blanks(line.substr(0, line.find(" #")));  // a comment behind the neighbors
        const Index source = vertices.of(take_word(line));
        while (!line.empty()) parsed.source->edges.add(source, vertices.of(take_word(line)));
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
