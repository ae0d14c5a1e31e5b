// SPDX-License-Identifier: Apache-2.0
#include <dunlin/scores.hpp>

#include <limits>

#include "device/cancel.hpp"
#include "device/memory.hpp"
#include "device/progress.hpp"
#include "device/stopwatch.hpp"
#include "initialization/initial_map.hpp"
#include "initialization/pca.hpp"
#include "tsne/backend.hpp"
#include "tsne/descend.hpp"
#include "tsne/perplexity.hpp"
#include "tsne/reorder.hpp"
#include "tsne/repeller.hpp"

namespace dunlin::tsne {

namespace {

Map random_start(Index n, const Options& options, const Run& run) {
    return initialization::random_start(n, options.dim, start_deviation, run.seed);
}

/// The initial map; a random one if cancelled. Points: a dense or a sparse view.
template <class Points>
Map start_of(device::Cpu& cpu, const Points& points, const Options& options, const Run& run) {
    device::ProgressReporter reporter(run, "start", 1);
    Map start;
    const bool done = options.start == Start::pca && device::run_cancellable(run.stop, [&] {
                          start = initialization::pca_start(cpu, points, options.dim, start_deviation, run.seed);
                      });
    return done ? std::move(start) : random_start(points.rows, options, run);
}

/// Peak memory in bytes: neighbors, their transpose and the merged affinities (at most 2 k per point).
std::uint64_t bytes_wanted(Index n, Index k) {
    return static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(k) * (8 + 4 + 8 + 16);
}

neighbors::Result neighbors_of(MatrixView<const float> points, const Options& options, const Run& run) {
    return neighbors::search(points, search_options(options), run);
}

/// A GPU is for the descent.
neighbors::Result neighbors_of(const SparseView& points, const Options& options, Run run) {
    run.device = Device::cpu;
    return neighbors::search(points, search_options(options), run);
}

/// All stages after the optional reduction of the points by PCA; the descent on this device.
template <class Points>
Result embed_stages(const Points& points, const Given& given, Options& options, const Run& run, Device device) {
    device::Cpu cpu(run);
    device::Stopwatch watch;
    Map start = given.start != nullptr ? *given.start : start_of(cpu, points, options, run);
    Seconds seconds;
    seconds["start"] = watch.lap();

    neighbors::Result found;
    const Graph* graph = given.neighbors;
    if (graph == nullptr) {
        device::require_memory(run, bytes_wanted(points.rows, *options.k), "t-SNE of this many points and neighbors");
        found = neighbors_of(points, options, run);
        graph = &found.graph;
        record_search(options, found.options.method);
    }
    seconds["neighbors"] = watch.lap();

    Graph p;
    const bool related = device::run_cancellable(run.stop, [&] {
        device::ProgressReporter reporter(run, "affinities", 1);
        p = affinities_of_distances(cpu, *graph, *options.perplexity);
    });
    if (!related) return unfinished(std::move(start));
    found.graph = {};  // frees the largest allocation
    seconds["affinities"] = watch.lap();

    Descent descent = device == Device::cuda ? descend_on_cuda(p, start, options, run)
                                             : descend_on_cpu(std::move(p), start, options, run);
    seconds["optimize"] = watch.lap();
    return result_of(std::move(descent), seconds, {found.recall, found.recall_se});
}

/// All stages.
template <class Points>
Result embed_on(const Points& points, const Given& given, Options& options, const Run& run, Device device) {
    if (*options.pca == points.cols) return embed_stages(points, given, options, run, device);
    device::Cpu cpu(run);
    device::Stopwatch watch;
    std::vector<float> reduced;
    const bool done = device::run_cancellable(run.stop, [&] {
        device::ProgressReporter reporter(run, "start", 1);
        reduced = initialization::principal_coordinates(cpu, points, *options.pca);
    });
    if (!done) return unfinished(given.start != nullptr ? *given.start : random_start(points.rows, options, run));
    const double seconds = watch.lap();
    const MatrixView<const float> components{reduced.data(), points.rows, *options.pca};
    Result result = embed_stages(components, given, options, run, device);
    result.seconds["start"] += seconds;
    return result;
}

}  // namespace

Descent descend_on_cpu(Graph affinities, const Map& start, const Options& options, const Run& run) {
    device::Cpu cpu(run);
    auto state = descent_state_at(cpu, start.coordinates, start.dim);
    Repeller repeller(options);
    const DescentStatus status = descend(cpu, state, affinities, repeller, options, run);

    // Scored in the order of the state, which is also that of the affinities
    const Map placed{state.dim, std::move(state.y)};
    scores::Score kl;
    const bool scored = device::run_cancellable(run.stop, [&] {
        device::ProgressReporter reporter(run, "score", 1);
        if (placed.size() > 1) kl = scores::kl(affinities, placed, {}, run);
    });
    if (!scored) kl.value = std::numeric_limits<double>::quiet_NaN();
    return {Map{start.dim, in_original_order(placed.coordinates, state.original, start.dim)}, status, kl,
            cpu.threads()};
}

Result embed_on_cpu(MatrixView<const float> points, const Given& given, Options& options, const Run& run) {
    return embed_on(points, given, options, run, Device::cpu);
}

Result embed_sparse(const SparseView& points, const Given& given, Options& options, const Run& run, Device device) {
    return embed_on(points, given, options, run, device);
}

}  // namespace dunlin::tsne
