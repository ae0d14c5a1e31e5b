// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/network/parsed_network.hpp"
#include "io/network/vertex_table.hpp"
#include "io/network/weight_names.hpp"

namespace dunlin::io {

/// An edge of a format whose vertices have ids, and the best of its attributes as its weight. Texts are views of what
/// outlives it, `place` is in the file.
struct NamedEdge {
    std::string_view source, target;
    const char* place = nullptr;
    std::size_t rank = no_weights;  ///< of the name of its weight
    double weight = std::numeric_limits<double>::quiet_NaN();
    std::string_view text;  ///< of its weight
};

/// Edges with attributes of their own, which may precede their vertices: the ends are found and the weights chosen when
/// all are there.
class NamedEdges {
public:
    NamedEdges(const Bytes& bytes, const NetworkOptions& options) : bytes_(bytes), options_(options) {}

    /// Takes an attribute of an edge as its weight, if its name is a better one than that of the weight so far.
    /// weight: NaN of a text that is no number.
    void offer(NamedEdge& edge, std::string_view name, double weight, std::string_view text);

    void add(const NamedEdge& edge);

    [[nodiscard]] std::vector<NamedEdge>& all() { return edges_; }

    /// Adds the edges to the network. Throws Error{bad_file} for an end that is no vertex and for a wrong weight.
    void join(const VertexTable& vertices, ParsedNetwork& parsed);

private:
    struct Name {
        std::string_view name;
        std::size_t rank;
        bool number;
    };

    std::size_t rank_of(std::string_view name, bool number);
    void settle_weights(Network& network) const;
    [[nodiscard]] float weight(const NamedEdge& edge) const;
    [[nodiscard]] Index vertex(const VertexTable& vertices, std::string_view id, const char* end,
                               const char* place) const;

    const Bytes& bytes_;
    const NetworkOptions& options_;
    std::vector<NamedEdge> edges_;
    std::vector<Name> names_;  ///< of attributes
    std::unordered_map<std::string_view, std::size_t> known_;
    std::size_t best_rank_ = no_weights;
};

}  // namespace dunlin::io
