// SPDX-License-Identifier: Apache-2.0
#include <dunlin/sparse.hpp>
#include <dunlin/umap.hpp>

#include <limits>
#include <utility>

#include <dunlin/device.hpp>

#include "descent/given.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/gpus.hpp"
#include "device/stopwatch.hpp"
#include "umap/backend.hpp"
#include "umap/resolve.hpp"

namespace dunlin::umap {

namespace {

constexpr Index enough_for_gpu = 2000;  ///< points; as t-SNE

/// The dimension is that of a given start.
Options with_dim_of(const Map& start, Options options) {
    options.dim = start.dim;
    check(options);
    return options;
}

/// Resolves all options for these points (their size alone matters), or for their given neighbors.
Options settled(const Options& wanted, MatrixView<const float> points, const Given& given, Device device) {
    Options options = wanted;
    if (given.start != nullptr) options = with_dim_of(*given.start, options);
    Index most = points.rows - 1;
    if (given.neighbors != nullptr) most = options.k = static_cast<Index>(given.neighbors->edges() / points.rows);
    if (given.neighbors != nullptr) ++options.k;
    options = resolve_neighbors(options, points.rows, points.cols, most);
    options = resolve_descent(options, points.rows, device);
    if (given.neighbors != nullptr) options.recall.reset();  // there is no search
    return options;
}

/// Sets the fields of a result that are common to all devices.
Result completed(Result result, const Options& options, Device device, const Run& run) {
    result.options = options;
    device::complete(result, device, run);
    return result;
}

/// Checks, resolves the options, and runs stages(device, options). `points` are only read for their size.
template <class Stages>
Result embed_points(MatrixView<const float> points, const Options& wanted, const Run& run, const Given& given,
                    const Stages& stages) {
    check(wanted);
    const Device device = device::choose(run, points.rows >= enough_for_gpu);
    descent::check_points(points, wanted.metric, wanted.recall, given, run, "UMAP");
    Options options = settled(wanted, points, given, device);

    device::reset_cuda_peak_memory();
    Result result = stages(device, options);
    if (given.neighbors == nullptr)
        result.engines.insert(result.engines.begin(), {"neighbors", name_of(options.search), 0});
    return completed(std::move(result), options, device, run);
}

Result embed_all(const device::InputPoints& input, const Options& wanted, const Run& run, const Given& given) {
    const MatrixView<const float> points = input.host();
    return embed_points(points, wanted, run, given, [&](Device device, Options& options) {
        return device == Device::cuda ? embed_on_cuda(input, given, options, run)
                                      : embed_on_cpu(points, given, options, run);
    });
}

}  // namespace

Result result_of(Descent descent, Seconds seconds, scores::Score search_recall) {
    Result result;
    result.map = std::move(descent.map);
    result.iterations = descent.status.iterations;
    result.stopped = descent.status.stopped;
    result.engines = std::move(descent.status.engines);
    result.threads = descent.threads;
    result.strays = descent.strays;
    result.seconds = std::move(seconds);
    result.cross_entropy = descent.cross_entropy.value;
    result.cross_entropy_se = descent.cross_entropy.se;
    result.search_recall = search_recall.value;
    result.search_recall_se = search_recall.se;
    return result;
}

Result unfinished(Map start) {
    Result result;
    result.map = std::move(start);
    result.cross_entropy = std::numeric_limits<double>::quiet_NaN();
    result.stopped = Stopped::cancelled;
    return result;
}

Result embed(Graph memberships, const Map& start, const Options& wanted, const Run& run) {
    check(wanted);
    descent::require_size(start.size(), memberships.size(), "start");
    const Device device = device::choose(run, start.size() >= enough_for_gpu);
    const Options options = resolve_descent(with_dim_of(start, wanted), start.size(), device);
    device::reset_cuda_peak_memory();
    device::Stopwatch watch;
    Descent descent = device == Device::cuda ? descend_on_cuda(memberships, start, false, options, run)
                                             : descend_on_cpu(std::move(memberships), start, false, options, run);
    Seconds seconds;
    seconds["optimize"] = watch.lap();
    return completed(result_of(std::move(descent), std::move(seconds)), options, device, run);
}

Result embed(MatrixView<const float> points, const Options& wanted, const Run& run, const Given& given) {
    return embed_all(points, wanted, run, given);
}

DeviceResult embed(const DeviceMatrixView<const float>& points, const Options& wanted, const Run& run,
                   const Given& given) {
    DeviceResult result{embed_all(points, wanted, device::run_on_gpu_of(points, run), given), {}};
    const Map map = std::exchange(result.map, Map{result.map.dim, {}});
    result.device_map = device::matrix_on_gpu(std::span(map.coordinates), map.size(), map.dim, points.gpu);
    return result;
}

Result embed(const SparseView& points, const Options& wanted, const Run& run, const Given& given) {
    dunlin::check(points);
    return embed_points({nullptr, points.rows, points.cols}, wanted, run, given, [&](Device device, Options& options) {
        return embed_sparse(points, given, options, run, device);
    });
}

}  // namespace dunlin::umap
