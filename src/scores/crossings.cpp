// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "device/choose.hpp"
#include "math/at.hpp"
#include "scores/crossing_counter.hpp"
#include "scores/drawing.hpp"
#include "scores/sample.hpp"
#include "scores/sampling_rules.hpp"

namespace dunlin::scores {

namespace {

/// Size of the sample of edges beyond options.exact_edges: a constant number of pairs for any graph.
Index edges_to_draw(Index edges) {
    constexpr Offset pairs = Offset{1} << 30;
    return static_cast<Index>(std::max<Offset>(200, pairs / edges));
}

/// Half the sum of the crossings per edge.
Score half_of(const std::vector<Offset>& crossings) {
    return {static_cast<double>(std::accumulate(crossings.begin(), crossings.end(), Offset{0})) / 2, 0};
}

/// Exact up to `exact` edges; else E / 2 times the mean number of crossings of sampled edges.
Score by_edges(device::Cpu& cpu, std::vector<EdgeSegment> edges, Index exact, std::uint64_t seed) {
    const auto n = static_cast<Index>(edges.size());
    const std::vector<Index> drawn = rows_to_evaluate(n, exact, edges_to_draw(n), seed);
    for (const Index e : drawn) edges[at(e)].counted = true;
    const std::vector<Offset> crossings = CrossingCounter(cpu, edges).run();
    if (drawn.size() == edges.size()) return half_of(crossings);
    std::vector<double> counts;
    counts.reserve(drawn.size());
    for (const Index e : drawn) counts.push_back(static_cast<double>(crossings[at(e)]));
    const Score mean = mean_over(counts, n);
    return {mean.value * n / 2, mean.se * n / 2};
}

/// Estimate from the crossings of m sampled edges among themselves: the fraction of their pairs that cross, times all
/// pairs. With the model p + a_e + a_f + noise for a pair, the variance of the fraction is 4 var(a) / m +
/// 2 var(noise) / m^2 (Hoeffding 1948). The standard error is at least that of one crossing, because a sample may have
/// none by chance.
Score by_pairs(const std::vector<Offset>& crossed, Offset edges) {
    const auto m = static_cast<double>(crossed.size()), n = static_cast<double>(edges);
    const double pairs = m * (m - 1) / 2, all = n * (n - 1) / 2, left = 1 - m / n;
    const double share = half_of(crossed).value / pairs;
    double squares = 0;
    for (const Offset count : crossed) squares += std::pow(static_cast<double>(count) / (m - 1) - share, 2);
    const double rows = squares / (m - 1), noise = share * (1 - share);
    const double variance = std::max(4 * rows / m - noise / pairs, noise / pairs) * left;
    return {share * all, std::max(std::sqrt(variance), 1 / pairs) * all};
}

/// Default rule: estimates the number from a sample; counts all crossings if they are few.
Score by_table(device::Cpu& cpu, std::vector<EdgeSegment> edges, std::uint64_t seed) {
    constexpr double few_crossings = 8;  // per edge
    constexpr Offset affordable = 64;    // pairs tested per edge
    const auto n = static_cast<Index>(edges.size());
    for (EdgeSegment& edge : edges) edge.counted = true;
    if (n <= crossing_edges) return half_of(CrossingCounter(cpu, edges).run());
    std::vector<EdgeSegment> drawn;
    for (const Index e : sample_rows(n, crossing_edges, seed)) drawn.push_back(edges[at(e)]);
    const Score sampled = by_pairs(CrossingCounter(cpu, drawn).run(), n);
    if (sampled.value > few_crossings * n) return sampled;
    const std::vector<Offset> crossings = CrossingCounter(cpu, edges).run(affordable * n);
    return crossings.empty() ? sampled : half_of(crossings);
}

}  // namespace

Score crossings(const Graph& graph, const Map& map, const LayoutOptions& options, const Run& run) {
    check_drawing("crossings", graph, map, options);
    check_flat("crossings", map);
    device::require_cpu(run, "scores of drawings are");
    device::Cpu cpu(run);
    std::vector<EdgeSegment> edges = edge_segments(cpu, graph, map);
    const auto n = static_cast<Index>(edges.size());
    if (options.extent == Extent::full) return by_edges(cpu, std::move(edges), n, run.seed);
    if (!options.exact_edges) return by_table(cpu, std::move(edges), run.seed);
    return by_edges(cpu, std::move(edges), static_cast<Index>(std::min<Offset>(*options.exact_edges, n)), run.seed);
}

}  // namespace dunlin::scores
