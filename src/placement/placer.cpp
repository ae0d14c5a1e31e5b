// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/transform.hpp>

#include "descent/components.hpp"
#include "descent/embed.hpp"
#include "descent/given.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/memory.hpp"
#include "initialization/pca.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/exact/few_queries.hpp"
#include "neighbors/held_points.hpp"
#include "neighbors/search_parameters.hpp"
#include "placement/map_loss.hpp"
#include "placement/map_scale.hpp"
#include "placement/options.hpp"
#include "placement/reference.hpp"
#include "placement/state.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::placement {

namespace {

neighbors::Options search_options(const Options& o, Index k) {
    return {.k = k, .metric = o.metric, .method = o.search, .recall = o.recall};
}

/// The neighbors of all points; one point has none.
Graph neighbors_of_points(MatrixView<const float> points, const Options& options, const Run& run) {
    if (points.rows > 1) return neighbors::search(points, search_options(options, list_length(options)), run).graph;
    Graph alone;
    alone.offsets.push_back(0);
    return alone;
}

/// Bytes of the lists and affinities of so many rows.
std::uint64_t bytes_of_lists(Index rows, Index k) {
    return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(k) * (sizeof(Index) + 2 * sizeof(float));
}

/// For one of three equal parts of a stage, `before` of which are done: on_progress tells of all as one.
Run part_of_three(const Run& run, Offset before) {
    Run part = run;
    if (run.on_progress) {
        part.on_progress = [&run, before](Progress progress) {
            progress.done += before * progress.total;
            progress.total *= 3;
            run.on_progress(progress);
        };
    }
    return part;
}

void record_search(const neighbors::Result& found, Result& placed) {
    placed.options.search = found.options.method;
    if (found.options.method == neighbors::Method::exact) placed.options.recall.reset();
    placed.search_recall = found.recall;
    placed.search_recall_se = found.recall_se;
    placed.engines.push_back({"neighbors", name_of(found.options.method), 0});
}

/// Sets distance, remoteness and far, by the first `own` neighbors of each list.
void judge_distances(const Graph& lists, const Reference& reference, Index own, Result& placed) {
    for (Index q = 0; q < lists.size(); ++q) {
        const auto distances = weights_of(lists, q);
        const std::size_t count = std::min(distances.size(), at(own));
        const double remoteness = remoteness_of(targets_of(lists, q).first(count), distances.first(count),
                                                reference.rows, reference.typical_reach);
        placed.distance.push_back(distances.front());
        placed.remoteness.push_back(static_cast<float>(remoteness));
        if (placed.remoteness.back() > 1) ++placed.far;
    }
    placed.far_of_map = reference.far_of_map;
}

}  // namespace

struct Placer::Prepared {
    MatrixView<const float> given_points;
    Map map;
    Options options;  ///< resolved
    Run run;          ///< device and GPUs of the constructor
    State state;
    Reference reference;
    std::optional<initialization::PrincipalProjection> projection;
    std::vector<float> projected;
    MatrixView<const float> points;  ///< in the space that is searched
    neighbors::HeldPoints held;
    std::optional<AnyMapLoss> loss;
    Seconds seconds;
    bool complete = false;

    void prepare(device::Cpu& cpu, const Run& watched, const Given& given);
    void place(device::Cpu& cpu, const Graph& lists, const Map* start, const Run& watched, Result& placed) const;
    [[nodiscard]] neighbors::Result search(device::Cpu& cpu, MatrixView<const float> queries, const Run& watched) const;

private:
    void refer(device::Cpu& cpu, const Run& watched, const Given& given);
    void place_by(Affinity affinity, device::Cpu& cpu, const Graph& lists, const Map* start, const Run& watched,
                  Result& placed, Seconds& spent) const;
    void place_by_both(device::Cpu& cpu, const Graph& lists, const Map* start, const Run& watched,
                       Result& placed) const;
};

