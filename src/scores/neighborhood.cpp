// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/choose.hpp"
#include "neighbors/search_rows.hpp"
#include "scores/drawing.hpp"
#include "scores/sample.hpp"
#include "scores/sampling_rules.hpp"

namespace dunlin::scores {

namespace {

std::span<const Index> neighbors_of(const Graph& graph, Offset v) {
    const auto at = static_cast<std::size_t>(v);
    return {graph.targets.data() + graph.offsets[at], graph.targets.data() + graph.offsets[at + 1]};
}

/// Jaccard index of two sets of the same size.
double jaccard(std::span<const Index> a, std::span<const Index> b, std::vector<Index>& sorted) {
    sorted.assign(a.begin(), a.end());
    std::sort(sorted.begin(), sorted.end());
    const auto both =
        std::count_if(b.begin(), b.end(), [&](Index v) { return std::binary_search(sorted.begin(), sorted.end(), v); });
    return static_cast<double>(both) / static_cast<double>(2 * std::ssize(a) - both);
}

}  // namespace

Score neighborhood_preservation(const Graph& graph, const Map& map, const LayoutOptions& options, const Run& run) {
    check_drawing("neighborhood_preservation", graph, map, options);
    device::require_cpu(run, "scores of drawings are");
    device::Cpu cpu(run);
    const std::vector<Index> joined = vertices_of_degree(1, graph);
    const auto n = static_cast<Index>(joined.size());
    const std::optional<Index> sample = options.exact_neighborhoods ? std::optional(max_neighborhoods) : std::nullopt;
    const SamplingRule size = rule_of(options.extent, n, neighborhood_vertices(n), options.exact_neighborhoods, sample);
    std::vector<Index> judged = rows_to_evaluate(n, size.exact, size.sample, run.seed), degrees;
    for (Index& v : judged) {
        v = joined[static_cast<std::size_t>(v)];
        degrees.push_back(static_cast<Index>(neighbors_of(graph, v).size()));
    }

    const Graph nearest = neighbors::search_rows(cpu, map.view(), judged, degrees, neighbors::Metric::euclidean,
                                                 {.threads = run.threads, .memory = run.memory});
    std::vector<double> shares(judged.size());
    cpu.blocks(std::ssize(judged), 256, [&](Offset begin, Offset end, int) {
        std::vector<Index> sorted;
        for (Offset i = begin; i < end; ++i) {
            const Index v = judged[static_cast<std::size_t>(i)];
            shares[static_cast<std::size_t>(i)] = jaccard(neighbors_of(graph, v), neighbors_of(nearest, i), sorted);
        }
    });
    return mean_over(shares, n);
}

}  // namespace dunlin::scores
