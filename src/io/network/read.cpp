// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include <dunlin/columns.hpp>
#include <dunlin/labels.hpp>

#include "io/as_text.hpp"
#include "io/fail.hpp"
#include "io/mtx.hpp"
#include "io/network/adjacency.hpp"
#include "io/network/konect.hpp"
#include "io/network/labels.hpp"
#include "io/network/node_link.hpp"
#include "io/network/other_formats.hpp"
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

namespace {

/// Throws for an option of lists of edges, of which this file is none.
void refuse_options_of_lists(const Bytes& bytes, const NetworkOptions& options) {
    if (options.header != Header::automatic)
        bad_option("header", "'{}' is no list of edges; leave the option out", bytes.name());
    if (options.decimal != Decimal::automatic)
        bad_option("decimal", "'{}' is no table of text; leave the option out", bytes.name());
}

using Parser = ParsedNetwork (*)(const Bytes&, const NetworkOptions&);

/// The parser of a format without rows of text; null for another one.
Parser parser_of(const Bytes& bytes, const std::string& extension) {
    if (extension == ".mtx" || is_mtx(bytes)) return parse_mtx_network;
    if (extension == ".npz") {
        return
            [](const Bytes& file, const NetworkOptions& options) { return parse_rows_network(file, options, "npz"); };
    }
    if (extension == ".dot" || extension == ".gv") return parse_dot;
    if (extension == ".json" || extension == ".cyjs") return parse_node_link;
    if (extension == ".gexf") return parse_gexf;
    if (extension == ".gml") return parse_gml;
    if (extension == ".graphml") return parse_graphml;
    if (extension == ".graph" || extension == ".metis") return parse_metis;
    return nullptr;
}

/// A list of edges, and nothing that only looks like one.
ParsedNetwork parse_edges(const Bytes& bytes, const NetworkOptions& options) {
    if (has_colons(bytes)) {
        refuse_options_of_lists(bytes, options);
        return parse_adjacency(bytes, options);
    }
    ParsedNetwork parsed;
    try {
        parsed = parse_edge_text(bytes, options);
    } catch (const Error& error) {
        rethrow_out_of_memory(error);
        if (auto marked = parsed_as(marked_format(bytes), bytes, options)) return std::move(*marked);
        if (auto lists = parsed_as(adjacency_format(bytes), bytes, options)) return std::move(*lists);
        throw;
    }
    if (parsed.comments > 0) {
        if (auto marked = parsed_as(marked_format(bytes), bytes, options)) return std::move(*marked);
    }
    if (parsed.short_rows > 0) {
        if (auto lists = parsed_as(adjacency_format(bytes), bytes, options)) return std::move(*lists);
        parsed.network.warnings.push_back(fmt::format("rows with fewer columns than the first: {}", parsed.short_rows));
    }
    if (const KonectHead head = konect_head(bytes); !head.form.empty()) {
        parsed.network.kind = "konect";
        parsed.network.directed = head.form == "asym";
        say_wrong_counts(head, parsed);
    }
    return parsed;
}

}  // namespace

ParsedNetwork parse_network(const Bytes& bytes, const NetworkOptions& options) {
    const std::string extension = extension_of(bytes.name());
    if (bytes.size() == 0) bad_file("'{}' is empty; give a graph", bytes.name());
    if ((extension == ".json" || extension == ".cyjs") && !is_node_link(bytes)) refuse_json(bytes.name());
    if (is_dense_array(bytes)) {
        if (std::optional<ParsedNetwork> matrix = parse_adjacency_matrix(bytes, options)) return std::move(*matrix);
        bad_file("'{}' is a dense array; as a graph it is square, with no negative number and zeros on its diagonal",
                 bytes.name());
    }
    if (const Parser parse = parser_of(bytes, extension)) {
        refuse_options_of_lists(bytes, options);
        return parse(bytes, options);
    }
    if (names_rows(bytes)) return parse_rows_network(bytes, options, "csv");
    const OtherFormat other = other_format(bytes);
    if (!other.name.empty()) refuse_options_of_lists(bytes, options);
    if (auto parsed = parsed_as(other, bytes, options)) return std::move(*parsed);
    if (std::optional<ParsedNetwork> matrix = parse_adjacency_matrix(bytes, options)) return std::move(*matrix);
    return parse_edges(bytes, options);
}

