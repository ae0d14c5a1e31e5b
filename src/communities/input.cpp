// SPDX-License-Identifier: Apache-2.0
#include "communities/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include <dunlin/error.hpp>

#include "graph/combine.hpp"
#include "graph/edge_hash.hpp"
#include "graph/symmetrize.hpp"
#include "math/at.hpp"

namespace dunlin::communities {

namespace {

constexpr Offset grain = row_grain;

void check_edge(const Graph& graph, Index source, Offset e) {
    const Index target = graph.targets[at(e)];
    const float weight = graph.weights[at(e)];
    if (target < 0 || target >= graph.size())
        throw Error(
            Fault::bad_input,
            fmt::format("communities: edge {} - {}: there are {} vertices, from 0", source, target, graph.size()),
            {.row = source});
    if (weight >= 0 && std::isfinite(weight)) return;
    throw Error(Fault::bad_input,
                fmt::format("communities: edge {} - {} has the weight {}; it must be finite and at least 0: modularity "
                            "is not defined for others, so shift the weights or leave the edge out",
                            source, target, weight),
                {.row = source, .column = target});
}

/// What is to be done with a graph.
struct Findings {
    std::uint64_t one_way = 0;     ///< sum of hashes of edges; 0 if each has its reverse, of the same weight
    Offset loops = 0, others = 0;  ///< others: edges of weight 0, and those that are listed again

    Findings& operator+=(const Findings& other) {
        one_way += other.one_way;
        loops += other.loops;
        others += other.others;
        return *this;
    }
    [[nodiscard]] bool is_simple() const { return loops == 0 && others == 0; }
};

Findings check_row(const Graph& graph, Index source) {
    Findings found;
    bool ascends = true;
    const Offset first = graph.offsets[at(source)], last = graph.offsets[at(source) + 1];
    for (Offset e = first; e < last; ++e) {
        check_edge(graph, source, e);
        const Index target = graph.targets[at(e)];
        const float weight = graph.weights[at(e)];
        ascends = ascends && (e == first || graph.targets[at(e) - 1] < target);
        found.loops += target == source ? 1 : 0;
        found.others += weight == 0 ? 1 : 0;
        found.one_way += graph::hash_of_direction(source, target) * math::mix(std::bit_cast<std::uint32_t>(weight));
    }
    if (ascends) return found;
    std::vector<Index> targets(graph.targets.begin() + first, graph.targets.begin() + last);
    std::sort(targets.begin(), targets.end());
    if (std::adjacent_find(targets.begin(), targets.end()) != targets.end()) ++found.others;
    return found;
}

struct MergedEntry {
    Index target;
    float weight;
    auto operator<=>(const MergedEntry&) const = default;
};

/// The entries of a row, each target once, with the sum of the weights in double, where that is above 0.
void merged_row(const Graph& graph, Offset source, std::vector<MergedEntry>& row) {
    row.clear();
    for (Offset e = graph.offsets[at(source)]; e < graph.offsets[at(source) + 1]; ++e)
        row.push_back({graph.targets[at(e)], graph.weights[at(e)]});
    std::sort(row.begin(), row.end());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < row.size();) {
        const Index target = row[i].target;
        double sum = 0;
        for (; i < row.size() && row[i].target == target; ++i) sum += static_cast<double>(row[i].weight);
        if (sum > 0) row[kept++] = {target, static_cast<float>(sum)};
    }
    row.resize(kept);
}

/// The graph without loops, edges of weight 0 and repetitions.
Graph simplified(device::Cpu& cpu, const Graph& graph, std::vector<float>& loops) {
    Graph simple;
    simple.offsets.assign(graph.offsets.size(), 0);
    loops.assign(at(graph.size()), 0);
    const auto each_row = [&](const auto& act) {
        cpu.blocks(graph.size(), grain, [&](Offset begin, Offset end, int) {
            std::vector<MergedEntry> row;
            for (Offset v = begin; v < end; ++v) {
                merged_row(graph, v, row);
                act(v, row);
            }
        });
    };
    each_row([&](Offset v, const std::vector<MergedEntry>& row) {
        Offset& count = simple.offsets[at(v) + 1];
        for (const MergedEntry& entry : row) {
            if (entry.target == v) loops[at(v)] = entry.weight;
            count += entry.target == v ? 0 : 1;
        }
    });
    for (std::size_t v = 1; v < simple.offsets.size(); ++v) simple.offsets[v] += simple.offsets[v - 1];
    simple.targets.resize(at(simple.edges()));
    simple.weights.resize(at(simple.edges()));
    each_row([&](Offset v, const std::vector<MergedEntry>& row) {
        Offset place = simple.offsets[at(v)];
        for (const MergedEntry& entry : row) {
            if (entry.target == v) continue;
            simple.targets[at(place)] = entry.target;
            simple.weights[at(place++)] = entry.weight;
        }
    });
    return simple;
}

Findings findings_of(device::Cpu& cpu, const Graph& graph) {
    device::Cell<Findings> found;
    cpu.sum(graph.size(), [&](Offset v) { return check_row(graph, static_cast<Index>(v)); }, found, grain);
    return found.value;
}

Graph symmetric(device::Cpu& cpu, const Graph& graph, Symmetrize rule) {
    if (rule == Symmetrize::sum) return graph::symmetrize(cpu, graph, graph.weights, graph::ScaledSum{});
    if (rule == Symmetrize::either) return graph::symmetrize(cpu, graph, graph.weights, graph::Larger{});
    const Graph both = graph::symmetrize(cpu, graph, graph.weights, graph::Smaller{});
    std::vector<float> none;
    return simplified(cpu, both, none);  // edges in one direction have the weight 0
}

}  // namespace

