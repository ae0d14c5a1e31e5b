// SPDX-License-Identifier: Apache-2.0
#include <dunlin/edges.hpp>

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "device/choose.hpp"
#include "device/cpu.hpp"
#include "device/fail.hpp"
#include "graph/simplify.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::graph {

namespace {

void check_edges(Index vertices, std::span<const Index> sources, std::span<const Index> targets,
                 std::span<const float> weights) {
    if (vertices < 0) device::bad_option("vertices", fmt::format("vertices is {}; it must be at least 0", vertices));
    if (sources.size() != targets.size() || (!weights.empty() && weights.size() != sources.size())) {
        throw Error(Fault::bad_input, fmt::format("{} sources, {} targets and {} weights; they must be one per edge",
                                                  sources.size(), targets.size(), weights.size()));
    }
    for (std::size_t e = 0; e < sources.size(); ++e) {
        if (e % 65536 == 0) progress::cancellation_point();
        for (const Index v : {sources[e], targets[e]}) {
            if (v >= 0 && v < vertices) continue;
            device::bad_row(
                static_cast<Offset>(e),
                fmt::format("edge {} has vertex {}; vertices are numbered from 0 to {}", e, v, vertices - 1));
        }
        if (weights.empty() || (std::isfinite(weights[e]) && weights[e] > 0)) continue;
        device::bad_row(static_cast<Offset>(e), fmt::format("edge {} ({} - {}) has weight {}; weights must be above 0",
                                                            e, sources[e], targets[e], weights[e]));
    }
}

}  // namespace

SimpleGraph simple_graph(Index vertices, std::span<const Index> sources, std::span<const Index> targets,
                         std::span<const float> weights, const Run& run, Repeated repeated) {
    device::require_cpu(run, "graphs of edge lists are");
    SimpleGraph made;
    progress::run_cancellable(run.stop, [&] {
        check_edges(vertices, sources, targets, weights);
        std::vector<Edge> edges(sources.size());
        device::Cpu cpu(run);
        cpu.each(std::ssize(edges), [&](Offset e) { edges[at(e)] = {sources[at(e)], targets[at(e)]}; });
        made = simplify(cpu, vertices, edges, weights, repeated);
    });
    return made;
}

}  // namespace dunlin::graph
