// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include <dunlin/network.hpp>

#include "graph/simplify.hpp"
#include "io/bytes.hpp"
#include "io/growable_buffer.hpp"

namespace dunlin::io {

/// The edges of a file, in its order and direction, self-loops and repeated ones among them.
struct EdgeList {
    GrowableBuffer<graph::Edge> ends{"the edges of the graph"};
    GrowableBuffer<float> weights{"the weights of the edges"};  ///< one per edge, or none: each is 1

    void add(Index source, Index target) { ends.push_back({source, target}); }
    [[nodiscard]] std::span<const graph::Edge> all() const { return {ends.data(), ends.size()}; }
    [[nodiscard]] std::span<const float> all_weights() const { return {weights.data(), weights.size()}; }
};

class DotFile;
class XmlFile;

struct NetworkSource {
    Index vertices = 0;
    EdgeList edges;
    std::shared_ptr<DotFile> dot;  ///< of a DOT file: all of it
    std::shared_ptr<XmlFile> xml;  ///< of a GraphML file: all of it
};

/// A network on its way: its graph is not built yet from the edges of `source`.
struct ParsedNetwork {
    Network network;
    std::shared_ptr<NetworkSource> source = std::make_shared<NetworkSource>();
};

/// One reader per format; each takes a file's content, so that tests and fuzzers can feed it from memory.
ParsedNetwork parse_edge_text(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_dot(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_gml(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_graphml(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_metis(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_mtx_network(const Bytes& bytes, const NetworkOptions& options);
ParsedNetwork parse_npz_network(const Bytes& bytes, const NetworkOptions& options);

/// The reader that fits the extension or the content; the graph is built.
ParsedNetwork parse_network(const Bytes& bytes, const NetworkOptions& options);
Network read_network(const Bytes& bytes, const NetworkOptions& options, const Run& run = {});

/// "1", "2", ...: the names of vertices that a format numbers from 1.
std::vector<std::string> ids_from_one(Index vertices);

/// Are the weights of the edges to be left out?
inline bool ignores_weights(const NetworkOptions& options) { return options.weights_from == "none"; }

/// The same where a format has one place for weights, without a name. Throws Error{bad_input} for any other name.
bool ignores_unnamed_weights(const NetworkOptions& options, const std::string& file);

/// `value` as the weight of an edge. Throws Error{bad_file} if it is not a finite number > 0; place() is where the file
/// says so and edge() how it calls the edge.
template <class Place, class EdgeName>
float weight_of(double value, const Place& place, const EdgeName& edge);

}  // namespace dunlin::io

#include <cmath>

#include "io/fail.hpp"

namespace dunlin::io {

template <class Place, class EdgeName>
float weight_of(double value, const Place& place, const EdgeName& edge) {
    const auto weight = static_cast<float>(value);
    if (weight > 0 && std::isfinite(weight)) [[likely]]
        return weight;
    bad_file(
        "{}: the edge {} weighs {}; a weight is a finite number > 0; correct it, or read the edges without "
        "(weights-from: none)",
        place(), edge(), value);
}

}  // namespace dunlin::io
