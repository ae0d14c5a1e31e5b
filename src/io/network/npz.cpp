// SPDX-License-Identifier: Apache-2.0
#include "io/network/draft.hpp"
#include "io/readers.hpp"

namespace dunlin::io {

Draft draft_npz(const Bytes& bytes, const NetworkOptions& options) {
    const Graph rows = read_graph(bytes);
    Draft draft;
    draft.network.kind = "npz";
    draft.network.directed = true;
    draft.network.weighted = !leaves_out_unnamed_weights(options, bytes.name());
    draft.source->vertices = rows.size();
    for (Index v = 0; v < rows.size(); ++v) {
        const auto begin = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(v)]);
        const auto end = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(v) + 1]);
        for (std::size_t e = begin; e < end; ++e) {
            draft.source->edges.add(v, rows.targets[e]);
            if (!draft.network.weighted) continue;
            draft.source->edges.weights.push_back(weight_of(
                static_cast<double>(rows.weights[e]), [&] { return bytes.name(); },
                [&] { return fmt::format("{} {}", v, rows.targets[e]); }));
        }
    }
    return draft;
}

}  // namespace dunlin::io
