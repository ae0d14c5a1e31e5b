// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/mtx.hpp"
#include "io/network/other_formats.hpp"
#include "io/network/weight_names.hpp"
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

/// Columns of source, target and weight, if any: by name, else the first three.
std::vector<std::size_t> edge_columns(const std::vector<std::string>& names, std::size_t width,
                                      const std::string& file) {
    const auto named = [&](std::string_view name) {
        const auto same = [&](const std::string& other) { return lower(other) == name; };
        return static_cast<std::size_t>(std::find_if(names.begin(), names.end(), same) - names.begin());
    };
    const std::size_t source = named("source"), target = named("target");
    const std::size_t weight = find_weights(names, {.lengths = true});
    const bool ends = source < names.size() && target < names.size();
    if (ends && weight < names.size()) return {source, target, weight};
    if (ends && (width != 3 || is_no_weight(names[3 - source - target], {.lengths = true}))) return {source, target};
    if (ends) return {source, target, 3 - source - target};
    if (width != 2 && width != 3) {
        bad_file("'{}' has {} columns of numbers; edges have source, target and, if any, weight", file, width);
    }
    return width == 2 ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{0, 1, 2};
}

/// Says which column without a usual name has the weights.
void say_weights(const std::vector<std::string>& names, const std::vector<std::size_t>& columns,
                 const std::string& file, const Run& run) {
    if (columns.size() < 3 || names.empty() || !run.on_notice) return;
    const std::string& name = names[columns[2]];
    if (weight_rank(name, {.lengths = true}) != no_weights) return;
    if (is_strength(name)) {
        run.on_notice(Notice::warning,
                      fmt::format("{}: read with the column '{}' as the weights: as neighbors, these are distances, of "
                                  "which the larger is farther; give 1 - similarity or the like",
                                  file, shown(name)));
    } else {
        run.on_notice(Notice::note, fmt::format("{}: read with the column '{}' as the weights", file, shown(name)));
    }
}

/// Whether a column has the names of the rows that are the ends of edges (write_named_graph).
bool names_row(const std::string& column) { return lower(column) == "source_id" || lower(column) == "target_id"; }

/// Says which columns are not used.
void say_left_out(const TableSchema& schema, const std::vector<std::size_t>& used, const std::string& file,
                  const Run& run) {
    std::string list;
    std::size_t number = 0;
    for (std::size_t c = 0; c < schema.roles.size(); ++c) {
        const bool is_number = schema.roles[c] == ColumnRole::number;
        if (schema.roles[c] == ColumnRole::empty || (!schema.names.empty() && names_row(schema.names[c]))) continue;
        if (is_number && std::find(used.begin(), used.end(), number++) != used.end()) continue;
        list += fmt::format("{}{}", list.empty() ? "" : ", ", schema.title(c));
    }
    if (!list.empty() && run.on_notice)
        run.on_notice(Notice::note, fmt::format("{}: columns that are not used: {}", file, list));
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

void name_row(std::vector<std::string>& ids, Index row, const std::string& name, const std::string& file) {
    std::string& id = ids[static_cast<std::size_t>(row)];
    if (!id.empty() && id != name)
        bad_file("'{}' names row {} '{}' and '{}'; if its edges lead from queries to points, it is no graph of rows",
                 file, row, shown(id), shown(name));
    id = name;
}

NamedGraph read_edge_table(const Bytes& bytes, const Run& run) {
    refuse_other_format(bytes);
    TableSchema schema = detect_schema(bytes, {});
    // "target" is not a label here, and names are words also where they are numbers
    std::replace(schema.roles.begin(), schema.roles.end(), ColumnRole::label, ColumnRole::number);
    const std::size_t none = schema.roles.size();
    const std::array named{column_called(schema, "source_id"), column_called(schema, "target_id")};
    const bool has_ids = named[0] != none && named[1] != none;
    if (has_ids) schema.roles[named[0]] = schema.roles[named[1]] = ColumnRole::word;
    TableRows rows(bytes, schema);
    std::vector<std::string> names;
    for (std::size_t c = 0; c < schema.names.size(); ++c) {
        if (schema.roles[c] == ColumnRole::number) names.push_back(schema.names[c]);
    }
    const std::vector<std::size_t> columns = edge_columns(names, rows.width(), bytes.name());
    say_left_out(schema, columns, bytes.name(), run);
    say_weights(names, columns, bytes.name(), run);
    if (columns.size() == 2 && run.on_notice)
        run.on_notice(Notice::note, fmt::format("{}: its edges have no weights; each weighs 1", bytes.name()));
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
            name_row(read.ids, edges[e].source, rows.words(named[0]).word(e), bytes.name());
            name_row(read.ids, edges[e].target, rows.words(named[1]).word(e), bytes.name());
        }
        const auto nameless = std::find(read.ids.begin(), read.ids.end(), "");
        if (nameless != read.ids.end()) {
            bad_file("'{}': row {} has no edge, hence no name; give the graph as .npz, which has all names",
                     bytes.name(), nameless - read.ids.begin());
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

NamedGraph read_named_graph(const Bytes& bytes, const Run& run) {
    const std::string extension = extension_of(bytes.name());
    if (is_npz(bytes) || extension == ".npz") return read_npz_graph(bytes);
    if (is_mtx(bytes) || extension == ".mtx") return {read_mtx_graph(bytes)};
    return read_edge_table(bytes, run);
}

Graph read_graph(const Bytes& bytes, const Run& run) { return read_named_graph(bytes, run).graph; }

}  // namespace dunlin::io