/// Sets state and reference.
void Placer::Prepared::refer(device::Cpu& cpu, const Run& watched, const Given& given) {
    progress::Stopwatch watch;
    if (given.state != nullptr) {
        state = *given.state;
        reference = reference_in(state);
        return;
    }
    Run search = watched;
    search.device = run.device;
    const Graph own = given.neighbors != nullptr ? Graph{} : neighbors_of_points(points, options, search);
    seconds["neighbors"] = watch.lap();
    progress::cancellation_point();
    const progress::ProgressReporter reporter(watched, "affinities", 1);
    reference = reference_of(cpu, given.neighbors != nullptr ? *given.neighbors : own, options);
    state = state_of(given_points, options, reference);
    seconds["affinities"] = watch.lap();
}

void Placer::Prepared::prepare(device::Cpu& cpu, const Run& watched, const Given& given) {
    points = given_points;
    if (*options.pca < points.cols) {
        projection =
            initialization::principal_projection(cpu, points, *options.pca, descent::likeness_of(options.metric));
        projected = projection->of(cpu, points);
        points = {projected.data(), points.rows, projection->width()};
    }
    refer(cpu, watched, given);
    Run searching = watched;
    searching.gpus = run.gpus;
    held = neighbors::hold(cpu, points, run.device, searching);
    loss = loss_of_map(cpu, map, options, watched.seed);
    take_map(cpu, map.view(), state);
    complete = true;
}

/// The lists of the queries: the same for few and for many, since only an exact search has a short cut for few.
neighbors::Result Placer::Prepared::search(device::Cpu& cpu, MatrixView<const float> queries, const Run& here) const {
    const neighbors::Options wanted = search_options(options, std::min(query_list_length(options), points.rows));
    // Cosine and correlation count rows of nearly one direction as equal, which takes a pass over all
    const bool plain = options.metric == neighbors::Metric::euclidean || options.metric == neighbors::Metric::manhattan;
    const bool short_cut = plain && run.device == Device::cpu && queries.rows <= neighbors::few_queries &&
                           neighbors::resolve_parameters(points.rows, points.cols, wanted, run.device).exact;
    if (!short_cut) return neighbors::search(held, queries, wanted, here);
    neighbors::Result found;
    found.graph = neighbors::search_few(cpu, points, queries, wanted.k, options.metric);
    found.options.method = neighbors::Method::exact;
    return found;
}

/// Sets what place_edges does, by joint or own.
void Placer::Prepared::place_by(Affinity affinity, device::Cpu& cpu, const Graph& lists, const Map* start,
                                const Run& watched, Result& placed, Seconds& spent) const {
    progress::Stopwatch watch;
    Options by = options;
    by.affinity = affinity;
    const Graph edges = edges_of_queries(cpu, lists, reference, by);
    spent["affinities"] += watch.lap();
    place_edges(cpu, map, *loss, state.neighbor_distance, edges, by, start, watched, placed);
    spent["place"] += watch.lap();
}

/// Places queries by both affinities and keeps the better place of each (Affinity::best).
void Placer::Prepared::place_by_both(device::Cpu& cpu, const Graph& lists, const Map* start, const Run& watched,
                                     Result& placed) const {
    place_by(Affinity::joint, cpu, lists, start, part_of_three(watched, 0), placed, placed.seconds);
    Result own;
    own.map.dim = map.dim;
    place_by(Affinity::own, cpu, lists, start, part_of_three(watched, 1), own, placed.seconds);
    progress::Stopwatch watch;
    take_better(cpu, map.view(), lists, own, part_of_three(watched, 2), placed);
    placed.seconds["place"] += watch.lap();
}

/// Sets everything that follows from the lists of the queries.
void Placer::Prepared::place(device::Cpu& cpu, const Graph& lists, const Map* start, const Run& watched,
                             Result& placed) const {
    progress::Stopwatch watch;
    judge_distances(lists, reference, list_length(options), placed);
    placed.seconds["affinities"] += watch.lap();
    if (options.affinity == Affinity::best) {
        place_by_both(cpu, lists, start, watched, placed);
    } else {
        place_by(options.affinity, cpu, lists, start, watched, placed, placed.seconds);
    }
    if (!options.score) return;
    watch.lap();
    const scores::Score kept = kept_neighbors(cpu, map.view(), placed.map, lists, watched.seed);
    placed.preservation = kept.value;
    placed.preservation_se = kept.se;
    placed.seconds["score"] = watch.lap();
}

