// SPDX-License-Identifier: Apache-2.0
#include "scores/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include <dunlin/error.hpp>

#include "device/choose.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "scores/sample.hpp"
#include "scores/sampling_rules.hpp"

namespace dunlin::scores {

namespace {

void check_targets(const char* score, const Graph& graph, bool lengths) {
    const Index n = graph.size();
    for (Offset e = 0; e < graph.edges(); ++e) {
        if (graph.targets[at(e)] < 0 || graph.targets[at(e)] >= n) {
            throw Error(Fault::bad_input, fmt::format("{}: edge {} of the graph leads to vertex {}; there are {}",
                                                      score, e, graph.targets[at(e)], n));
        }
        if (lengths && !(graph.weights[at(e)] > 0 && std::isfinite(graph.weights[at(e)]))) {
            throw Error(Fault::bad_input,
                        fmt::format("{}: edge {} of the graph has length {}; lengths are finite and > 0", score, e,
                                    graph.weights[at(e)]));
        }
    }
}

/// Smallest angle between two edges of a vertex, in radians; 0 if an edge has zero length.
double smallest_angle(const Graph& graph, const Map& map, Index v, std::vector<double>& directions) {
    const MatrixView<const float> y = map.view();
    directions.clear();
    for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e) {
        const Index u = graph.targets[at(e)];
        const double dx = static_cast<double>(y(u, 0)) - static_cast<double>(y(v, 0));
        const double dy = static_cast<double>(y(u, 1)) - static_cast<double>(y(v, 1));
        if (dx == 0 && dy == 0) return 0;
        directions.push_back(std::atan2(dy, dx));
    }
    std::sort(directions.begin(), directions.end());
    double least = directions.front() + 2 * std::numbers::pi - directions.back();
    for (std::size_t i = 1; i < directions.size(); ++i) least = std::min(least, directions[i] - directions[i - 1]);
    return least;
}

}  // namespace

void check_drawing(const char* score, const Graph& graph, const Map& map, const LayoutOptions& options) {
    if (graph.size() != map.size()) {
        throw Error(Fault::bad_input, fmt::format("{}: the graph has {} vertices and the map {} points; give the graph "
                                                  "the map was made from",
                                                  score, graph.size(), map.size()));
    }
    if (graph.edges() == 0)
        throw Error(Fault::bad_input, fmt::format("{}: the graph has no edges; the score needs at least one", score));
    check_targets(score, graph, options.lengths);
}

void check_flat(const char* score, const Map& map) {
    if (map.dim == 2) return;
    throw Error(Fault::bad_input, fmt::format("{}: the map has {} dimensions; only a flat map has it", score, map.dim));
}

std::vector<Index> vertices_of_degree(Offset least, const Graph& graph) {
    std::vector<Index> found;
    for (Index v = 0; v < graph.size(); ++v) {
        if (graph.offsets[at(v) + 1] - graph.offsets[at(v)] >= least) found.push_back(v);
    }
    return found;
}

Score edge_length_cv(const Graph& graph, const Map& map, const LayoutOptions& options, const Run& run) {
    check_drawing("edge_length_cv", graph, map, options);
    device::require_cpu(run, "scores of drawings are");
    device::Cpu cpu(run);
    const auto length = [&](Offset v, Offset e) {
        const double drawn = distance(map, static_cast<Index>(v), graph.targets[at(e)]);
        return options.lengths ? drawn / static_cast<double>(graph.weights[at(e)]) : drawn;
    };
    const auto mean_of = [&](const auto& term) {
        device::Cell<double> total;
        cpu.sum(
            graph.size(),
            [&](Offset v) {
                double sum = 0;
                for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e) sum += term(length(v, e));
                return sum;
            },
            total);
        return total.value / static_cast<double>(graph.edges());
    };
    const double mean = mean_of([](double x) { return x; });
    const double variance = mean_of([mean](double x) { return (x - mean) * (x - mean); });
    return {mean > 0 ? std::sqrt(variance) / mean : std::numeric_limits<double>::quiet_NaN(), 0};
}

Score min_angle(const Graph& graph, const Map& map, const LayoutOptions& options, const Run& run) {
    check_drawing("min_angle", graph, map, options);
    check_flat("min_angle", map);
    device::require_cpu(run, "scores of drawings are");
    device::Cpu cpu(run);
    const std::vector<Index> all = vertices_of_degree(2, graph);
    if (all.empty()) return {1, 0};
    const auto n = static_cast<Index>(all.size());
    const SamplingRule size = rule_of(options.extent, n, angle_vertices(n), options.exact_angles, {});
    const std::vector<Index> judged = rows_to_evaluate(n, size.exact, size.sample, run.seed);
    std::vector<std::vector<double>> directions(at(cpu.threads()));
    std::vector<double> shares(judged.size());
    cpu.blocks(std::ssize(judged), 256, [&](Offset begin, Offset end, int worker) {
        for (Offset i = begin; i < end; ++i) {
            const Index v = all[at(judged[at(i)])];
            const auto degree = static_cast<double>(graph.offsets[at(v) + 1] - graph.offsets[at(v)]);
            shares[at(i)] = smallest_angle(graph, map, v, directions[at(worker)]) * degree / (2 * std::numbers::pi);
        }
    });
    return mean_over(shares, n);
}

LayoutScores evaluate(const Graph& graph, const Map& map, const LayoutOptions& options, const Run& run) {
    LayoutScores scores;
    if (options.extent == Extent::none) return scores;
    if (graph.edges() == 0 && graph.size() == map.size()) return scores;
    check_drawing("scores", graph, map, options);
    constexpr Offset steps = 5;
    Offset done = 0;
    progress::ProgressReporter reporter(run, "score", steps);
    const auto put = [&](std::optional<Score>& score, const auto& function) {
        reporter.announce(done++);
        progress::run_cancellable(run.stop, [&] { score = function(graph, map, options, run); });
    };
    put(scores.edge_length_cv, edge_length_cv);
    if (map.dim == 2) put(scores.min_angle, min_angle);
    put(scores.neighborhood_preservation, neighborhood_preservation);
    if (map.dim == 2) put(scores.crossings, crossings);
    put(scores.scaled_stress, scaled_stress);
    reporter.announce(steps);
    return scores;
}

}  // namespace dunlin::scores