void check_arrays(const Graph& graph) {
    const bool whole = !graph.offsets.empty() && graph.offsets.front() == 0 &&
                       graph.targets.size() == at(graph.edges()) && graph.weights.size() == graph.targets.size() &&
                       std::is_sorted(graph.offsets.begin(), graph.offsets.end());
    if (whole) return;
    throw Error(Fault::bad_input,
                fmt::format("communities: the graph has {} offsets, {} targets and {} weights; offsets must begin with "
                            "0, ascend, and end with the number of targets, and every target needs a weight",
                            graph.offsets.size(), graph.targets.size(), graph.weights.size()));
}

UndirectedGraph undirected(device::Cpu& cpu, const Graph& graph, Symmetrize rule) {
    const Findings found = findings_of(cpu, graph);
    UndirectedGraph result;
    result.given = &graph;
    std::uint64_t one_way = found.one_way;
    if (!found.is_simple()) {
        result.made = simplified(cpu, graph, result.loops);
        one_way = findings_of(cpu, *result.made).one_way;
    }
    if (one_way != 0) {
        result.made = symmetric(cpu, result.graph(), rule);
    } else if (rule == Symmetrize::sum) {
        result.factor = 2;
    }
    return result;
}

Problem problem_of(device::Cpu& cpu, const UndirectedGraph& undirected, const Options& options) {
    const Graph& graph = undirected.graph();
    const auto n = graph.size();
    const auto loop_of = [&](Offset v) {
        return undirected.loops.empty() ? 0.0 : static_cast<double>(undirected.loops[at(v)]);
    };
    device::Cell<double> sum;
    cpu.sum(
        n,
        [&](Offset v) {
            double row = 0;
            for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e)
                row += static_cast<double>(graph.weights[at(e)]);
            return row * undirected.factor + 2 * loop_of(v);
        },
        sum, grain);
    const double units = units_per_weight(sum.value, options);
    const auto whole = [&](double weight) { return in_units(weight, units); };

    Problem problem;
    WeightedLevel& base = problem.base;
    base.offsets = graph.offsets;
    base.targets = graph.targets;
    base.weights.resize(graph.weights.size());
    problem.degrees.resize(at(n));
    device::Cell<Weight> total, loops;
    cpu.sum(
        n,
        [&](Offset v) {
            Weight degree = 2 * whole(loop_of(v));
            for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e)
                degree += base.weights[at(e)] = whole(static_cast<double>(graph.weights[at(e)]) * undirected.factor);
            return problem.degrees[at(v)] = degree;
        },
        total, grain);
    cpu.sum(n, [&](Offset v) { return whole(loop_of(v)); }, loops);
    base.masses = options.quality == Quality::modularity ? problem.degrees : std::vector<Weight>(at(n), 1);
    problem.aim = {objective_of(total.value, units, options), units, loops.value, total.value};
    return problem;
}

std::uint64_t memory_of(Index vertices, Offset edges, int threads) {
    const auto n = static_cast<std::uint64_t>(vertices), e = static_cast<std::uint64_t>(edges);
    // Of an entry: two symmetrized directions (8 bytes each) and as many transposed, then the base and the next level
    // (12 each, both directions); of a vertex: about 30 arrays
    return e * (2 * 8 + 8 + 2 * 2 * 12) + n * (160 + 12 * static_cast<std::uint64_t>(threads));
}

}  // namespace dunlin::communities