Placer::Placer(MatrixView<const float> points, const Map& map, const Options& wanted, const Run& run, const Given& all)
    : prepared_(std::make_unique<Prepared>()) {
    check_place(points, map, wanted, run, all);
    Given given = all;
    device::Cpu cpu(run);
    Graph nearest;
    if (all.neighbors != nullptr && all.state == nullptr) {
        nearest = descent::nearest_given(cpu, *all.neighbors, list_rule(wanted));
        if (nearest.size() > 0) given.neighbors = &nearest;
    }
    Prepared& p = *prepared_;
    p.given_points = points;
    p.map = map;
    p.options = resolve_place(wanted, points, given);
    // By the map alone
    const bool by_terms = row_of(wanted.metric).is_by_terms;
    if (by_terms) device::require_cpu(run, fmt::format("placing by metric {} is", name_of(wanted.metric)));
    p.run.device = device::choose(run, !by_terms && points.rows >= descent::enough_for_gpu, {.what = "placing runs"});
    p.run.gpus = run.gpus;
    if (given.neighbors == nullptr && given.state == nullptr) {
        device::require_memory(run, bytes_of_lists(points.rows, list_length(p.options)),
                               "the neighbors of this many points");
    }
    progress::run_cancellable(run.stop, [&] { p.prepare(cpu, run, given); });
    if (!p.complete) p.state = {};
}

Placer::~Placer() = default;
Placer::Placer(Placer&&) noexcept = default;
Placer& Placer::operator=(Placer&&) noexcept = default;

const State& Placer::state() const { return prepared_->state; }

Result Placer::place(MatrixView<const float> queries, const Run& run, const Map* start) const {
    const Prepared& p = *prepared_;
    neighbors::check_queries(p.given_points, queries);
    if (start != nullptr) check_start(*start, queries.rows, p.map.dim);
    device::Cpu cpu(run);
    const std::uint64_t lists = bytes_of_lists(queries.rows, query_list_length(p.options));
    if (p.options.affinity == Affinity::best && queries.rows > 0) {
        device::require_memory(run, lists + bytes_of_choice(cpu, p.map.view(), queries.rows),
                               "placing this many points twice, and the choice",
                               "use fewer points, affinity joint or own");
    } else {
        device::require_memory(run, lists, "placing this many points");
    }
    Run here = run;
    here.device = p.run.device;
    here.gpus = p.run.gpus;
    Result placed;
    placed.options = p.options;
    placed.map.dim = p.map.dim;
    placed.threads = cpu.threads();
    placed.seconds = p.seconds;
    const auto work = [&] {
        progress::Stopwatch watch;
        std::vector<float> projected;
        MatrixView<const float> rows = queries;
        if (p.projection) {
            projected = p.projection->of(cpu, queries);
            rows = {projected.data(), queries.rows, p.projection->width()};
        }
        const neighbors::Result found = p.search(cpu, rows, here);
        placed.seconds["neighbors"] += watch.lap();
        progress::cancellation_point();
        record_search(found, placed);
        p.place(cpu, found.graph, start, here, placed);
    };
    const bool done = p.complete && progress::run_cancellable(run.stop, work);
    placed.stopped = done ? Stopped::converged : Stopped::cancelled;
    if (!done) placed.map.coordinates.clear();
    device::complete(placed, p.run.device, here);
    return placed;
}

Result place(MatrixView<const float> points, const Map& map, MatrixView<const float> queries, const Options& options,
             const Run& run, const Given& given) {
    neighbors::check_queries(points, queries);  // before the work on the points
    return Placer(points, map, options, run, given).place(queries, run);
}

}  // namespace dunlin::placement
