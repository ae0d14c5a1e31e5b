// SPDX-License-Identifier: Apache-2.0
#include <dunlin/scores.hpp>

#include <limits>

#include "descent/first_stages.hpp"
#include "descent/reorder.hpp"
#include "descent/repeller.hpp"
#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "device/stopwatch.hpp"
#include "tsne/backend.hpp"
#include "tsne/descend.hpp"
#include "tsne/perplexity.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {

namespace {

/// Peak memory in bytes: neighbors, their transpose and the merged affinities (at most 2 k per point).
std::uint64_t bytes_wanted(Index n, Index k) {
    return static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(k) * (8 + 4 + 8 + 16);
}

/// All stages; the descent on this device.
template <class Points>
Result embed_on(const Points& points, const Given& given, Options& options, const Run& run, Device device) {
    device::Cpu cpu(run);
    descent::FirstStages first = descent::first_stages(cpu, points, point_options(options), given, run,
                                                       bytes_wanted(points.rows, *options.k), "t-SNE");
    if (given.neighbors == nullptr) descent::record_search(options, first.found.options.method);
    Seconds seconds = std::move(first.seconds);
    device::Stopwatch watch;
    const Graph& graph = given.neighbors != nullptr ? *given.neighbors : first.found.graph;
    Graph p;
    const bool related = !first.cancelled && device::run_cancellable(run.stop, [&] {
        device::ProgressReporter reporter(run, "affinities", 1);
        p = affinities_of_distances(cpu, graph, *options.perplexity);
    });
    if (!related) return unfinished(std::move(first.start));
    first.found.graph = {};  // frees the largest allocation
    seconds["affinities"] = watch.lap();

    Descent descent = device == Device::cuda ? descend_on_cuda(p, first.start, options, run)
                                             : descend_on_cpu(std::move(p), first.start, options, run);
    seconds["optimize"] = watch.lap();
    return result_of(std::move(descent), seconds, {first.found.recall, first.found.recall_se});
}

}  // namespace

Descent descend_on_cpu(Graph affinities, const Map& start, const Options& options, const Run& run) {
    device::Cpu cpu(run);
    auto state = descent::descent_state_at(cpu, start.coordinates, start.dim);
    descent::Repeller<forces::StudentT> repeller(repulsion_of(options));
    Objective objective(options);
    const descent::DescentStatus status = descent::descend(cpu, state, affinities, repeller, objective, run);

    // Scored in the order of the state, which is also that of the affinities
    const Map placed{state.dim, std::move(state.y)};
    scores::Score kl;
    const bool scored = device::run_cancellable(run.stop, [&] {
        device::ProgressReporter reporter(run, "score", 1);
        if (placed.size() > 1) kl = scores::kl(affinities, placed, {}, run);
    });
    if (!scored) kl.value = std::numeric_limits<double>::quiet_NaN();
    return {Map{start.dim, descent::in_original_order(placed.coordinates, state.original, start.dim)}, status, kl,
            cpu.threads()};
}

Result embed_on_cpu(MatrixView<const float> points, const Given& given, Options& options, const Run& run) {
    return embed_on(points, given, options, run, Device::cpu);
}

Result embed_sparse(const SparseView& points, const Given& given, Options& options, const Run& run, Device device) {
    return embed_on(points, given, options, run, device);
}

}  // namespace dunlin::tsne
