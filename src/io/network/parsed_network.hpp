// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include <dunlin/network.hpp>

#include "graph/simplify.hpp"
#include "io/bytes.hpp"
#include "io/growable_buffer.hpp"

namespace dunlin::io {

/// Edges of a file in its order and direction, with self-loops and repeated edges.
struct EdgeList {
    GrowableBuffer<graph::Edge> ends{"the edges of the graph"};
    GrowableBuffer<float> weights{"the weights of the edges"};  ///< one per edge; empty: all are 1

    void add(Index source, Index target) { ends.push_back({source, target}); }
    [[nodiscard]] std::span<const graph::Edge> all() const { return {ends.data(), ends.size()}; }
    [[nodiscard]] std::span<const float> all_weights() const { return {weights.data(), weights.size()}; }
};

class DotFile;
class XmlFile;

struct NetworkSource {
    Index vertices = 0;
    EdgeList edges;
    std::shared_ptr<DotFile> dot;   ///< the DOT file, else null
    std::shared_ptr<XmlFile> xml;   ///< the GraphML file, else null
    std::shared_ptr<XmlFile> gexf;  ///< the GEXF file, else null
};

/// A network as parsed: its graph is not yet built from the edges of `source`.
struct ParsedNetwork {
    Network network;
    std::shared_ptr<NetworkSource> source = std::make_shared<NetworkSource>();
    Offset comments = 0;    ///< lines among the edges that are comments
    Offset short_rows = 0;  ///< rows without the last columns, which are not used
};

/// One parser per format. Parsers take the content of a file, so that tests and fuzzers can call them.
ParsedNetwork parse_edge_text(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_dot(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_gml(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_graphml(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_pajek(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_gexf(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_gdf(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_sif(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_dimacs(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_bipartite(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_tgf(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_lgl(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_adjacency(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_node_link(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_metis(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_mtx_network(const Bytes& bytes, const NetworkOptions& options);
/// Reads a graph over rows, as write_named_graph() writes it (.npz, tables whose header names_rows()).
ParsedNetwork parse_rows_network(const Bytes& bytes, const NetworkOptions& options, const char* kind);
/// Whether the header of a table has row numbers and ids of both ends of an edge.
bool names_rows(const Bytes& bytes);

/// The graph of a square table or dense array that can be an adjacency matrix and nothing else: it has no negative
/// number, and names or a diagonal of zeros. Nothing for any other file.
std::optional<ParsedNetwork> parse_adjacency_matrix(const Bytes& bytes, const NetworkOptions& options);
/// Whether a file is a .npy or an .npz without a sparse matrix.
bool is_dense_array(const Bytes& bytes);

/// Parses by the extension or the content, and builds the graph.
ParsedNetwork parse_network(const Bytes& bytes, const NetworkOptions& options);
Network read_network(const Bytes& bytes, const NetworkOptions& options, const Run& run = {});

/// "1", "2", ...: names of vertices that a format numbers from 1.
std::vector<std::string> ids_from_one(Index vertices);

/// Whether weights are to be ignored.
inline bool ignores_weights(const NetworkOptions& options) { return options.weights_from == "none"; }

/// Whether weights of a format that does not name them are to be ignored. Throws Error{bad_input} if the option names
/// an attribute.
bool ignores_unnamed_weights(const NetworkOptions& options, const std::string& file);

/// Converts to the weight of an edge. Throws Error{bad_file} unless it is finite and > 0; place() and edge() give the
/// location and the name of the edge for the message.
template <class Place, class EdgeName>
float weight_of(double value, const Place& place, const EdgeName& edge);

/// Throws Error{bad_file} for a text that is no number where the weight of an edge is.
template <class Place>
[[noreturn]] void no_weight(std::string_view text, const Place& place, const std::string& edge);

}  // namespace dunlin::io

#include <cmath>

#include "io/remedy.hpp"

namespace dunlin::io {

template <class Place, class EdgeName>
float weight_of(double value, const Place& place, const EdgeName& edge) {
    const auto weight = static_cast<float>(value);
    if (weight > 0 && std::isfinite(weight)) [[likely]]
        return weight;
    refuse_unless({"weights-from", "none"}, Fault::bad_file,
                  "{}: the edge {} weighs {}; a weight is a finite number > 0; correct it, or read the edges without",
                  place(), edge(), value);
}

template <class Place>
[[noreturn]] void no_weight(std::string_view text, const Place& place, const std::string& edge) {
    refuse_unless({"weights-from", "none"}, Fault::bad_file,
                  "{}: '{}' is no weight of the edge {}; write a number > 0, or read the edges without", place,
                  shown(text), edge);
}

}  // namespace dunlin::io
