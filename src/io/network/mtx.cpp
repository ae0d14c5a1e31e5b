// SPDX-License-Identifier: Apache-2.0
#include "io/mtx.hpp"

#include "io/network/numbered_vertices.hpp"

namespace dunlin::io {

ParsedNetwork parse_mtx_network(const Bytes& bytes, const NetworkOptions& options) {
    MtxHead head = parse_mtx_head(bytes);
    if (head.rows != head.cols) {
        bad_file("'{}' is {} x {}; the matrix of a graph is square", bytes.name(), head.rows, head.cols);
    }
    ParsedNetwork parsed;
    parsed.network.kind = "mtx";
    parsed.network.directed = !head.symmetric;
    parsed.network.weighted = !ignores_unnamed_weights(options, bytes.name()) && !head.pattern;
    if (pattern_has_values(bytes, head)) {
        head.pattern = false;
        parsed.network.warnings.push_back("the head says pattern, so the values beside the entries are left out");
    }
    const Index first = counts_from_zero(bytes, head) ? 0 : 1;
    if (first == 1) {
        parsed.network.ids = ids_from_one(head.rows);
    } else {
        say_from_zero(parsed.network);
    }
    parsed.source->vertices = head.rows;
    EdgeList& edges = parsed.source->edges;
    MtxEntries entries(bytes, head, first);
    for (MtxEntries::Triplet entry; entries.next(entry);) {
        if (!head.coordinate && entry.value == 0) continue;  // no edge in a dense matrix
        edges.add(entry.row, entry.col);
        if (!parsed.network.weighted) continue;
        edges.weights.push_back(weight_of(
            entry.value, [&] { return at_line(bytes.name(), entries.line()); },
            [&] { return fmt::format("{} {}", entry.row + first, entry.col + first); }));
    }
    return parsed;
}

}  // namespace dunlin::io
