// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <dunlin/formats.hpp>
#include <dunlin/io.hpp>
#include <dunlin/named_graph.hpp>

#include "io/fail.hpp"
#include "io/npy.hpp"
#include "io/output.hpp"
#include "io/zip.hpp"

namespace dunlin::io {

namespace {

template <class T>
std::string_view bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// In the form of scipy.sparse.save_npz, uncompressed. Zero weights (equal points) are kept: they are edges.
void write_npz(Output& out, const Graph& graph, Index columns, std::span<const std::string> ids) {
    ZipOutput zip(out);
    zip.add("indices.npy", npy_header("<i4", {graph.targets.size()}), bytes_of(graph.targets));
    zip.add("indptr.npy", npy_header("<i8", {graph.offsets.size()}), bytes_of(graph.offsets));
    zip.add("format.npy", npy_header("|S3", {}), "csr");
    const std::vector<std::int64_t> shape{graph.size(), columns};
    zip.add("shape.npy", npy_header("<i8", {2}), bytes_of(shape));
    zip.add("data.npy", npy_header("<f4", {graph.weights.size()}), bytes_of(graph.weights));
    if (!ids.empty()) add_texts(zip, "ids", ids);
    zip.finish();
}

/// One line per edge; rows are numbered from `first`, and their ids follow, if there are any.
void write_edges(Output& out, const Graph& graph, char delimiter, Offset first, std::span<const std::string> ids = {},
                 std::span<const std::string> targets = {}) {
    for (std::size_t v = 0; v + 1 < graph.offsets.size(); ++v) {
        for (Offset e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
            out.number(static_cast<Offset>(v) + first);
            out.character(delimiter);
            out.number(graph.targets[static_cast<std::size_t>(e)] + first);
            out.character(delimiter);
            out.number(graph.weights[static_cast<std::size_t>(e)]);
            if (!ids.empty()) {
                out.character(delimiter);
                out.field(ids[v], delimiter);
                out.character(delimiter);
                out.field(targets[static_cast<std::size_t>(graph.targets[static_cast<std::size_t>(e)])], delimiter);
            }
            out.character('\n');
        }
    }
}

void check(const Graph& graph, const std::string& name) {
    const auto edges = static_cast<std::size_t>(graph.edges());
    if (graph.targets.size() != edges || graph.weights.size() != edges) {
        bad_input("graph for '{}': {} targets and {} weights are not the {} edges that its rows hold", name,
                  graph.targets.size(), graph.weights.size(), edges);
    }
    for (std::size_t e = 0; e < edges; ++e) {
        if (!std::isfinite(graph.weights[e])) bad_input("graph for '{}': the weight of edge {} is not finite", name, e);
    }
}

/// ids, targets: names of both ends of edges; empty: none. Only a graph over the same rows keeps them in .npz.
void write(const std::filesystem::path& path, const Graph& graph, Index columns, std::span<const std::string> ids,
           std::span<const std::string> targets) {
    check(graph, path.string());
    const std::string extension = format_of(path, "a graph is", formats::neighbors);
    Output out(path);
    if (extension == ".npz") {
        write_npz(out, graph, columns, ids.data() == targets.data() ? ids : std::span<const std::string>{});
    } else if (extension == ".mtx") {
        out.text(fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", graph.size(), columns,
                             graph.edges()));
        write_edges(out, graph, ' ', 1);
    } else {
        const char delimiter = extension == ".tsv" ? '\t' : ',';
        out.text(fmt::format("source{0}target{0}weight", delimiter));
        if (!ids.empty()) out.text(fmt::format("{0}source_id{0}target_id", delimiter));
        out.character('\n');
        write_edges(out, graph, delimiter, 0, ids, targets);
    }
    out.commit();
}

}  // namespace

void write_graph(const std::filesystem::path& path, const Graph& graph, std::optional<Index> targets) {
    write(path, graph, targets.value_or(graph.size()), {}, {});
}

void write_named_graph(const std::filesystem::path& path, const Graph& graph, std::span<const std::string> ids,
                       std::span<const std::string> targets) {
    if (!ids.empty() && ids.size() != static_cast<std::size_t>(graph.size()))
        bad_input("graph for '{}': {} ids are given for {} rows", path.string(), ids.size(), graph.size());
    if (targets.empty()) return write(path, graph, graph.size(), ids, ids);
    write(path, graph, static_cast<Index>(targets.size()), ids, targets);
}

}  // namespace dunlin::io
