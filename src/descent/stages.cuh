// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "descent/cuda_repeller.cuh"
#include "descent/descend.hpp"
#include "descent/first_stages.cuh"
#include "descent/map_of.cuh"
#include "descent/reorder.cuh"
#include "descent/stages.hpp"
#include "descent/watched_map.cuh"
#include "device/gpus.hpp"
#include "device/ranks.cuh"
#include "initialization/spectral.cuh"
#include "live/loop.hpp"

namespace dunlin::descent {

/// Most bytes for the edges of n points with k neighbors: while they are symmetrized (graph/symmetrize.cuh).
inline std::uint64_t bytes_of_edges(Index n, Index k) {
    return 40 * static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(k);
}
struct EdgeMemory {
    std::uint64_t (*bytes)(Index n, Index k) = bytes_of_edges;
    const char* remedy = "";  ///< in the error of too little memory
};

/// Peak memory: the edges, the descent state and, if it is watched, copies of its map (watched_map.cuh).
inline void require_gpu_memory(device::Cuda& cuda, Index n, Index k, int dim, const EdgeMemory& edges,
                               const char* method) {
    const int width = dim > 3 ? forces::width_of(dim) : dim;
    const int numbers = 5 * width + 2 + (live::watcher_of(n) != nullptr ? 2 * width + 1 : 0);
    const std::uint64_t state = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(numbers) * 4;
    device::require_gpu_memory(edges.bytes(n, k) + state, device::allowance(cuda),
                               std::string(method) + " of this many points and neighbors" + edges.remedy);
}

inline const graph::DeviceGraph& graph_of(const graph::DeviceGraph& edges) { return edges; }

/// run_stages of stages.hpp on a GPU: edges_of(neighbors, points), descend(edges, start).
template <class Result, class Options, class EdgesOf, class Descend>
Result run_stages(device::Cuda& cuda, const device::InputPoints& points, const Given& given, Options& options,
                  const EdgesOf& edges_of, const Descend& descend, const EdgeMemory& memory = {}) {
    const StagePlan plan = stage_plan(options);
    require_gpu_memory(cuda, points.rows(), plan.k, plan.points.dim, memory, plan.method);
    CudaFirstStages first = first_stages(cuda, points, plan.points, given);
    if (given_graph(given) == nullptr) record_search(options, first.found.method);
    if (device::stops(cuda.run())) return unfinished<Result>({plan.points.dim, cuda.host(first.start)});

    Seconds seconds = std::move(first.seconds);
    progress::Stopwatch watch;
    if (given.found != nullptr && given_graph(given) == nullptr)
        *given.found = graph::download(cuda, first.found.graph);
    if (!plan.reads_points) first.points = {};
    decltype(edges_of(std::move(first.found.graph), first.points)) edges;
    // Ranks notice a stop at different times: no rank stops by itself in this stage
    const std::stop_token token = device::Rank::current() != nullptr ? std::stop_token() : cuda.run().stop;
    const bool made = progress::run_cancellable(token, [&] {
        edges = edges_of(std::move(first.found.graph), first.points);
        cuda.wait();
    });
    if (!made) return unfinished<Result>({plan.points.dim, cuda.host(first.start)});
    first.points = {};
    seconds[plan.edges] = watch.lap();
    if constexpr (requires { graph_of(edges); }) {  // tsne::resolve_descent refuses it in half precision
        if (plan.points.start == Start::spectral && given.start == nullptr) {
            Map start{plan.points.dim, cuda.host(first.start)};
            const bool placed = progress::run_cancellable(cuda.run().stop, [&] {
                start = initialization::spectral_start(cuda, graph_of(edges), start, plan.points.deviation);
            });
            if (device::stops(cuda.run()) || !placed) return unfinished<Result>(std::move(start));
            cuda.upload(first.start, start.coordinates);
            seconds["start"] += watch.lap();
        }
    }

    Descent descent = descend(std::move(edges), std::move(first.start));
    seconds["optimize"] = watch.lap();
    return result_of<Result>(std::move(descent), std::move(seconds), {first.found.recall, first.found.recall_se});
}

/// Descends, counts the points that are outside the grid at the end, and computes the cost of the map: cost() sees the
/// points in the order of the state.
template <class Edges, class Law, class Objective, class Cost>
Descent descend_on(device::Cuda& cuda, DescentState<device::Cuda>& state, Edges& edges, CudaRepeller<Law>& repeller,
                   Objective& objective, const Cost& cost) {
    Descent descent;
    descent.status = descend(cuda, state, edges, repeller, objective, cuda.run());
    repeller.choose(cuda, state.positions());
    descent.strays = repeller.strays();
    descent.map = map_of(cuda, state);
    require_inside(descent.map.coordinates, descent.status.iterations);
    descent.cost = cost();
    return descent;
}

}  // namespace dunlin::descent
