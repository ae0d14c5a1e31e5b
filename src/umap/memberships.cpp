// SPDX-License-Identifier: Apache-2.0
#include "umap/memberships.hpp"

#include <algorithm>
#include <utility>

#include "device/choose.hpp"
#include "graph/symmetrize.hpp"
#include "math/at.hpp"
#include "neighbors/require_distances.hpp"
#include "options/check.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "umap/local_scale.hpp"
#include "umap/radii.hpp"

namespace dunlin::umap {

double mean_distance(device::Cpu& cpu, const Graph& neighbors) {
    device::Cell<double> total;
    cpu.sum(neighbors.edges(), [&](Offset e) { return neighbors.weights[at(e)]; }, total);
    return total.value / static_cast<double>(std::max<Offset>(neighbors.edges() + neighbors.size(), 1));
}

Graph memberships_of_distances(device::Cpu& cpu, const Graph& neighbors, const Options& options) {
    const auto mean = static_cast<float>(mean_distance(cpu, neighbors));
    std::vector<float> of_neighbor(neighbors.weights.size());
    cpu.each(
        neighbors.size(),
        [&](Offset i) {
            const Offset begin = neighbors.offsets[at(i)], end = neighbors.offsets[at(i) + 1];
            const float* distances = neighbors.weights.data() + begin;
            const LocalScale scale = local_scale(distances, end - begin, options.local_connectivity, mean);
            for (Offset e = begin; e < end; ++e) of_neighbor[at(e)] = scale.membership(neighbors.weights[at(e)]);
        },
        256);
    return graph::symmetrize(cpu, neighbors, of_neighbor, graph::FuzzyMix{static_cast<double>(options.mix)});
}

MembershipEdges edges_of_lists(device::Cpu& cpu, const Graph& neighbors, const Labels* labels, const Options& options) {
    Graph graph = supervised_on(cpu, memberships_of_distances(cpu, neighbors, options), labels, options.labels_weight);
    MembershipEdges edges{{std::move(graph)}, {}};
    if (options.densmap) edges.radii = standardized(cpu, log_radii_of(cpu, neighbors, edges, 2).of);
    return edges;
}

Graph memberships(const Graph& graph, const Options& options, const Run& run) {
    options::check(options);
    device::check(run);
    device::Cpu cpu(run);
    Graph result;
    progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "memberships", 1);
        neighbors::require_distances(cpu, graph);
        result = memberships_of_distances(cpu, graph, options);
    });
    return result;
}

}  // namespace dunlin::umap
