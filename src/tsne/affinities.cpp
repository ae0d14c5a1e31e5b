// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include <dunlin/error.hpp>
#include <dunlin/tsne.hpp>

#include "device/cancel.hpp"
#include "device/choose.hpp"
#include "device/progress.hpp"
#include "graph/symmetrize.hpp"
#include "neighbors/require_distances.hpp"
#include "tsne/perplexity.hpp"

namespace dunlin::tsne {

namespace {

/// The least number of neighbors of a point, and the first point that has it.
std::pair<Offset, Index> min_degree(const Graph& graph) {
    std::pair<Offset, Index> least{graph.edges() + 1, 0};
    for (Index i = 0; i < graph.size(); ++i) {
        const auto row = static_cast<std::size_t>(i);
        least = std::min(least, {graph.offsets[row + 1] - graph.offsets[row], i});
    }
    return least;
}

}  // namespace

void require_perplexity(float perplexity, Offset min_degree, Index point) {
    if (perplexity >= 1 && perplexity <= static_cast<float>(std::max<Offset>(min_degree, 1))) return;
    throw Error(Fault::bad_input,
                fmt::format("perplexity is {} but point {} has {} neighbors; it must be in 1 to {}", perplexity, point,
                            min_degree, min_degree),
                {.option = "perplexity", .row = point});
}

Graph affinities(const Graph& graph, float perplexity, const Run& run) {
    device::check(run);
    device::Cpu cpu(run);
    Graph result;
    device::run_cancellable(run.stop, [&] {
        device::ProgressReporter reporter(run, "affinities", 1);
        neighbors::require_distances(cpu, graph);
        result = affinities_of_distances(cpu, graph, perplexity);
    });
    return result;
}

Graph affinities_of_distances(device::Cpu& cpu, const Graph& neighbors, float perplexity) {
    const Index n = neighbors.size();
    if (n > 1) {
        const auto [degree, point] = min_degree(neighbors);
        require_perplexity(perplexity, degree, point);
    }
    return graph::symmetrize(cpu, neighbors, conditional_affinities(cpu, neighbors, perplexity),
                             graph::ScaledSum{1.0 / (2.0 * std::max<Index>(n, 1))});
}

}  // namespace dunlin::tsne
