// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "io/network/parsed_network.hpp"
#include "io/network/text_lines.hpp"
#include "io/network/weight_names.hpp"
#include "io/number.hpp"

namespace dunlin::io {

/// The weight that a word of the file is. Throws Error{bad_file} for another word; edge() gives the name of the edge.
template <class EdgeName>
float weight_in(const Bytes& bytes, std::string_view word, const EdgeName& edge) {
    double value = 0;
    if (!parse_field(word, '.', value)) no_weight(word, place_of(bytes, word), edge());
    return weight_of(value, [&] { return place_of(bytes, word); }, edge);
}

/// Weights of edges of which any may have none. Call one of the two for each edge, in its order.
class OptionalWeights {
public:
    void add(EdgeList& edges, float weight) {
        edges.weights.push_back(weight);
        ++with_;
    }
    void add_none(EdgeList& edges) {
        edges.weights.push_back(1);
        ++without_;
    }
    /// Leaves the network without weights if no edge has one, else says how many have none.
    void settle(ParsedNetwork& parsed) const {
        parsed.network.weighted = with_ > 0;
        if (with_ == 0) parsed.source->edges.weights.clear();
        say_without_weight(without_, parsed.network);
    }

private:
    Offset with_ = 0, without_ = 0;
};

}  // namespace dunlin::io
