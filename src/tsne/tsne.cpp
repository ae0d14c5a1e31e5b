#include <dunlin/tsne.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/metrics.hpp>

#include "device/choose.hpp"
#include "device/memory.hpp"
#include "start/pca.hpp"
#include "start/start.hpp"
#include "tsne/backend.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {

namespace {

constexpr double start_deviation = 1e-4;

/// Seconds since the last question.
class Stopwatch {
public:
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const std::chrono::duration<double> passed = now - last_;
        last_ = now;
        return passed.count();
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

Map start_of(device::Cpu& cpu, MatrixView<const float> points, const Options& options, const Run& run) {
    return options.start == Start::pca ? start::pca_start(cpu, points, options.dim, start_deviation, run.seed)
                                       : start::random_start(points.rows, options.dim, start_deviation, run.seed);
}

/// What cancelling before the descent leaves: the start, and no cost.
Result unfinished(Map start, const Options& options) {
    Result result;
    result.map = std::move(start);
    result.options = options;
    result.kl = std::numeric_limits<double>::quiet_NaN();
    result.stopped = Stopped::cancelled;
    return result;
}

/// Bytes per point at the worst moment: neighbours, their transpose and the merged affinities (at most twice k).
std::uint64_t bytes_wanted(Index n, Index k) {
    return static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(k) * (8 + 4 + 8 + 16);
}

void require_size(Index size, Index points, std::string_view what) {
    if (size == points) return;
    throw Error(Fault::bad_input,
                fmt::format("the {} has {} points and the data have {}; they must agree", what, size, points));
}

void require_points(MatrixView<const float> points) {
    if (points.rows < 1 || points.cols < 1) {
        throw Error(Fault::bad_input,
                    fmt::format("the data have {} rows and {} columns; a map needs at least one of each", points.rows,
                                points.cols));
    }
}

/// From points (perhaps reduced) and what is given to the map.
Result embed_stages(MatrixView<const float> points, const Given& given, const Options& options, const Run& run) {
    device::Cpu cpu(run);
    Stopwatch watch;
    Map start = given.start != nullptr ? *given.start : start_of(cpu, points, options, run);
    Seconds seconds;
    seconds.start = watch.lap();

    neighbors::Result found;
    const Graph* graph = given.neighbors;
    if (graph == nullptr) {
        device::require_memory(run, bytes_wanted(points.rows, *options.k), "t-SNE of this many points and neighbours");
        found = neighbors::search(points, {.k = *options.k, .metric = options.metric, .method = options.search}, run);
        graph = &found.graph;
    }
    seconds.neighbors = watch.lap();
    if (run.stop.stop_requested()) return unfinished(std::move(start), options);

    Graph p = affinities(*graph, *options.perplexity, run);
    found.graph = {};  // the largest thing held; no longer needed
    seconds.affinities = watch.lap();

    Result result = embed(std::move(p), std::move(start), options, run);
    seconds.optimise = result.seconds.optimise;
    result.seconds = seconds;
    result.search = found.method;
    result.search_recall = found.recall;
    result.search_recall_se = found.recall_se;
    return result;
}

/// Settles the options for these points, or for these neighbours of theirs.
Options settled(const Options& options, MatrixView<const float> points, const Graph* neighbors) {
    if (neighbors == nullptr) return resolve(options, points.rows, points.rows - 1);
    const auto degree = static_cast<Index>(neighbors->edges() / points.rows);
    Options result = resolve(options, points.rows, degree);
    result.k = degree;
    return result;
}

}  // namespace

Result embed(Graph affinities, Map start, const Options& wanted, const Run& run) {
    check(wanted);
    Options options = wanted;
    options.dim = start.dim;
    require_size(start.size(), affinities.size(), "start");
    device::require_cpu(run, "t-SNE is");
    Stopwatch watch;
    Descent descent = descend_on_cpu(std::move(affinities), start, options, run);

    Result result;
    result.map = std::move(descent.map);
    result.iterations = descent.ending.iterations;
    result.stopped = descent.ending.stopped;
    result.threads = descent.threads;
    result.options = options;
    result.seconds.optimise = watch.lap();
    result.kl = descent.kl.value;
    result.kl_se = descent.kl.se;
    return result;
}

Result embed(MatrixView<const float> points, const Options& wanted, const Run& run, const Given& given) {
    require_points(points);
    check(wanted);
    device::require_cpu(run, "t-SNE is");
    if (given.neighbors != nullptr) require_size(given.neighbors->size(), points.rows, "neighbour graph");
    if (given.start != nullptr) require_size(given.start->size(), points.rows, "start");
    Options options = settled(wanted, points, given.neighbors);
    if (given.start != nullptr) options.dim = given.start->dim;
    if (!options.pca || *options.pca >= points.cols) return embed_stages(points, given, options, run);

    device::Cpu cpu(run);
    Stopwatch watch;
    const std::vector<float> reduced = start::principal_coordinates(cpu, points, *options.pca);
    const double seconds = watch.lap();
    Result result = embed_stages({reduced.data(), points.rows, *options.pca}, given, options, run);
    result.seconds.start += seconds;
    return result;
}

}  // namespace dunlin::tsne
