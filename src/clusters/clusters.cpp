// SPDX-License-Identifier: Apache-2.0
#include <dunlin/clusters.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "clusters/backend.hpp"
#include "clusters/finish.hpp"
#include "clusters/source.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/fail.hpp"
#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "distance/check.hpp"
#include "progress/cancel.hpp"
#include "progress/stopwatch.hpp"
#include "spanning/boruvka.hpp"
#include "spanning/items.hpp"
#include "spanning/lists.hpp"
#include "spanning/matrix.hpp"
#include "spanning/near_lists.hpp"
#include "spanning/rounds.hpp"
#include "spanning/tree_spanning.hpp"

namespace dunlin::clusters {

namespace {

using hierarchy::Edge;
using neighbors::low_dimensional_columns;

constexpr double most_exact_work = 1e13;  ///< n^2 * columns up to which `automatic` is exact

Method method_for(Index points, Index cols, Method wanted) {
    if (wanted != Method::automatic) return wanted;
    const double work = static_cast<double>(points) * points * cols;
    return cols <= low_dimensional_columns || work <= most_exact_work ? Method::exact : Method::graph;
}

neighbors::SearchParameters search_for(const Result& result, const Run& run) {
    neighbors::SearchParameters search;
    search.exact = result.exact;
    search.seed = run.seed;
    return search;
}

/// The tree of points with few columns, weights are keys.
spanning::PointsSpanned span_few_columns(device::Cpu& cpu, const spanning::PointSource& source, double scale,
                                         const Run& run, const Result& result) {
    progress::Stopwatch watch;
    const spanning::PointTree tree(cpu, source);
    const spanning::NearLists lists = spanning::near_lists(cpu, tree, *result.options.min_samples, run);
    spanning::PointsSpanned spanned;
    spanned.seconds = watch.lap();
    const std::vector<Edge> given = result.exact ? std::vector<Edge>{} : spanning::listed_forest(lists, scale);
    spanned.edges = spanning::spanning_tree(cpu, tree, lists, scale, given, run);
    spanned.core.resize(lists.core.size());
    for (std::size_t p = 0; p < lists.core.size(); ++p) spanned.core[at(tree.order()[p])] = lists.core[p];
    return spanned;
}

/// From so many points on a GPU gains more than it takes to start it.
constexpr Index large = 200'000;

/// What a GPU cannot do of clusters of points, as the subject and verb of a sentence; empty: it can.
std::string_view not_on_gpu(Index cols, const Result& result) {
    const neighbors::Metric metric = result.options.metric;
    if (cols > spanning::few_columns) return "density clusters of more than 4 columns are";
    if (metric != neighbors::Metric::euclidean && metric != neighbors::Metric::manhattan)
        return "density clusters by another metric than euclidean and manhattan are";
    if (!result.exact) return "density clusters by the method graph are";
    if (*result.options.min_samples > spanning::most_nearest + 1)
        return "density clusters with min-samples above 129 are";
    return {};
}

Device device_for(MatrixView<const float> points, const Result& result, const Run& run) {
    const std::string_view why = not_on_gpu(points.cols, result);
    if (why.empty()) return device::choose(run, points.rows >= large, {.what = "density clusters are found"});
    device::require_cpu(run, why);
    return Device::cpu;
}

double scale_of(const spanning::PointSource& source, double alpha) {
    return source.norm == spanning::Norm::l2 && !source.halved ? 1 / (alpha * alpha) : 1 / alpha;
}

/// The tree of finite points; fills result.core and seconds.
std::vector<Edge> tree_of_points(device::Cpu& cpu, MatrixView<const float> points, const spanning::PointSource& source,
                                 const Run& run, Result& result) {
    const Options& o = result.options;
    progress::Stopwatch watch;
    const double scale = scale_of(source, o.alpha);
    spanning::PointsSpanned spanned =
        points.cols <= low_dimensional_columns
            ? span_few_columns(cpu, source, scale, run, result)
            : spanning::span_items(cpu, points, o.metric, source, *o.min_samples, scale, search_for(result, run), run);
    for (Edge& edge : spanned.edges) edge.weight = source.distance_of(edge.weight);
    for (double& core : spanned.core) core = source.distance_of(core);
    result.core = std::move(spanned.core);
    result.seconds["neighbors"] = spanned.seconds;
    result.seconds["spanning"] = watch.lap() - spanned.seconds;
    return std::move(spanned.edges);
}

void require_memory(device::Cpu& cpu, const Run& run, MatrixView<const float> points, Device device,
                    const Result& result) {
    const Index n = points.rows, k = *result.options.min_samples;
    std::uint64_t bytes = finish_bytes(n, n);
    if (device == Device::cuda) {
        bytes += at(n) * (2 * sizeof(double) + sizeof(Edge));  // what comes from the GPU, and the edges made of it
    } else if (points.cols <= low_dimensional_columns) {
        bytes += spanning::PointTree::bytes(n, points.cols + 1) + spanning::NearLists::bytes(n, k, cpu.threads()) +
                 spanning::spanning_tree_bytes(n, k);
    } else {
        bytes += spanning::span_items_bytes(cpu, points, result.options.metric, k, search_for(result, run));
    }
    device::require_memory(run, bytes, fmt::format("density clusters of {} points", n));
}

/// Runs `work`, which fills the result, until it is done or stopped.
template <class Work>
void run_to_end(device::Cpu& cpu, Device device, const Run& run, std::string_view engine, Result& result,
                const Work& work) {
    device::reset_cuda_peak_memory();
    const bool done = progress::run_cancellable(run.stop, work);
    if (!done) {
        Result empty;
        empty.options = result.options;
        empty.seconds = result.seconds;
        empty.exact = result.exact;
        result = std::move(empty);
    }
    result.stopped = done ? Stopped::converged : Stopped::cancelled;
    result.threads = cpu.threads();
    result.engines = {{"spanning", engine, 0}};
    device::complete(result, device, run);
}

void finish_timed(device::Cpu& cpu, std::vector<Edge> edges, const FiniteRows& finite, Result& result) {
    progress::Stopwatch watch;
    progress::cancellation_point();
    finish(cpu, std::move(edges), finite, result);
    result.seconds["tree"] = watch.lap();
}

/// Clusters of finite points.
void cluster_rows(device::Cpu& cpu, MatrixView<const float> rows, const FiniteRows& finite, Device device,
                  const Run& run, Result& result) {
    std::vector<Edge> edges;
    if (finite.count > 0) {
        const MetricSource metric(cpu, rows, result.options.metric);
        if (device == Device::cpu || finite.count == 1) {
            edges = tree_of_points(cpu, rows, metric.source(), run, result);
        } else if (span_on_cuda(rows, metric.source(), scale_of(metric.source(), result.options.alpha), run, result,
                                edges)) {
            progress::Stopwatch watch;
            finish_condensed(cpu, finite, result);
            result.seconds["tree"] += watch.lap();
            return;
        }
    }
    finish_timed(cpu, std::move(edges), finite, result);
}

/// Throws for options of points.
void require_no_point_options(const Options& o, std::string_view what) {
    if (o.metric != Options{}.metric)
        device::bad_option("metric", fmt::format("metric is {}, but {} has the distances", name_of(o.metric), what));
    if (o.method != Options{}.method)
        device::bad_option("method", fmt::format("method is {}, but it is read only for points", name_of(o.method)));
}

/// Throws for a matrix that cannot be used. True if it is symmetric to the last bit.
bool check_matrix(device::Cpu& cpu, MatrixView<const float> d) {
    constexpr float tolerance = 1e-5F;
    constexpr Offset grain = 16;
    struct Fault {
        Index row = -1, column = -1;
        bool differs = false;
    };
    std::vector<Fault> faults(at((d.rows + grain - 1) / grain));
    cpu.blocks(d.rows, grain, [&](Offset begin, Offset end, int) {
        Fault& fault = faults[at(begin / grain)];
        for (Index i = static_cast<Index>(begin); i < end && fault.row < 0; ++i) {
            for (Index j = 0; j < d.cols; ++j) {
                const float value = d(i, j), other = d(j, i);
                const bool equal = value == other;
                fault.differs |= !equal;
                const bool near =
                    equal || std::abs(value - other) <= tolerance * std::max(std::abs(value), std::abs(other));
                if (value >= 0 && near) continue;
                fault.row = i;
                fault.column = j;
                break;
            }
        }
    });
    for (const Fault& fault : faults) {
        if (fault.row < 0) continue;
        const float value = d(fault.row, fault.column), other = d(fault.column, fault.row);
        device::bad_row(fault.row,
                        fmt::format("the distance of items {} and {} is {}, that of {} and {} is {}; distances must be "
                                    "known, at least 0 and the same both ways",
                                    fault.row, fault.column, value, fault.column, fault.row, other),
                        fault.column);
    }
    return std::none_of(faults.begin(), faults.end(), [](const Fault& fault) { return fault.differs; });
}

/// The half above the diagonal on both sides.
std::vector<float> symmetric_copy(MatrixView<const float> d) {
    std::vector<float> copy(d.data, d.data + d.size());
    for (Index i = 0; i < d.rows; ++i) {
        for (Index j = 0; j < i; ++j) copy[at(Offset{i} * d.cols + j)] = d(j, i);
    }
    return copy;
}

FiniteRows all_rows(Index count) {
    FiniteRows rows;
    rows.count = count;
    return rows;
}

void check_lists(const Graph& lists) {
    for (Index p = 0; p < lists.size(); ++p) {
        for (Offset e = lists.offsets[at(p)]; e < lists.offsets[at(p) + 1]; ++e) {
            const Index q = lists.targets[at(e)];
            if (q < 0 || q >= lists.size())
                device::bad_row(p, fmt::format("item {} lists item {}, but there are {} items", p, q, lists.size()));
            if (!(lists.weights[at(e)] >= 0)) {
                device::bad_row(p, fmt::format("the distance of items {} and {} is {}; distances must be at least 0", p,
                                               q, lists.weights[at(e)]));
            }
        }
    }
}

void require_items(Index count) {
    if (count < 1) throw Error(Fault::bad_input, "there are no points; density clusters need at least one");
}

}  // namespace

Result cluster(MatrixView<const float> points, const Options& wanted, const Run& run) {
    distance::require_distance(wanted.metric, "density clusters need");
    distance::require_kernels(wanted.metric, "density clusters");
    require_items(points.rows);
    device::Cpu cpu(run);
    const FiniteRows finite = find_finite_rows(cpu, points);
    Result result;
    result.options = resolve(finite.count, wanted);
    result.options.method = method_for(finite.count, points.cols, wanted.method);
    result.exact = result.options.method == Method::exact;
    const Device device = device_for(points, result, run);
    require_memory(cpu, run, points, device, result);
    run_to_end(cpu, device, run, result.exact ? "exact" : "graph", result, [&] {
        std::vector<float> kept;
        cluster_rows(cpu, finite_part(points, finite, kept), finite, device, run, result);
    });
    return result;
}

Result cluster_matrix(MatrixView<const float> distances, const Options& wanted, const Run& run) {
    device::require_cpu(run, "density clusters are");
    const Index n = distances.rows;
    require_items(n);
    if (distances.cols != n) {
        throw Error(Fault::bad_input, fmt::format("the matrix of distances has {} rows and {} columns; it must be "
                                                  "square, with a row per item",
                                                  n, distances.cols));
    }
    require_no_point_options(wanted, "the matrix");
    Result result;
    result.options = resolve(n, wanted);
    device::Cpu cpu(run);
    run_to_end(cpu, Device::cpu, run, "prim", result, [&] {
        std::vector<float> copy;
        if (!check_matrix(cpu, distances)) {
            device::require_memory(run, at(distances.size()) * sizeof(float),
                                   "a symmetric copy of the matrix of distances", "make the matrix symmetric");
            copy = symmetric_copy(distances);
        }
        const MatrixView<const float> d{copy.empty() ? distances.data : copy.data(), n, n};
        progress::Stopwatch watch;
        result.core = spanning::core_distances(cpu, d, *result.options.min_samples);
        result.seconds["neighbors"] = watch.lap();
        std::vector<Edge> edges = spanning::spanning_tree(cpu, d, result.core, result.options.alpha, run);
        result.seconds["spanning"] = watch.lap();
        finish_timed(cpu, std::move(edges), all_rows(n), result);
    });
    return result;
}

Result cluster_graph(const Graph& lists, const Options& wanted, const Run& run) {
    device::require_cpu(run, "density clusters are");
    require_items(lists.size());
    require_no_point_options(wanted, "the graph");
    check_lists(lists);
    Result result;
    result.options = resolve(lists.size(), wanted);
    result.exact = false;
    const std::uint64_t bytes = std::max(finish_bytes(lists.size(), lists.edges()),
                                         spanning::core_distances_bytes(lists, *result.options.min_samples));
    device::require_memory(run, bytes, "density clusters of this graph");
    device::Cpu cpu(run);
    run_to_end(cpu, Device::cpu, run, "listed", result, [&] {
        progress::Stopwatch watch;
        result.core = spanning::core_distances(lists, *result.options.min_samples);
        std::vector<Edge> edges = spanning::listed_edges(lists, result.core, result.options.alpha);
        result.seconds["spanning"] = watch.lap();
        finish_timed(cpu, std::move(edges), all_rows(lists.size()), result);
    });
    return result;
}

}  // namespace dunlin::clusters
