#include <dunlin/metrics.hpp>

#include "device/memory.hpp"
#include "device/stopwatch.hpp"
#include "start/pca.hpp"
#include "start/start.hpp"
#include "tsne/backend.hpp"
#include "tsne/descend.hpp"
#include "tsne/perplexity.hpp"
#include "tsne/reorder.hpp"
#include "tsne/repeller.hpp"

namespace dunlin::tsne {

namespace {

Map start_of(device::Cpu& cpu, MatrixView<const float> points, const Options& options, const Run& run) {
    return options.start == Start::pca ? start::pca_start(cpu, points, options.dim, start_deviation, run.seed)
                                       : start::random_start(points.rows, options.dim, start_deviation, run.seed);
}

/// Bytes per point at the worst moment: neighbours, their transpose and the merged affinities (at most twice k).
std::uint64_t bytes_wanted(Index n, Index k) {
    return static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(k) * (8 + 4 + 8 + 16);
}

/// From points (perhaps reduced) and what is given to the map.
Result embed_stages(MatrixView<const float> points, const Given& given, const Options& options, const Run& run) {
    device::Cpu cpu(run);
    device::Stopwatch watch;
    Map start = given.start != nullptr ? *given.start : start_of(cpu, points, options, run);
    Seconds seconds;
    seconds.start = watch.lap();

    neighbors::Result found;
    const Graph* graph = given.neighbors;
    if (graph == nullptr) {
        device::require_memory(run, bytes_wanted(points.rows, *options.k), "t-SNE of this many points and neighbours");
        found = neighbors::search(points, search_options(options), run);
        graph = &found.graph;
    }
    seconds.neighbors = watch.lap();
    if (run.stop.stop_requested()) return unfinished(std::move(start));

    Graph p = affinities_of_distances(cpu, *graph, *options.perplexity);
    found.graph = {};  // the largest thing held; no longer needed
    seconds.affinities = watch.lap();

    Descent descent = descend_on_cpu(std::move(p), start, options, run);
    seconds.optimise = watch.lap();
    return result_of(std::move(descent), seconds, found);
}

}  // namespace

Descent descend_on_cpu(Graph affinities, const Map& start, const Options& options, const Run& run) {
    device::Cpu cpu(run);
    auto flock = flock_at(cpu, start.coordinates, start.dim);
    Repeller repeller(options);
    const Ending ending = descend(cpu, flock, affinities, repeller, options, run);

    // Scored in the flock's order, which the affinities have too
    const Map placed{start.dim, std::move(flock.y)};
    const metrics::Score kl = placed.size() > 1 ? metrics::kl(affinities, placed, {}, run) : metrics::Score{};
    return {Map{start.dim, in_original_order(placed.coordinates, flock.original, start.dim)}, ending, kl,
            cpu.threads()};
}

Result embed_on_cpu(MatrixView<const float> points, const Given& given, const Options& options, const Run& run) {
    if (!options.pca || *options.pca >= points.cols) return embed_stages(points, given, options, run);
    device::Cpu cpu(run);
    device::Stopwatch watch;
    const std::vector<float> reduced = start::principal_coordinates(cpu, points, *options.pca);
    const double seconds = watch.lap();
    Result result = embed_stages({reduced.data(), points.rows, *options.pca}, given, options, run);
    result.seconds.start += seconds;
    return result;
}

}  // namespace dunlin::tsne
