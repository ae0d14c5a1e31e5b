// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <dunlin/descent.hpp>
#include <dunlin/matrix_neighbors.hpp>
#include <dunlin/sparse.hpp>

#include "checkpoint/inputs.hpp"
#include "checkpoint/session.hpp"
#include "descent/given.hpp"
#include "descent/stages.hpp"
#include "descent/start_scale.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/gpus.hpp"
#include "device/ranks.hpp"
#include "device/resident.hpp"
#include "neighbors/nearest_lists.hpp"
#include "progress/stopwatch.hpp"

/// The entry points of the neighbor embeddings, once for all methods. A method is a namespace with the types Options
/// and Result of its public header and these functions, found by argument-dependent lookup:
///   method_name(options)                                      for messages
///   check(options)                                            throws for options that do not depend on the data
///   check_given(options, given, n)                            throws for given labels that do not fit the options
///   resolve_neighbors(options, n, cols, most)                 options of the stages before the descent
///   list_rule(options)                                        how given lists are read, see given.hpp
///   take_degree(options, degree)                              sets the number of neighbors to that of a given graph
///   resolve_descent(options, n, device)                       options of the descent
///   stage_plan(options)                                       the stages, see stages.hpp
///   start_rule(options, n)                                    see start_scale.hpp; of resolved options
///   is_moving(options)                                        whether there are iterations
///   edges_of(cpu, neighbors, points, given, options, run)     the edges along which points attract each other
///   descend_on_cpu, descend_on_cuda, embed_on_cuda            of its backend.hpp
///   set_cost(result, cost)                                    see result.hpp
namespace dunlin::descent {

constexpr Index enough_for_gpu = 2000;  ///< points; measured, see docs/performance.md

/// The options with the dimension of a given start.
template <class Options>
Options with_dim_of(const Map& start, Options options) {
    options.dim = start.dim;
    check(options);
    return options;
}

/// Resolves all options for these points, of which only the size is read, or for their given neighbors.
template <class Options>
Options resolved(const Options& wanted, MatrixView<const float> points, const Given& given, Device device) {
    Options options = given.start != nullptr ? with_dim_of(*given.start, wanted) : wanted;
    const Graph* graph = given_graph(given);
    const auto most = graph != nullptr ? static_cast<Index>(graph->edges() / points.rows) : points.rows - 1;
    options = resolve_neighbors(options, points.rows, points.cols, most);
    if (graph != nullptr) take_degree(options, most);
    options = resolve_descent(options, points.rows, device);
    if (graph != nullptr) options.recall.reset();  // there is no search
    if constexpr (requires { options.perplexity; })
        if (given.affinities != nullptr) options.perplexity.reset(), options.k.reset();  // nothing reads them
    return options;
}

/// The given start of a call, scaled if it is too wide or too narrow for the method (start_scale.hpp).
class GivenStart {
public:
    /// Changes given.start.
    template <class Options>
    GivenStart(Given& given, const Options& options, Index n) {
        if (given.start == nullptr || given.keeps_start || !given.fixed.empty() || !is_moving(options)) return;
        scale_ = start_scale(*given.start, start_rule(options, n));
        if (scale_ == 1) return;
        scaled_ = scaled_start(*given.start, scale_);
        given.start = &scaled_;
    }
    [[nodiscard]] double scale() const { return scale_; }

private:
    Map scaled_;
    double scale_ = 1;
};

/// Whether the method with these options runs on a CPU alone.
template <class Options>
bool is_for_cpu(const Options& options) {
    if constexpr (requires { options.densmap; }) return options.densmap;
    return false;
}

/// Sets the fields of a result that are common to all devices.
template <class Result, class Options>
Result completed(Result result, const Options& options, Device device, const Run& run) {
    result.options = options;
    device::complete(result, device, run);
    return result;
}

/// Adds to the key of a checkpoint all inputs of a result besides the points.
template <class Options>
void add_givens(checkpoint::Key& key, Device device, const Options& options, const Given& given) {
    key.add("device", std::string(name_of(device)));
    key.add_options(options);
    if (given.neighbors != nullptr) key.add_input("neighbors", *given.neighbors);
    if (given.start != nullptr) key.add_input("start", given.start->coordinates);
    if (!given.fixed.empty()) key.add_input("fixed points", given.fixed);
    if (given.affinities != nullptr) key.add_input("affinities", *given.affinities);
    if (!given.point_weights.empty()) key.add_input("weights of points", given.point_weights);
    if (given.anchors != nullptr) key.add_input("anchors", given.anchors->coordinates);
    if (given.labels == nullptr) return;
    key.add_input("labels", given.labels->of);
    key.add("number of labels", std::to_string(given.labels->names.size()));
}

/// Neighbors by given dissimilarities, in the form of the result of a search. options: resolved; become those of an
/// exact search. The graph has no rows if cancelled.
template <class Options>
Graph found_in(const Matrix& dissimilarities, Options& options, const Run& run) {
    record_search(options, neighbors::Method::exact);
    return neighbors::search_matrix(dissimilarities.view(), stage_plan(options).points.search.k, run).graph;
}

/// Checks and resolves the options and runs stages(device, options, run, given). given.neighbors are the nearest k of
/// the given lists, or those found in given dissimilarities. input: the points, or a matrix with as many rows.
template <class Result, class Points, class Options, class Stages>
Result embed_points(const Points& input, MatrixView<const float> points, const Options& wanted, const Run& given_run,
                    const Given& all, const Stages& stages) {
    Run run = checkpoint::without_checkpoint(given_run);
    check(wanted);
    device::refuse_checkpoint_of_several(given_run);
    if (is_for_cpu(wanted) && run.device == Device::automatic) run.device = Device::cpu;
    const Device device = device::choose(run, points.rows >= enough_for_gpu, device::several_gpus);
    check_points(points, wanted.metric, wanted.recall, all, run, method_name(wanted));
    check_given(wanted, all, points.rows);
    Given given = all;
    Graph lists;
    if (given.neighbors != nullptr) {
        device::Cpu cpu(run);
        lists = nearest_given(cpu, *given.neighbors, list_rule(wanted));
        if (lists.size() > 0) given.neighbors = &lists;
    }
    Options options = resolved(wanted, points, given, device);
    refuse_components(wanted.metric, *options.pca, points.cols);
    const GivenStart start(given, options, points.rows);
    progress::Stopwatch watch;
    if (given.dissimilarities != nullptr) {
        lists = found_in(*given.dissimilarities, options, run);
        if (lists.size() > 0) given.neighbors = &lists;
    }
    const double searched = watch.lap();

    checkpoint::Session session(given_run, method_name(wanted), [&](checkpoint::Key& key) {
        add_givens(key, device, options, given);
        checkpoint::add_points(key, input, run);
    });
    device::reset_cuda_peak_memory();
    Result result = stages(device, options, run, given);
    if (given_graph(all) == nullptr)
        result.engines.insert(result.engines.begin(), {"neighbors", name_of(options.search), 0});
    if (given.dissimilarities != nullptr) result.seconds["neighbors"] += searched;
    // Lists of different lengths that are read whole have no single k
    const bool all_read = all.neighbors != nullptr && !wanted.k && list_rule(options).cuts;
    if (all_read && neighbors::is_uneven(*all.neighbors)) options.k.reset();
    result = completed(std::move(result), options, device, run);
    result.start_scale = start.scale();
    session.complete(result);
    return result;
}

template <class Result, class Options>
Result embed_dense(const device::InputPoints& input, const Options& wanted, const Run& run, const Given& all) {
    const MatrixView<const float> points = input.host();
    return embed_points<Result>(
        input, points, wanted, run, all, [&](Device device, Options& options, const Run& plain, const Given& given) {
            const bool on_cpu = row_of(wanted.metric).is_by_terms && given_graph(given) == nullptr;
            if (on_cpu && input.is_resident())
                device::require_cpu(plain, "neighbors by metric " + std::string(name_of(wanted.metric)) + " are");
            if (device == Device::cpu || on_cpu) return run_stages<Result>(points, given, options, plain, device);
            if (!device::names_several(plain)) return embed_on_cuda(input, given, options, plain);
            return first_of_ranks(plain, given, [&, all = options](const Run& own, const Given& of_rank) {
                Options of_search = all;
                Result result = embed_on_cuda(input, of_rank, of_search, own);
                if (device::Rank::current()->index() == 0) options = of_search;
                return result;
            });
        });
}

template <class DeviceResult, class Result, class Options>
DeviceResult embed_resident(const DeviceMatrixView<const float>& points, const Options& wanted, const Run& run,
                            const Given& given) {
    DeviceResult result{embed_dense<Result>(points, wanted, device::run_on_gpu_of(points, run), given), {}};
    const Map map = std::exchange(result.map, Map{result.map.dim, {}});
    result.device_map = device::matrix_on_gpu(std::span(map.coordinates), map.size(), map.dim, points.gpu);
    return result;
}

/// Start, neighbors and edges on the CPU, the descent on the device.
template <class Result, class Options>
Result embed_sparse(const SparseView& points, const Options& wanted, const Run& run, const Given& all) {
    dunlin::check(points);
    const MatrixView<const float> size{nullptr, points.rows, points.cols};
    return embed_points<Result>(points, size, wanted, run, all,
                                [&](Device device, Options& options, const Run& plain, const Given& given) {
                                    return run_stages<Result>(points, given, options, plain, device);
                                });
}

/// The descent alone, from `start`, along given edges.
template <class Result, class Options>
Result embed_graph(Graph edges, const Map& start, const Options& wanted, const Run& given_run, bool keeps_start) {
    const Run run = checkpoint::without_checkpoint(given_run);
    const Index n = edges.size();
    Given given{.start = &start, .keeps_start = keeps_start};
    check(wanted);
    check_start(start, n);
    check_given(wanted, given, n);
    device::refuse_checkpoint_of_several(given_run);
    const Device device = device::choose(run, n >= enough_for_gpu, device::several_gpus);
    const Options options = resolve_descent(with_dim_of(start, wanted), n, device);
    const GivenStart given_start(given, options, n);
    checkpoint::Session session(given_run, std::string(method_name(wanted)) + " of a graph", [&](checkpoint::Key& key) {
        add_givens(key, device, options, given);
        key.add_input("graph", edges);
    });
    device::reset_cuda_peak_memory();
    progress::Stopwatch watch;
    Descent descent = run_descent(device, std::move(edges), *given.start, given, options, run);
    Seconds seconds;
    seconds["optimize"] = watch.lap();
    Result result = completed(result_of<Result>(std::move(descent), std::move(seconds)), options, device, run);
    result.start_scale = given_start.scale();
    session.complete(result);
    return result;
}

}  // namespace dunlin::descent
