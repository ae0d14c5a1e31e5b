// SPDX-License-Identifier: Apache-2.0
#include "io/network/parsed_network.hpp"
#include "io/readers.hpp"

namespace dunlin::io {

ParsedNetwork parse_npz_network(const Bytes& bytes, const NetworkOptions& options) {
    const Graph rows = read_graph(bytes);
    ParsedNetwork parsed;
    parsed.network.kind = "npz";
    parsed.network.directed = true;
    parsed.network.weighted = !ignores_unnamed_weights(options, bytes.name());
    parsed.source->vertices = rows.size();
    for (Index v = 0; v < rows.size(); ++v) {
        const auto begin = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(v)]);
        const auto end = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(v) + 1]);
        for (std::size_t e = begin; e < end; ++e) {
            parsed.source->edges.add(v, rows.targets[e]);
            if (!parsed.network.weighted) continue;
            parsed.source->edges.weights.push_back(weight_of(
                static_cast<double>(rows.weights[e]), [&] { return bytes.name(); },
                [&] { return fmt::format("{} {}", v, rows.targets[e]); }));
        }
    }
    return parsed;
}

}  // namespace dunlin::io
