// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "descent/first_stages.hpp"
#include "descent/result.hpp"
#include "device/ranks.hpp"
#include "forces/width.hpp"
#include "initialization/spectral.hpp"

namespace dunlin::descent {

/// The stages from points to map, with the names and sizes of a method.
struct StagePlan {
    PointOptions points;
    Index k = 0;                   ///< neighbors per point
    const char* method;            ///< for messages
    const char* edges;             ///< name of the stage that turns neighbors into edges, a literal
    bool reads_points = false;     ///< whether that stage reads the points too
    std::uint64_t more_bytes = 0;  ///< of memory a point, beyond bytes_wanted
};

/// Peak memory in bytes: neighbors, their transpose and the merged edges (at most 2 k per point); in more than 3
/// dimensions also the state of the descent, 5 numbers a coordinate (state.hpp).
inline std::uint64_t bytes_wanted(Index n, Index k, int dim) {
    const std::uint64_t state = dim > 3 ? 5 * sizeof(float) * static_cast<std::uint64_t>(forces::width_of(dim)) : 0;
    return static_cast<std::uint64_t>(n) * (static_cast<std::uint64_t>(k) * (8 + 4 + 8 + 16) + state);
}

/// The graph of a spectral start, which takes its eigenvectors. A method with another type of edges has an overload.
inline const Graph& graph_of(const Graph& edges) { return edges; }

/// Calls work(run, given) of each rank of run.gpus and returns the result of the first, which alone writes given.found.
template <class Work>
auto first_of_ranks(const Run& run, const Given& given, const Work& work) {
    decltype(work(run, given)) result;
    device::run_on_ranks(run, [&](const Run& own) {
        const bool is_first = device::Rank::current()->index() == 0;
        Given of_rank = given;
        if (!is_first) of_rank.found = nullptr;
        auto found = work(own, of_rank);
        if (is_first) result = std::move(found);
    });
    return result;
}

/// The descent of a method on this device.
template <class Edges, class Options>
Descent run_descent(Device device, Edges edges, const Map& start, const Given& given, const Options& options,
                    const Run& run) {
    if (device == Device::cuda && device::names_several(run)) {
        return first_of_ranks(run, given, [&](const Run& own, const Given& of_rank) {
            return descend_on_cuda(edges, start, of_rank, options, own);
        });
    }
    return device == Device::cuda ? descend_on_cuda(edges, start, given, options, run)
                                  : descend_on_cpu(std::move(edges), start, given, options, run);
}

/// Runs all stages of a method (embed.hpp): the descent on `device`, the stages before it on a CPU. Sets options.search
/// to the search method that ran.
template <class Result, class Points, class Options>
Result run_stages(const Points& points, const Given& given, Options& options, const Run& run, Device device) {
    device::Cpu cpu(run);
    const StagePlan plan = stage_plan(options);
    const std::uint64_t bytes =
        bytes_wanted(points.rows, plan.k, plan.points.dim) + plan.more_bytes * static_cast<std::uint64_t>(points.rows);
    FirstStages first = first_stages(cpu, points, plan.points, given, run, bytes, plan.method);
    if (given_graph(given) == nullptr) record_search(options, first.found.options.method);
    Seconds seconds = std::move(first.seconds);
    progress::Stopwatch watch;
    const Graph& graph = given_graph(given) != nullptr ? *given_graph(given) : first.found.graph;
    decltype(edges_of(cpu, graph, points, given, options, run)) edges;
    const bool done = !first.cancelled && progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, plan.edges, 1);
        // The points may be reduced to principal components
        edges = first.components.empty()
                    ? edges_of(cpu, graph, points, given, options, run)
                    : edges_of(cpu, graph, first.components_view(points.rows), given, options, run);
    });
    if (!done) return unfinished<Result>(std::move(first.start));
    if (given.found != nullptr) *given.found = std::move(first.found.graph);
    first.found.graph = {};  // frees the largest allocation
    seconds[plan.edges] = watch.lap();
    if (plan.points.start == Start::spectral && given.start == nullptr) {
        progress::ProgressReporter reporter(run, "start", 1);
        const bool placed = progress::run_cancellable(run.stop, [&] {
            first.start =
                initialization::spectral_start(cpu, graph_of(edges), first.start, plan.points.deviation, run.seed);
        });
        if (!placed) return unfinished<Result>(std::move(first.start));
        seconds["start"] += watch.lap();
    }

    Descent descent = run_descent(device, std::move(edges), first.start, given, options, run);
    seconds["optimize"] = watch.lap();
    return result_of<Result>(std::move(descent), std::move(seconds), {first.found.recall, first.found.recall_se});
}

}  // namespace dunlin::descent
