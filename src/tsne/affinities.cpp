// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/tsne.hpp>

#include "descent/given.hpp"
#include "device/choose.hpp"
#include "graph/symmetrize.hpp"
#include "neighbors/nearest_lists.hpp"
#include "neighbors/require_distances.hpp"
#include "options/check.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "tsne/perplexity.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {

namespace {

/// A row of a graph.
struct RowOf {
    std::span<const Index> targets;
    std::span<const float> weights;

    RowOf(const Graph& graph, Index row) {
        const auto i = static_cast<std::size_t>(row);
        const auto first = static_cast<std::size_t>(graph.offsets[i]);
        const auto count = static_cast<std::size_t>(graph.offsets[i + 1]) - first;
        targets = std::span(graph.targets).subspan(first, count);
        weights = std::span(graph.weights).subspan(first, count);
    }
};

/// The rule of these options for a graph that is given: without one, the default perplexity is 30, as far as the least
/// number of neighbors allows.
RowRule rule_for(const Graph& graph, Options options) {
    options::check(options);
    const bool has_none = !options.perplexity && !options.perplexities;
    if (has_none && options.affinities != AffinityKind::uniform)
        options.perplexity = default_perplexity(neighbors::shortest_list(graph).first);
    if (options.perplexities) options.perplexities = listed(perplexities_of(*options.perplexities, graph.size()));
    return rule_of(options);
}

/// What is wrong with a row of affinities, as the end of a sentence; empty if nothing is. `order`: scratch.
std::string fault_of(Index row, std::span<const Index> targets, std::span<const float> weights, Index points,
                     std::vector<Index>& order) {
    for (std::size_t e = 0; e < targets.size(); ++e) {
        if (targets[e] < 0 || targets[e] >= points)
            return fmt::format("has an affinity to point {}, but there are points 0 to {}", targets[e], points - 1);
        if (!std::isfinite(weights[e]) || weights[e] < 0)
            return fmt::format("has the affinity {} to point {}; affinities are finite and not negative", weights[e],
                               targets[e]);
        if (targets[e] == row && weights[e] > 0) return "has an affinity to itself; set the diagonal to 0";
    }
    order.assign(targets.begin(), targets.end());
    std::sort(order.begin(), order.end());
    const auto twice = std::adjacent_find(order.begin(), order.end());
    return twice == order.end() ? "" : fmt::format("has point {} twice; name each point once", *twice);
}

void require_affinities(device::Cpu& cpu, const Graph& graph) {
    constexpr Offset grain = 256;
    const Index n = graph.size();
    std::vector<std::pair<Index, std::string>> faults(static_cast<std::size_t>((n + grain - 1) / grain));
    cpu.blocks(n, grain, [&](Offset begin, Offset end, int) {
        std::vector<Index> order;
        auto& [row, fault] = faults[static_cast<std::size_t>(begin / grain)];
        for (Offset i = begin; i < end && fault.empty(); ++i) {
            row = static_cast<Index>(i);
            const RowOf of(graph, row);
            fault = fault_of(row, of.targets, of.weights, n, order);
        }
    });
    for (const auto& [row, fault] : faults) {
        if (!fault.empty())
            throw Error(Fault::bad_input, fmt::format("affinities: row {} (counting from 0) {}", row, fault),
                        {.row = row});
    }
}

/// Whether a graph has the edges of `both`, its mean with its reverse, so that it is symmetric.
bool is_the_same(device::Cpu& cpu, const Graph& graph, const Graph& both) {
    if (graph.edges() != both.edges()) return false;
    device::Cell<double> differing;
    cpu.sum(
        graph.size(),
        [&](Offset i) {
            const RowOf mine(graph, static_cast<Index>(i)), mean(both, static_cast<Index>(i));
            if (mine.targets.size() != mean.targets.size()) return 1.0;
            for (std::size_t e = 0; e < mine.targets.size(); ++e) {
                const auto found = std::lower_bound(mean.targets.begin(), mean.targets.end(), mine.targets[e]);
                if (mean.weights[static_cast<std::size_t>(found - mean.targets.begin())] != mine.weights[e]) return 1.0;
            }
            return 0.0;
        },
        differing);
    return differing.value == 0;
}

/// Divides the weights by their sum; leaves them as they are if it is 1 up to rounding.
void scale_to_one(device::Cpu& cpu, Graph& graph) {
    device::Cell<double> sum;
    cpu.sum(
        graph.edges(), [&](Offset e) { return static_cast<double>(graph.weights[static_cast<std::size_t>(e)]); }, sum);
    if (!(sum.value > 0)) {
        if (graph.size() < 2) return;
        throw Error(Fault::bad_input, "affinities: no weight is above 0; give the graph of the points' affinities");
    }
    if (std::abs(sum.value - 1) < 1e-6) return;
    const double factor = 1 / sum.value;
    cpu.each(graph.edges(), [&](Offset e) {
        float& weight = graph.weights[static_cast<std::size_t>(e)];
        weight = static_cast<float>(static_cast<double>(weight) * factor);
    });
}

Graph affinities_by(const Graph& graph, const RowRule& rule, const Run& run, std::span<const float> point_weights) {
    device::check(run);
    device::Cpu cpu(run);
    Graph result;
    progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "affinities", 1);
        neighbors::require_distances(cpu, graph);
        require_weights(point_weights, graph.size());
        result = affinities_of_distances(cpu, graph, rule, point_weights);
    });
    return result;
}

}  // namespace

