// SPDX-License-Identifier: Apache-2.0
#include <dunlin/reliability.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/memory.hpp"
#include "distance/check.hpp"
#include "forces/grid/shape.hpp"
#include "math/at.hpp"
#include "neighbors/nearest_lists.hpp"
#include "neighbors/search_rows.hpp"
#include "placement/field.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"
#include "reliability/curvature.hpp"
#include "reliability/home.hpp"
#include "reliability/local_ranks.hpp"
#include "reliability/null_model.hpp"
#include "reliability/resampled.hpp"
#include "reliability/resolve.hpp"
#include "reliability/summarize.hpp"
#include "scores/evaluated_rows.hpp"
#include "scores/sample.hpp"
#include "tsne/perplexity.hpp"

namespace dunlin::reliability {

namespace {

/// Peak memory besides the points, in bytes: lists of neighbors in data and map, and affinities (at most 2 k a point).
std::uint64_t bytes_wanted(const Options& o, const Map& map, Index cols, Index k) {
    const auto n = static_cast<std::uint64_t>(map.size()), degree = static_cast<std::uint64_t>(k);
    std::uint64_t bytes = n * degree * (3 * 8 + 16) + n * 64;
    if (o.bootstrap > 0 || o.null) bytes += n * (static_cast<std::uint64_t>(cols) * 4 + degree * 44);
    return bytes + BootstrapMaps::bytes(map.size(), map.dim, o.bootstrap);
}

/// From here on home and gap of all points take some seconds on two cores, and a GPU gains more than it takes to start
/// it and to copy the affinities.
constexpr Index large = 200'000;

/// Largest distance between nodes of a grid whose spline follows Student's t, whose core is 1 wide.
constexpr double widest_spacing = 0.5;

/// Whether the grid's nodes, with their margin, would be further apart.
bool is_too_wide(const Map& map) { return 1.1 * span_of(map) + 4 > widest_spacing * forces::max_nodes(map.dim); }

/// The diagnosis of one map; members are the stages.
class Diagnosis {
public:
    Diagnosis(const Map& map, MatrixView<const float> points, const Run& run, const Given& given, Device device,
              Result& result)
        : map_(map),
          points_(points),
          run_(run),
          given_(given),
          result_(result),
          options_(result.options),
          columns_(result.columns),
          cpu_(run),
          where_{cpu_, device == Device::cuda ? &run : nullptr} {
        result.threads = cpu_.threads();
        inner_ = run;
        inner_.on_progress = {};
    }

    /// Lists of neighbors in the data and in the map, and intruders and lost.
    void rank() {
        const Index n = map_.size(), k = std::max(*options_.ranks, affinity_neighbors());
        if (given_.neighbors != nullptr) {
            nearest_ = neighbors::nearest_first(cpu_, *given_.neighbors);
            options_.recall.reset();  // there is no search
        } else {
            neighbors::Result found = neighbors::search(
                points_, {.k = k, .metric = options_.metric, .method = options_.search, .recall = options_.recall},
                run_);
            progress::cancellation_point();
            nearest_ = std::move(found.graph);
            result_.search_recall = found.recall;
            result_.search_recall_se = found.recall_se;
            options_.search = found.options.method;
            if (options_.search == neighbors::Method::exact) options_.recall.reset();
            result_.engines.push_back({"neighbors", name_of(options_.search), 0});
        }
        lap("neighbors");
        progress::ProgressReporter reporter(run_, "ranks", 3);
        nearest_in_map_ = neighbors::search_all(cpu_, map_.view(), std::min(n - 1, *options_.ranks),
                                                neighbors::Metric::euclidean, scores::quiet_run(run_))
                              .graph;
        nn_distance_ = nn_distance_of(nearest_in_map_);
        reporter.announce(1);
        columns_.intruders = excess_ranks(cpu_, nearest_in_map_, nearest_, *options_.k, *options_.ranks);
        reporter.announce(2);
        columns_.lost = excess_ranks(cpu_, nearest_, nearest_in_map_, *options_.k, *options_.ranks);
        reporter.announce(3);
        lap("ranks");
    }

