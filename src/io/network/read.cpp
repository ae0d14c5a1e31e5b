// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <dunlin/labels.hpp>

#include "io/fail.hpp"
#include "io/mtx.hpp"
#include "io/network/labels.hpp"
#include "io/network/parsed_network.hpp"
#include "io/readers.hpp"
#include "io/run_reader.hpp"

namespace dunlin::io {

std::vector<std::string> ids_from_one(Index vertices) {
    std::vector<std::string> ids;
    require_memory(static_cast<std::uint64_t>(vertices) * sizeof(std::string), "the names of the vertices");
    ids.reserve(static_cast<std::size_t>(vertices));
    for (Index v = 0; v < vertices; ++v) ids.push_back(std::to_string(Offset{v} + 1));
    return ids;
}

bool ignores_unnamed_weights(const NetworkOptions& options, const std::string& file) {
    if (options.weights_from.empty() || options.weights_from == "none") return !options.weights_from.empty();
    bad_option("weights-from",
               "'{}' has no columns or attributes, hence none called '{}'; leave the option out, or say none", file,
               shown(options.weights_from));
}

ParsedNetwork parse_network(const Bytes& bytes, const NetworkOptions& options) {
    const std::string extension = extension_of(bytes.name());
    if (bytes.size() == 0) bad_file("'{}' is empty; give a graph", bytes.name());
    if (extension == ".json") refuse_json(bytes.name());
    if (extension == ".mtx" || is_mtx(bytes)) return parse_mtx_network(bytes, options);
    if (extension == ".npz") return parse_npz_network(bytes, options);
    if (extension == ".dot" || extension == ".gv") return parse_dot(bytes, options);
    if (extension == ".gml") return parse_gml(bytes, options);
    if (extension == ".graphml") return parse_graphml(bytes, options);
    if (extension == ".graph" || extension == ".metis") return parse_metis(bytes, options);
    return parse_edge_text(bytes, options);
}

namespace {

Labels labels_from_file(const std::string& labels, const std::string& file, const Network& network) {
    std::error_code error;
    if (!std::filesystem::exists(labels, error)) {
        bad_option("labels", "'{}' is neither an attribute of the vertices of '{}' nor a file; give one of the two",
                   labels, file);
    }
    return read_network_labels(load(labels), network);
}

/// Requires the memory of the rows of a graph, with edges in both directions, and of their construction.
void want_graph(const NetworkSource& source, const std::string& file) {
    const auto ends = 2 * static_cast<std::uint64_t>(source.edges.ends.size());
    const std::uint64_t in_the_making = source.edges.weights.size() > 0 ? 12 : 8;
    require_memory(3 * sizeof(Offset) * static_cast<std::uint64_t>(source.vertices) + ends * (8 + in_the_making),
                   "the graph of '" + file + "'");
}

/// Rejects options.graph beyond the graphs of the file. Only DOT files have several.
void check_graph_number(const Network& network, const NetworkOptions& options, const std::string& file) {
    if (network.kind == "dot" || options.graph == 0 || options.graph == 1) return;
    bad_option("graph", "there is no graph {} in '{}', which holds one; leave the option out", options.graph, file);
}

}  // namespace

Network read_network(const Bytes& bytes, const NetworkOptions& options, const Run& run) {
    ParsedNetwork parsed = parse_network(bytes, options);
    check_graph_number(parsed.network, options, bytes.name());
    want_graph(*parsed.source, bytes.name());
    device::Cpu cpu(run);
    graph::SimpleGraph simple =
        graph::simplify(cpu, parsed.source->vertices, parsed.source->edges.all(), parsed.source->edges.all_weights());
    parsed.network.graph = std::move(simple.graph);
    parsed.network.self_loops = simple.self_loops;
    parsed.network.multi_edges = simple.multi_edges;
    parsed.network.source = std::move(parsed.source);
    return std::move(parsed.network);
}

Network read_network(const std::filesystem::path& path, const NetworkOptions& options, const Run& run) {
    return run_reader(path, run, [&] {
        Network network = read_network(load(path), options, run);
        if (!options.labels.empty() && network.labels.empty()) {
            network.labels = labels_from_file(options.labels, path.string(), network);
        }
        note_unlabeled(network.labels, network.notes);
        return network;
    });
}

}  // namespace dunlin::io
