// SPDX-License-Identifier: Apache-2.0
#include <dunlin/clusters.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "clusters/finish.hpp"
#include "clusters/source.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/fail.hpp"
#include "device/memory.hpp"
#include "distance/check.hpp"
#include "hierarchy/disjoint_sets.hpp"
#include "neighbors/search_rows.hpp"
#include "progress/cancel.hpp"
#include "progress/stopwatch.hpp"
#include "spanning/boruvka.hpp"
#include "spanning/lists.hpp"
#include "spanning/matrix.hpp"
#include "spanning/near_lists.hpp"

namespace dunlin::clusters {

namespace {

using hierarchy::Edge;
using neighbors::low_dimensional_columns;

constexpr double most_exact_work = 1e13;  ///< n^2 * columns up to which `automatic` is exact
constexpr Index listed_beyond_core = 2, least_listed = 32;

Method method_for(Index points, Index cols, Method wanted) {
    if (wanted != Method::automatic) return wanted;
    const double work = static_cast<double>(points) * points * cols;
    return cols <= low_dimensional_columns || work <= most_exact_work ? Method::exact : Method::graph;
}

/// Length of the lists of more than low_dimensional_columns columns.
Index list_length(Index k, bool exact) {
    return exact ? std::max(k - 1 + listed_beyond_core, least_listed) : std::max(2 * k, least_listed);
}

/// A minimum spanning forest of listed pairs, between places of the tree.
std::vector<Edge> forest_of(const spanning::NearLists& lists, double scale) {
    std::vector<Edge> edges;
    const auto n = static_cast<Index>(lists.core.size());
    for (Index p = 0; p < n; ++p) {
        for (Index i = 0; i < lists.width; ++i) {
            const std::size_t entry = at(Offset{p} * lists.width + i);
            const Index q = lists.places[entry];
            edges.push_back({std::max({lists.core[at(p)], lists.core[at(q)], scale * lists.keys[entry]}), p, q});
        }
    }
    progress::cancellation_point();
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
        if (a.weight != b.weight) return a.weight < b.weight;
        return a.a != b.a ? a.a < b.a : a.b < b.b;
    });
    hierarchy::DisjointSets sets(n);
    std::erase_if(edges, [&](const Edge& edge) { return !sets.join(edge.a, edge.b); });
    return edges;
}

/// The tree of finite points; fills result.core and seconds.
std::vector<Edge> tree_of_points(device::Cpu& cpu, MatrixView<const float> points, const Run& run, Result& result) {
    const Options& o = result.options;
    progress::Stopwatch watch;
    const MetricSource metric(cpu, points, o.metric);
    const spanning::PointSource& source = metric.source();
    const spanning::PointTree tree(cpu, source);
    spanning::NearLists lists;
    if (points.cols <= low_dimensional_columns) {
        lists = spanning::near_lists(cpu, tree, *o.min_samples, run);
    } else {
        neighbors::SearchParameters search;
        search.exact = result.exact;
        search.seed = run.seed;
        const Index length = list_length(*o.min_samples, result.exact);
        const Graph found = neighbors::search_all(cpu, points, length, o.metric, run, search).graph;
        progress::cancellation_point();
        lists = spanning::near_lists(cpu, tree, source, found, *o.min_samples, result.exact, run);
    }
    result.seconds["neighbors"] = watch.lap();
    const double scale = source.norm == spanning::Norm::l2 && !source.halved ? 1 / (o.alpha * o.alpha) : 1 / o.alpha;
    const std::vector<Edge> given = result.exact ? std::vector<Edge>{} : forest_of(lists, scale);
    std::vector<Edge> edges = spanning::spanning_tree(cpu, tree, lists, scale, given, run);
    for (Edge& edge : edges) edge.weight = source.distance_of(edge.weight);
    result.core.resize(at(points.rows));
    for (Index p = 0; p < points.rows; ++p) {
        result.core[at(tree.order()[at(p)])] = source.distance_of(lists.core[at(p)]);
    }
    result.seconds["spanning"] = watch.lap();
    return edges;
}

void require_memory(const Run& run, MatrixView<const float> points, const Result& result, int threads) {
    const Index n = points.rows, cols = points.cols + 1, k = *result.options.min_samples;
    std::uint64_t bytes = spanning::PointTree::bytes(n, cols) + spanning::NearLists::bytes(n, k, threads) +
                          spanning::spanning_tree_bytes(n, k) + finish_bytes(n, n);
    if (cols > low_dimensional_columns + 1) bytes += at(n) * at(list_length(k, result.exact)) * 8;
    if (!result.exact) bytes += at(n) * spanning::most_width * sizeof(Edge);
    device::require_memory(run, bytes, fmt::format("density clusters of {} points", n));
}

/// Runs `work`, which fills the result, until it is done or stopped.
template <class Work>
void run_to_end(device::Cpu& cpu, const Run& run, std::string_view engine, Result& result, const Work& work) {
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
    device::complete(result, Device::cpu, run);
}

void finish_timed(std::vector<Edge> edges, const FiniteRows& finite, Result& result) {
    progress::Stopwatch watch;
    progress::cancellation_point();
    finish(std::move(edges), finite, result);
    result.seconds["tree"] = watch.lap();
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
    device::require_cpu(run, "density clusters are");
    distance::require_distance(wanted.metric, "density clusters need");
    require_items(points.rows);
    device::Cpu cpu(run);
    const FiniteRows finite = find_finite_rows(cpu, points);
    Result result;
    result.options = resolve(finite.count, wanted);
    result.options.method = method_for(finite.count, points.cols, wanted.method);
    result.exact = result.options.method == Method::exact;
    require_memory(run, points, result, cpu.threads());
    run_to_end(cpu, run, result.exact ? "exact" : "graph", result, [&] {
        std::vector<float> kept;
        const MatrixView<const float> rows = finite_part(points, finite, kept);
        std::vector<Edge> edges;
        if (finite.count > 0) edges = tree_of_points(cpu, rows, run, result);
        finish_timed(std::move(edges), finite, result);
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
    run_to_end(cpu, run, "prim", result, [&] {
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
        finish_timed(std::move(edges), all_rows(n), result);
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
    device::require_memory(run, finish_bytes(lists.size(), lists.edges()), "density clusters of this graph");
    device::Cpu cpu(run);
    run_to_end(cpu, run, "listed", result, [&] {
        progress::Stopwatch watch;
        result.core = spanning::core_distances(lists, *result.options.min_samples);
        std::vector<Edge> edges = spanning::listed_edges(lists, result.core, result.options.alpha);
        result.seconds["spanning"] = watch.lap();
        finish_timed(std::move(edges), all_rows(lists.size()), result);
    });
    return result;
}

}  // namespace dunlin::clusters
