// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/mtx.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/readers.hpp"
#include "io/table_rows.hpp"

namespace dunlin::io {

namespace {

struct WeightedEdge {
    Index source, target;
    float weight;
};

/// Builds CSR rows; within a row the order of the file is kept.
Graph graph_of(const std::vector<WeightedEdge>& edges, Index vertices, const std::string& file) {
    const auto n = static_cast<std::size_t>(vertices);
    require_memory(2 * n * sizeof(Offset), "the graph of '" + file + "'");
    Graph graph;
    graph.offsets.assign(n + 1, 0);
    for (const WeightedEdge& edge : edges) ++graph.offsets[static_cast<std::size_t>(edge.source) + 1];
    for (std::size_t v = 0; v < n; ++v) graph.offsets[v + 1] += graph.offsets[v];
    std::vector<Offset> next(graph.offsets.begin(), graph.offsets.end() - 1);
    graph.targets.resize(edges.size());
    graph.weights.resize(edges.size());
    for (const WeightedEdge& edge : edges) {
        const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(edge.source)]++);
        graph.targets[at] = edge.target;
        graph.weights[at] = edge.weight;
    }
    return graph;
}

Graph read_mtx_graph(const Bytes& bytes) {
    const MtxHead head = parse_mtx_head(bytes);
    if (head.rows != head.cols) {
        bad_file("'{}' is {} x {}; the matrix of a graph is square", bytes.name(), head.rows, head.cols);
    }
    std::vector<WeightedEdge> edges;
    MtxEntries entries(bytes, head);
    for (MtxEntries::Triplet entry; entries.next(entry);) {
        const auto weight = static_cast<float>(entry.value);
        if (!std::isfinite(weight)) not_finite(place_in(bytes.name(), entry.row, entry.col), entry.value);
        if (!head.coordinate && entry.value == 0) continue;
        edges.push_back({entry.row, entry.col, weight});
        if (head.symmetric && entry.row != entry.col)
            edges.push_back({entry.col, entry.row, head.skew ? -weight : weight});
    }
    return graph_of(edges, head.rows, bytes.name());
}

/// Columns of source, target and weight: by name, or the first three.
std::vector<std::size_t> edge_columns(const TableSchema& schema, std::size_t width, const std::string& file) {
    std::vector<std::size_t> columns;
    std::vector<std::string> numbers;
    for (std::size_t c = 0; c < schema.names.size(); ++c) {
        if (schema.roles[c] == ColumnRole::number) numbers.push_back(lower(schema.names[c]));
    }
    for (const char* name : {"source", "target", "weight"}) {
        const auto found = std::find(numbers.begin(), numbers.end(), name);
        if (found != numbers.end()) columns.push_back(static_cast<std::size_t>(found - numbers.begin()));
    }
    if (columns.size() == 3 || (columns.size() == 2 && std::count(numbers.begin(), numbers.end(), "weight") == 0))
        return columns;
    if (width != 2 && width != 3) {
        bad_file("'{}' has {} columns of numbers; edges have source, target and, if any, weight", file, width);
    }
    columns = {0, 1, 2};
    columns.resize(width);
    return columns;
}

Index vertex(const TableRows& rows, std::size_t column) {
    const double value = rows.numbers()[column];
    if (!(value >= 0 && value < static_cast<double>(most_items)) || value != std::floor(value)) {
        bad_file("{}: {} is no id of a vertex; ids are whole numbers from 0", rows.place_of_number(column), value);
    }
    return static_cast<Index>(value);
}

/// The column of this name; the number of columns if there is none.
std::size_t column_called(const TableSchema& schema, std::string_view name) {
    const auto called = [name](const std::string& other) { return lower(other) == name; };
    const auto found = std::find_if(schema.names.begin(), schema.names.end(), called);
    return found == schema.names.end() ? schema.roles.size() : static_cast<std::size_t>(found - schema.names.begin());
}

NamedGraph read_edge_table(const Bytes& bytes) {
    TableSchema schema = detect_schema(bytes, {});
    // "target" is not a label here, and names are words also where they are numbers
    std::replace(schema.roles.begin(), schema.roles.end(), ColumnRole::label, ColumnRole::number);
    const std::size_t none = schema.roles.size();
    const std::array named{column_called(schema, "source_id"), column_called(schema, "target_id")};
    const bool has_ids = named[0] != none && named[1] != none;
    if (has_ids) schema.roles[named[0]] = schema.roles[named[1]] = ColumnRole::word;
    TableRows rows(bytes, schema);
    const std::vector<std::size_t> columns = edge_columns(schema, rows.width(), bytes.name());
    std::vector<WeightedEdge> edges;
    Index vertices = 0;
    while (rows.next()) {
        WeightedEdge edge{vertex(rows, columns[0]), vertex(rows, columns[1]), 1};
        if (columns.size() == 3) edge.weight = static_cast<float>(rows.numbers()[columns[2]]);
        if (!std::isfinite(edge.weight)) not_finite(rows.place_of_number(columns[2]), rows.numbers()[columns[2]]);
        vertices = std::max(vertices, std::max(edge.source, edge.target) + 1);
        edges.push_back(edge);
    }
    NamedGraph read;
    if (has_ids) {
        read.ids.resize(static_cast<std::size_t>(vertices));
        for (std::size_t e = 0; e < edges.size(); ++e) {
            read.ids[static_cast<std::size_t>(edges[e].source)] = rows.words(named[0]).word(e);
            read.ids[static_cast<std::size_t>(edges[e].target)] = rows.words(named[1]).word(e);
        }
    }
    read.graph = graph_of(edges, vertices, bytes.name());
    return read;
}

/// The rows of a square CSR matrix.
NamedGraph read_npz_graph(const Bytes& bytes) {
    const Npz archive(bytes);
    SparseMatrix matrix = archive.csr();
    if (matrix.rows != matrix.cols) {
        bad_file("'{}' is {} x {}; the matrix of a graph is square", bytes.name(), matrix.rows, matrix.cols);
    }
    NamedGraph read{{std::move(matrix.offsets), std::move(matrix.columns), std::move(matrix.values)}};
    if (!archive.contains("ids")) return read;
    read.ids = archive.texts("ids");
    if (read.ids.size() == static_cast<std::size_t>(matrix.rows)) return read;
    bad_file("'{}' has {} ids for {} rows; save it again", bytes.name(), read.ids.size(), matrix.rows);
}

}  // namespace

NamedGraph read_named_graph(const Bytes& bytes) {
    const std::string extension = extension_of(bytes.name());
    if (is_npz(bytes) || extension == ".npz") return read_npz_graph(bytes);
    if (is_mtx(bytes) || extension == ".mtx") return {read_mtx_graph(bytes)};
    return read_edge_table(bytes);
}

Graph read_graph(const Bytes& bytes) { return read_named_graph(bytes).graph; }

}  // namespace dunlin::io