std::vector<std::string> vertex_names(const Network& network) {
    std::vector<std::string> names = network.ids;
    if (!names.empty() || network.kind == "npz") return names;
    for (Index v = 0; v < network.graph.size(); ++v) names.push_back(std::to_string(v));
    return names;
}

namespace {

void read_labels_beside(const std::string& labels, const std::string& file, Network& network) {
    const FileColumn at = split_file_column(labels);
    if (at.file.empty()) {
        bad_option(
            "labels",
            "'{}' is neither an attribute of the vertices of '{}' nor a file; give one of the two, or FILE:COLUMN",
            labels, file);
    }
    read_network_labels(load(at.file), at.column, file, network);
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

/// The graph of a file's edges. A list or a matrix may have each edge from both ends; an undirected graph whose edges
/// are objects, as in DOT or GML, has two edges then.
graph::SimpleGraph simplified(const Network& network, const NetworkSource& source, bool lengths, const Run& run) {
    constexpr std::array<std::string_view, 7> objects{"dot", "gml", "graphml", "gexf", "gdf", "pajek", "node-link"};
    const bool of_objects = std::find(objects.begin(), objects.end(), network.kind) != objects.end();
    const graph::Repeated adding = of_objects && !network.directed ? graph::Repeated::add : graph::Repeated::add_listed;
    device::Cpu cpu(run);
    return graph::simplify(cpu, source.vertices, source.edges.all(), source.edges.all_weights(),
                           lengths ? graph::Repeated::least : adding);
}

/// Adds up the entries of a matrix at one place, which are one number.
void add_up_entries(EdgeList& edges) {
    struct Entry {
        graph::Edge edge;
        double value;
        [[nodiscard]] auto place() const { return std::pair(edge.source, edge.target); }
    };
    std::vector<Entry> entries(edges.ends.size());
    for (std::size_t e = 0; e < entries.size(); ++e)
        entries[e] = {edges.ends.data()[e], static_cast<double>(edges.weights.data()[e])};
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.place() < b.place(); });
    edges.ends.clear();
    edges.weights.clear();
    for (std::size_t e = 0; e < entries.size();) {
        Entry sum = entries[e];
        for (++e; e < entries.size() && entries[e].place() == sum.place(); ++e) sum.value += entries[e].value;
        edges.ends.push_back(sum.edge);
        edges.weights.push_back(static_cast<float>(sum.value));
    }
}

/// Says what became of repeated edges.
void say_repeated(const graph::SimpleGraph& simple, bool lengths, Network& network) {
    if (simple.multi_edges == 0) return;
    if (simple.both_ends) {
        network.warnings.push_back("every edge is listed from both of its ends, and counts once");
        return;
    }
    const char* const rule =
        lengths ? "the least of their lengths counts"
                : "their weights add up, but count once where both directions of an edge have the same";
    network.warnings.push_back(fmt::format("repeated edges: {}; {}", simple.multi_edges, rule));
}

}  // namespace

Network read_network(const Bytes& bytes, const NetworkOptions& options, const Run& run) {
    ParsedNetwork parsed = parse_network(bytes, options);
    Network& network = parsed.network;
    note_said(bytes, network.notes);
    check_graph_number(network, options, bytes.name());
    want_graph(*parsed.source, bytes.name());
    graph::SimpleGraph simple = simplified(network, *parsed.source, options.lengths, run);
    const bool is_matrix = network.kind == "mtx" || network.kind == "npz";
    if (is_matrix && options.lengths && network.weighted && simple.multi_edges > 0) {
        add_up_entries(parsed.source->edges);
        simple = simplified(network, *parsed.source, options.lengths, run);
    }
    say_repeated(simple, options.lengths, network);
    network.graph = std::move(simple.graph);
    network.self_loops = simple.self_loops;
    network.multi_edges = simple.multi_edges;
    network.source = std::move(parsed.source);
    return std::move(network);
}

Graph joined(const Network& network, bool lengths, const Run& run) {
    return network.source == nullptr ? network.graph : simplified(network, *network.source, lengths, run).graph;
}

Network read_network(const std::filesystem::path& path, const NetworkOptions& options, const Run& run) {
    return run_reader(path, run, [&] {
        Network network = read_network(load(path), options, run);
        if (!options.labels.empty() && network.labels.empty()) {
            read_labels_beside(options.labels, path.string(), network);
        }
        note_unlabeled(network.labels, network.notes);
        return network;
    });
}

}  // namespace dunlin::io