    /// kl and singularity.
    void differentiate() {
        {
            progress::ProgressReporter reporter(run_, "affinities", 1);
            affinities_ = affinities_of(nearest_);
        }
        lap("affinities");
        progress::ProgressReporter reporter(run_, "singularity", 1);
        field_.emplace(field_of(map_));
        Curvature found = curvature_of(where_, affinities_, map_, *field_);
        columns_.kl = std::move(found.kl);
        columns_.singularity = std::move(found.singularity);
        result_.median_newton_step = median_of(std::move(found.newton_step));
        lap("singularity");
    }

    /// home, gap and perturbation, of the sample.
    void find_minima() {
        const Index n = map_.size();
        const std::vector<Index> rows =
            scores::rows_to_evaluate(n, options_.home_sample ? 0 : n, options_.home_sample.value_or(n), run_.seed);
        const LeftOut left_out{map_, *field_, affinities_, nearest_, nn_distance_, options_.starts};
        {
            progress::ProgressReporter reporter(run_, "home", std::ssize(rows));
            Homes found = homes_of(where_, left_out, rows, reporter);
            columns_.home = std::move(found.home);
            columns_.gap = std::move(found.gap);
        }
        lap("home");
        if (!options_.perturb) return;
        progress::ProgressReporter reporter(run_, "perturb", std::ssize(rows));
        if (!options_.length) options_.length = default_length(nearest_);
        const Perturbation how{points_,          options_.metric,      options_.search,     options_.recall,
                               *options_.length, *options_.perplexity, affinity_neighbors()};
        columns_.perturbation = perturbations_of(where_, left_out, how, rows, inner_, reporter);
        lap("perturb");
    }

    void bootstrap() {
        const Index n = map_.size();
        progress::ProgressReporter reporter(run_, "bootstrap", options_.bootstrap);
        BootstrapMaps maps(n, map_.dim, options_.bootstrap);
        for (int b = 0; b < options_.bootstrap; ++b) {
            const std::vector<Index> rows = bootstrap_rows(n, run_.seed, b);
            maps.add(b, rows, map_of(rows_of(cpu_, points_, rows).view(), nullptr));
            reporter.tick(b + 1);
        }
        const std::vector<double> variances = maps.distance_variances(cpu_, run_.seed);
        columns_.stability.resize(at(n));
        for (std::size_t i = 0; i < at(n); ++i) columns_.stability[i] = static_cast<float>(1 / (1 + variances[i]));
        lap("bootstrap");
    }

    void compare_with_null() {
        progress::ProgressReporter reporter(run_, "null", 2);
        const Matrix null = columns_resampled(cpu_, points_, run_.seed);
        const Index k = std::max(*options_.ranks, affinity_neighbors());
        const Graph nearest =
            neighbors::search(null.view(), {.k = k, .metric = options_.metric, .recall = options_.recall}, inner_)
                .graph;
        progress::cancellation_point();
        const Graph of_affinities = neighbors::first_neighbors(nearest, affinity_neighbors());
        const Map map = map_of(null.view(), options_.method == Method::tsne ? &of_affinities : nullptr);
        reporter.tick(1);
        if (options_.method == Method::tsne) {
            columns_.null_p =
                shares_below(columns_.kl, kl_of_points(where_, affinities_of(nearest), map, field_of(map)));
        } else {
            const Graph in_map = neighbors::search_all(cpu_, map.view(), std::min(map.size() - 1, *options_.ranks),
                                                       neighbors::Metric::euclidean, scores::quiet_run(run_))
                                     .graph;
            columns_.null_p = shares_below(sums(columns_.intruders, columns_.lost),
                                           sums(excess_ranks(cpu_, in_map, nearest, *options_.k, *options_.ranks),
                                                excess_ranks(cpu_, nearest, in_map, *options_.k, *options_.ranks)));
        }
        reporter.tick(2);
        lap("null");
    }

    [[nodiscard]] double nn_distance() const { return nn_distance_; }

private:
    /// As t-SNE: all given neighbors, else 3 * perplexity.
    [[nodiscard]] Index affinity_neighbors() const {
        if (given_.neighbors != nullptr) return static_cast<Index>(given_.neighbors->edges() / map_.size());
        return std::min(map_.size() - 1, neighbors_of_affinities(options_));
    }

    [[nodiscard]] Graph affinities_of(const Graph& nearest) {
        return tsne::affinities_of_distances(cpu_, neighbors::first_neighbors(nearest, affinity_neighbors()),
                                             *options_.perplexity);
    }

