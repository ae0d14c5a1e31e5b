// SPDX-License-Identifier: Apache-2.0
#include <dunlin/communities.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include <dunlin/check.hpp>
#include <dunlin/error.hpp>

#include "communities/hierarchy.hpp"
#include "communities/input.hpp"
#include "communities/numbering.hpp"
#include "communities/sequential.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/memory.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "options/check.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::communities {

namespace {

/// Communities to begin with, below the number of vertices: those of the caller, or each vertex by itself.
std::vector<Index> start_labels(Index n, std::span<const Index> start) {
    std::vector<Index> labels(at(n));
    std::iota(labels.begin(), labels.end(), Index{0});
    if (start.empty()) return labels;
    if (std::ssize(start) != n)
        throw Error(Fault::bad_input, fmt::format("communities: the start has {} labels for {} vertices; give one for "
                                                  "each",
                                                  start.size(), n));
    std::vector<Index> known(start.begin(), start.end());
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    for (std::size_t v = 0; v < labels.size(); ++v)
        labels[v] = static_cast<Index>(std::lower_bound(known.begin(), known.end(), start[v]) - known.begin());
    return labels;
}

/// Quality as a share of all edges: the terms of a partition and the resolution of a pair of unit masses. NaN without
/// edges.
double quality_in(const Problem& problem, const Terms& terms, double resolution) {
    if (problem.total == 0) return std::numeric_limits<double>::quiet_NaN();
    const auto total = static_cast<double>(problem.total);
    return (static_cast<double>(terms.inside + 2 * problem.loops) - resolution * static_cast<double>(terms.squares)) /
           total;
}

/// Modularity at a resolution, whatever was maximized.
double modularity_in(device::Cpu& cpu, const Problem& problem, const std::vector<Index>& labels, double resolution) {
    const Terms terms = terms_of(cpu, problem.base, problem.degrees, labels);
    return quality_in(problem, terms, resolution / static_cast<double>(problem.total));
}

/// What was maximized.
double maximized_in(device::Cpu& cpu, const Problem& problem, const std::vector<Index>& labels, const Options& o) {
    if (o.quality == Quality::modularity) return modularity_in(cpu, problem, labels, o.resolution);
    return quality_in(problem, terms_of(cpu, problem.base, problem.base.masses, labels), o.resolution * problem.units);
}

/// The iterations. `best` is the partition after the last complete one; without one it has no labels.
void optimize(device::Cpu& cpu, const Problem& problem, std::vector<Index> from, const Run& run, Result& result,
              Partition& best) {
    const Options& o = result.options;
    const int most = o.iterations < 0 ? std::numeric_limits<int>::max() : o.iterations;
    progress::ProgressReporter reporter(run, "optimize", std::max(0, o.iterations));
    Hierarchy hierarchy(cpu, problem.base, problem.objective, o.method);
    Partition now = hierarchy.connected(std::move(from));
    if (most == 0) best = now;
    for (int iteration = 0; iteration < most; ++iteration) {
        const auto seed = math::random_bits(run.seed, static_cast<std::uint64_t>(iteration));
        Partition next = hierarchy.improve(now.labels, seed);
        bool improved = next.quality > now.quality;
        if (!improved && o.iterations < 0) {
            // Classes that move at the same time may end where a single vertex still gains
            next = hierarchy.polish(now.labels, seed);
            next.levels = now.levels;
            improved = next.quality > now.quality;
        }
        result.iterations = iteration + 1;
        if (improved) now = std::move(next);
        best = now;
        reporter.announce(iteration + 1);
        if (improved) continue;
        result.stopped = Stopped::converged;
        break;
    }
}

/// Divides the parts of a level along the communities, of which they are parts only unless communities were divided
/// into their connected components, or single vertices moved, since.
void divide_along(const std::vector<Index>& labels, std::vector<Index>& parts) {
    std::vector<Index> label_of_part(parts.size(), -1);
    bool inside = true;
    for (std::size_t v = 0; v < parts.size(); ++v) {
        Index& label = label_of_part[at(parts[v])];
        if (label < 0) label = labels[v];
        inside = inside && label == labels[v];
    }
    if (inside) return;
    std::vector<Index> order(parts.size());
    std::iota(order.begin(), order.end(), Index{0});
    const auto key = [&](Index v) { return std::pair(parts[at(v)], labels[at(v)]); };
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
    std::vector<Index> divided(parts.size());
    for (std::size_t i = 1; i < order.size(); ++i)
        divided[at(order[i])] = divided[at(order[i - 1])] + (key(order[i]) == key(order[i - 1]) ? 0 : 1);
    parts = std::move(divided);
}

void set_labels(Partition best, Result& result) {
    for (std::vector<Index>& parts : best.levels) {
        divide_along(best.labels, parts);
        number_by_size(parts);
    }
    result.levels = std::move(best.levels);
    if (result.levels.empty() || result.levels.back() != best.labels) result.levels.push_back(best.labels);
    result.labels = std::move(best.labels);
    for (const Index label : result.labels) result.count = std::max(result.count, label + 1);
}

Options resolve(Options o) {
    options::check(o);
    options::settle(o);
    return o;
}

}  // namespace

Result find(const Graph& graph, const Options& wanted, const Run& run, std::span<const Index> start) {
    Result result;
    result.options = resolve(wanted);
    device::require_cpu(run, "communities are");
    if (!start.empty() && result.options.method == Method::sequential)
        throw Error(Fault::bad_input,
                    "communities: a start is given, but the sequential method reads none; leave it out or choose "
                    "another method",
                    {.option = "start"});
    check_arrays(graph);
    std::vector<Index> from = start_labels(graph.size(), start);
    device::Cpu cpu(run);
    device::require_memory(run, memory_of(graph.size(), graph.edges(), cpu.threads()), "communities",
                           "use a smaller graph");
    progress::Stopwatch watch;
    Partition best;
    Problem problem;
    const bool complete = progress::run_cancellable(run.stop, [&] {
        std::optional<progress::ProgressReporter> reporter(std::in_place, run, "graph", 1);
        const UndirectedGraph whole = undirected(cpu, graph, result.options.symmetrize);
        problem = problem_of(cpu, whole, result.options);
        reporter.reset();
        result.seconds["graph"] = watch.lap();
        if (result.options.method == Method::sequential) {
            best.labels = find_sequentially(whole.graph());
            result.stopped = Stopped::converged;
        } else {
            optimize(cpu, problem, std::move(from), run, result, best);
        }
    });
    if (!complete) result.stopped = Stopped::cancelled;
    result.quality = result.modularity = std::numeric_limits<double>::quiet_NaN();
    if (!best.labels.empty()) {
        const progress::Uncancellable rest;
        result.quality = maximized_in(cpu, problem, best.labels, result.options);
        result.modularity = modularity_in(cpu, problem, best.labels, 1);
        set_labels(std::move(best), result);
    }
    result.seconds["optimize"] = watch.lap();
    result.threads = cpu.threads();
    result.engines = {{"iteration", name_of(result.options.method), 0}};
    device::complete(result, Device::cpu, run);
    return result;
}

}  // namespace dunlin::communities