void require_perplexity(float perplexity, Offset min_degree, Index point) {
    if (perplexity >= 1 && perplexity <= static_cast<float>(std::max<Offset>(min_degree, 1))) return;
    throw Error(Fault::bad_input,
                fmt::format("perplexity is {} but point {} has {} neighbors; it must be in 1 to {}", perplexity, point,
                            min_degree, min_degree),
                {.option = "perplexity", .row = point});
}

void require_weights(std::span<const float> point_weights, Index points) {
    if (point_weights.empty()) return;
    descent::require_size(static_cast<Index>(point_weights.size()), points, "list of point weights");
    for (std::size_t i = 0; i < point_weights.size(); ++i) {
        if (std::isfinite(point_weights[i]) && point_weights[i] > 0) continue;
        throw Error(
            Fault::bad_input,
            fmt::format("the weight of point {} is {}; weights of points are finite and above 0", i, point_weights[i]),
            {.row = static_cast<Offset>(i)});
    }
}

double unit_of(std::span<const float> point_weights) {
    double sum = 0;
    for (const float w : point_weights) sum += static_cast<double>(w);
    return static_cast<double>(point_weights.size()) / sum;
}

Graph affinities(const Graph& graph, float perplexity, const Run& run) {
    return affinities_by(graph, perplexity, run, {});
}

Graph affinities(const Graph& graph, const Options& options, const Run& run, std::span<const float> point_weights) {
    return affinities_by(graph, rule_for(graph, options), run, point_weights);
}

Graph affinities_of_distances(device::Cpu& cpu, const Graph& neighbors, const RowRule& rule,
                              std::span<const float> point_weights) {
    const Index n = neighbors.size();
    if (n > 1 && rule.kind != AffinityKind::uniform) {
        const auto [degree, point] = neighbors::shortest_list(neighbors);
        require_perplexity(rule.largest(), degree, point);
    }
    std::vector<float> rows = conditional_affinities(cpu, neighbors, rule);
    if (!point_weights.empty()) {
        const double unit = unit_of(point_weights);
        cpu.each(n, [&](Offset i) {
            const auto row = static_cast<std::size_t>(i);
            const auto factor = static_cast<float>(static_cast<double>(point_weights[row]) * unit);
            for (Offset e = neighbors.offsets[row]; e < neighbors.offsets[row + 1]; ++e)
                rows[static_cast<std::size_t>(e)] *= factor;
        });
    }
    return graph::symmetrize(cpu, neighbors, rows, graph::ScaledSum{1.0 / (2.0 * std::max<Index>(n, 1))});
}

JointAffinities joint_affinities(const Graph& affinities, const Run& run) {
    device::check(run);
    device::Cpu cpu(run);
    JointAffinities joint;
    const bool done = progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "affinities", 1);
        require_affinities(cpu, affinities);
        Graph both = graph::symmetrize(cpu, affinities, affinities.weights, graph::ScaledSum{0.5});
        joint.symmetrized = !is_the_same(cpu, affinities, both);
        scale_to_one(cpu, both);
        joint.graph = std::move(both);
    });
    if (!done) joint = {};
    return joint;
}

}  // namespace dunlin::tsne