    [[nodiscard]] MapField field_of(const Map& map) {
        const bool exact = map.dim == 1 || map.size() <= placement::most_for_exact_field || is_too_wide(map);
        return MapField(cpu_, map.view(), exact, 0);
    }

    /// A further map of the same kind.
    [[nodiscard]] Map map_of(MatrixView<const float> points, const Graph* neighbors) {
        Map map;
        if (options_.method == Method::tsne) {
            tsne::Options o{.dim = map_.dim, .perplexity = options_.perplexity, .metric = options_.metric};
            if (options_.iterations) o.iterations = *options_.iterations;
            if (neighbors == nullptr) o.recall = options_.recall;
            map = tsne::embed(points, o, inner_, {neighbors, nullptr}).map;
        } else {
            umap::Options o{.dim = map_.dim, .metric = options_.metric, .recall = options_.recall};
            if (options_.iterations) o.iterations = *options_.iterations;
            map = umap::embed(points, o, inner_).map;
        }
        progress::cancellation_point();
        return map;
    }

    [[nodiscard]] static std::vector<float> sums(std::vector<float> a, const std::vector<float>& b) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
        return a;
    }

    void lap(std::string_view stage) { result_.seconds[stage] += watch_.lap(); }

    const Map& map_;
    MatrixView<const float> points_;
    const Run& run_;
    const Given& given_;
    Result& result_;
    Options& options_;
    Columns& columns_;
    device::Cpu cpu_;
    Where where_;  ///< what follows the lists of neighbors
    Run inner_;    ///< of further maps and searches: without progress
    progress::Stopwatch watch_;
    Graph nearest_, nearest_in_map_, affinities_;  ///< neighbors: nearest first
    std::optional<MapField> field_;
    double nn_distance_ = NAN;
};

/// Columns of a map of one point, which has no neighbors: all values are undefined.
void leave_undefined(const Options& options, Columns& columns) {
    const bool tsne = options.method == Method::tsne;
    const std::vector<float> undefined(1, NAN);
    columns.intruders = columns.lost = undefined;
    if (tsne) columns.kl = columns.singularity = columns.home = columns.gap = undefined;
    if (options.perturb) columns.perturbation = undefined;
    if (options.bootstrap > 0) columns.stability = undefined;
    if (options.null) columns.null_p = undefined;
}

void diagnose(const Map& map, MatrixView<const float> points, const Run& run, const Given& given, Device device,
              Result& result) {
    const Options& options = result.options;
    if (map.size() < 2) {
        leave_undefined(options, result.columns);
        result.summary.nn_distance = NAN;
        return;
    }
    Diagnosis diagnosis(map, points, run, given, device, result);
    const bool done = progress::run_cancellable(run.stop, [&] {
        diagnosis.rank();
        if (options.method == Method::tsne) {
            diagnosis.differentiate();
            diagnosis.find_minima();
        }
        if (options.bootstrap > 0) diagnosis.bootstrap();
        if (options.null) diagnosis.compare_with_null();
    });
    if (!done) result.stopped = Stopped::cancelled;
    result.summary = summarize(map, result.columns, diagnosis.nn_distance());
}

}  // namespace

Result evaluate(const Map& map, MatrixView<const float> points, const Options& wanted, const Run& run,
                const Given& given) {
    check(map, points, wanted, run, given);
    const Index n = map.size();
    const auto degree = given.neighbors == nullptr
                            ? n - 1
                            : static_cast<Index>(given.neighbors->edges() / std::max<Index>(points.rows, 1));
    distance::require_kernels(wanted.metric, "measures of reliability");
    const Device device =
        device::choose(run, n >= large || wanted.bootstrap > 0 || wanted.null, {.what = "reliability is computed"});
    Result result;
    result.options = resolve(wanted, n, degree, given.neighbors != nullptr);
    result.stopped = Stopped::converged;
    const Index k =
        std::max(*result.options.ranks, n > 1 ? std::min(n - 1, neighbors_of_affinities(result.options)) : 0);
    device::require_memory(run, bytes_wanted(result.options, map, points.cols, k),
                           "the reliability of this many points", "lower ranks, perplexity or bootstrap");
    diagnose(map, points, run, given, device, result);
    device::complete(result, device, run);
    return result;
}

}  // namespace dunlin::reliability
