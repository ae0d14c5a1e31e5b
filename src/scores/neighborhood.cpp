// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "device/choose.hpp"
#include "neighbors/search_rows.hpp"
#include "progress/cancel.hpp"
#include "scores/drawing.hpp"
#include "scores/map_distance.hpp"
#include "scores/sample.hpp"
#include "scores/sampling_rules.hpp"

namespace dunlin::scores {

namespace {

std::span<const Index> neighbors_of(const Graph& graph, Offset v) {
    const auto at = static_cast<std::size_t>(v);
    return {graph.targets.data() + graph.offsets[at], graph.targets.data() + graph.offsets[at + 1]};
}

/// Jaccard index of two sets of `size` that have `both` in common.
double jaccard(double both, double size) { return both / (2 * size - both); }

/// Buffers of a thread.
struct TieBuffers {
    std::vector<Index> sorted;
    std::vector<double> squared, nearest, logs;
};

/// How many of `nearest` are neighbors.
Offset in_common(std::span<const Index> neighbors, std::span<const Index> nearest, TieBuffers& work) {
    work.sorted.assign(neighbors.begin(), neighbors.end());
    std::sort(work.sorted.begin(), work.sorted.end());
    return std::count_if(nearest.begin(), nearest.end(),
                         [&](Index v) { return std::binary_search(work.sorted.begin(), work.sorted.end(), v); });
}

/// Points at the same distance as the last of the nearest, of which some are drawn.
struct Tie {
    Offset points = 0, drawn = 0;
    Offset neighbors = 0;         ///< of the points
    Offset nearer_neighbors = 0;  ///< neighbors that are nearer than these points
};

/// Mean Jaccard index over all draws: their neighbors have a hypergeometric distribution.
double expected_jaccard(const Tie& tie, Offset size, std::vector<double>& logs) {
    const Offset others = tie.points - tie.neighbors;
    const Offset least = std::max<Offset>(0, tie.drawn - others), most = std::min(tie.neighbors, tie.drawn);
    logs.assign(1, 0.0);
    for (Offset h = least; h < most; ++h) {  // the ratio of the probabilities of h + 1 and h
        logs.push_back(logs.back() +
                       std::log(static_cast<double>(tie.neighbors - h) * static_cast<double>(tie.drawn - h) /
                                (static_cast<double>(h + 1) * static_cast<double>(others - tie.drawn + h + 1))));
    }
    const double highest = *std::max_element(logs.begin(), logs.end());
    double sum = 0, total = 0;
    for (Offset h = least; h <= most; ++h) {
        const double share = std::exp(logs[static_cast<std::size_t>(h - least)] - highest);
        total += share;
        sum += share * jaccard(static_cast<double>(tie.nearer_neighbors + h), static_cast<double>(size));
    }
    return sum / total;
}

/// The Jaccard index of vertex v, whose last nearest point may be any of several, by its distances from all points.
double jaccard_of_ties(const Graph& graph, const Map& map, Index v, TieBuffers& work) {
    const std::span<const Index> neighbors = neighbors_of(graph, v);
    const auto squared_to = [&](Index u) { return squared_distance(map, u, v); };
    work.squared.clear();
    for (Index u = 0; u < map.size(); ++u) {
        if (u != v) work.squared.push_back(squared_to(u));
    }
    work.nearest = work.squared;
    const auto last = work.nearest.begin() + std::ssize(neighbors) - 1;
    std::nth_element(work.nearest.begin(), last, work.nearest.end());
    const double reach = *last;
    Tie tie;
    tie.points = std::count(work.squared.begin(), work.squared.end(), reach);
    tie.drawn = std::ssize(neighbors) -
                std::count_if(work.squared.begin(), work.squared.end(), [&](double d2) { return d2 < reach; });
    for (const Index u : neighbors) {
        const double d2 = squared_to(u);
        tie.neighbors += d2 == reach ? 1 : 0;
        tie.nearer_neighbors += d2 < reach ? 1 : 0;
    }
    return expected_jaccard(tie, std::ssize(neighbors), work.logs);
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
    std::vector<Index> judged = rows_to_evaluate(n, size.exact, size.sample, run.seed), wanted;
    for (Index& v : judged) {
        v = joined[static_cast<std::size_t>(v)];
        const auto degree = static_cast<Index>(neighbors_of(graph, v).size());
        wanted.push_back(std::min(degree + 1, map.size() - 1));  // one more shows whether the last is one of several
    }

    const Graph nearest = neighbors::search_rows(cpu, map.view(), judged, wanted, neighbors::Metric::euclidean,
                                                 {.threads = run.threads, .memory = run.memory});
    std::vector<double> shares(judged.size());
    cpu.blocks(std::ssize(judged), 256, [&](Offset begin, Offset end, int) {
        constexpr float rounding = 1e-5F;  // of float32 distances, with a margin
        TieBuffers work;
        for (Offset i = begin; i < end; ++i) {
            progress::cancellation_point();
            const Index v = judged[static_cast<std::size_t>(i)];
            const std::span<const Index> neighbors = neighbors_of(graph, v), found = neighbors_of(nearest, i);
            const float* distances = nearest.weights.data() + nearest.offsets[static_cast<std::size_t>(i)];
            const std::size_t k = neighbors.size();
            const bool tied = found.size() > k && distances[k] <= distances[k - 1] * (1 + rounding);
            const auto both = [&] { return static_cast<double>(in_common(neighbors, found.first(k), work)); };
            shares[static_cast<std::size_t>(i)] =
                tied ? jaccard_of_ties(graph, map, v, work) : jaccard(both(), static_cast<double>(k));
        }
    });
    return mean_over(shares, n);
}

}  // namespace dunlin::scores
