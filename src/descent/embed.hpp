// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <dunlin/descent.hpp>
#include <dunlin/sparse.hpp>

#include "descent/given.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/gpus.hpp"
#include "device/resident.hpp"
#include "device/stopwatch.hpp"

/// The entry points of the neighbor embeddings, once for all methods. A method is a struct of types and static
/// functions:
///   Options, Result                                   of its public header
///   name                                              for messages
///   check(options)                                    throws for options that do not depend on the data
///   resolve_neighbors(options, n, cols, most)         options of the stages before the descent
///   check_given(options, given, n)                    throws for given labels that do not fit the options
///   take_degree(options, degree)                      the number of neighbors follows a given graph
///   resolve_descent(options, n, device)               options of the descent
///   embed_on_cpu, embed_on_cuda, embed_sparse         of its backend.hpp
namespace dunlin::descent {

constexpr Index enough_for_gpu = 2000;  ///< points; measured, see docs/performance.md

/// The dimension is that of a given start.
template <class Method>
typename Method::Options with_dim_of(const Map& start, typename Method::Options options) {
    options.dim = start.dim;
    Method::check(options);
    return options;
}

/// Resolves all options for these points (their size alone matters), or for their given neighbors.
template <class Method>
typename Method::Options resolved(const typename Method::Options& wanted, MatrixView<const float> points,
                                  const Given& given, Device device) {
    auto options = given.start != nullptr ? with_dim_of<Method>(*given.start, wanted) : wanted;
    const Graph* graph = given.neighbors;
    const auto most = graph != nullptr ? static_cast<Index>(graph->edges() / points.rows) : points.rows - 1;
    options = Method::resolve_neighbors(options, points.rows, points.cols, most);
    if (graph != nullptr) Method::take_degree(options, most);
    options = Method::resolve_descent(options, points.rows, device);
    if (graph != nullptr) options.recall.reset();  // there is no search
    return options;
}

/// Sets the fields of a result that are common to all devices.
template <class Result, class Options>
Result completed(Result result, const Options& options, Device device, const Run& run) {
    result.options = options;
    device::complete(result, device, run);
    return result;
}

/// Checks, resolves the options, and runs stages(device, options). `points` are only read for their size.
template <class Method, class Stages>
typename Method::Result embed_points(MatrixView<const float> points, const typename Method::Options& wanted,
                                     const Run& run, const Given& given, const Stages& stages) {
    Method::check(wanted);
    const Device device = device::choose(run, points.rows >= enough_for_gpu);
    check_points(points, wanted.metric, wanted.recall, given, run, Method::name);
    Method::check_given(wanted, given, points.rows);
    auto options = resolved<Method>(wanted, points, given, device);

    device::reset_cuda_peak_memory();
    auto result = stages(device, options);
    if (given.neighbors == nullptr)
        result.engines.insert(result.engines.begin(), {"neighbors", name_of(options.search), 0});
    return completed(std::move(result), options, device, run);
}

template <class Method>
typename Method::Result embed_dense(const device::InputPoints& input, const typename Method::Options& wanted,
                                    const Run& run, const Given& given) {
    const MatrixView<const float> points = input.host();
    return embed_points<Method>(points, wanted, run, given, [&](Device device, auto& options) {
        return device == Device::cuda ? Method::embed_on_cuda(input, given, options, run)
                                      : Method::embed_on_cpu(points, given, options, run);
    });
}

template <class Method, class DeviceResult>
DeviceResult embed_resident(const DeviceMatrixView<const float>& points, const typename Method::Options& wanted,
                            const Run& run, const Given& given) {
    DeviceResult result{embed_dense<Method>(points, wanted, device::run_on_gpu_of(points, run), given), {}};
    const Map map = std::exchange(result.map, Map{result.map.dim, {}});
    result.device_map = device::matrix_on_gpu(std::span(map.coordinates), map.size(), map.dim, points.gpu);
    return result;
}

template <class Method>
typename Method::Result embed_sparse(const SparseView& points, const typename Method::Options& wanted, const Run& run,
                                     const Given& given) {
    dunlin::check(points);
    return embed_points<Method>(
        {nullptr, points.rows, points.cols}, wanted, run, given,
        [&](Device device, auto& options) { return Method::embed_sparse(points, given, options, run, device); });
}

/// The descent alone, from `start`, along the edges of a graph: descend(device, options).
template <class Method, class Descend>
typename Method::Result embed_graph(Index n, const Map& start, const typename Method::Options& wanted, const Run& run,
                                    const Descend& descend) {
    Method::check(wanted);
    require_size(start.size(), n, "start");
    const Device device = device::choose(run, n >= enough_for_gpu);
    const auto options = Method::resolve_descent(with_dim_of<Method>(start, wanted), n, device);
    device::reset_cuda_peak_memory();
    device::Stopwatch watch;
    auto descent = descend(device, options);
    Seconds seconds;
    seconds["optimize"] = watch.lap();
    return completed(result_of<typename Method::Result>(std::move(descent), std::move(seconds)), options, device, run);
}

}  // namespace dunlin::descent
