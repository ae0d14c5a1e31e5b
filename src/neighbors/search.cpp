// SPDX-License-Identifier: Apache-2.0
#include <dunlin/neighbors.hpp>

#include <dunlin/error.hpp>
#include <dunlin/sparse.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "checkpoint/inputs.hpp"
#include "checkpoint/session.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/gpus.hpp"
#include "device/ranks.hpp"
#include "device/resident.hpp"
#include "distance/check.hpp"
#include "neighbors/cuda.hpp"
#include "neighbors/held_points.hpp"
#include "neighbors/search_rows.hpp"
#include "neighbors/value_range.hpp"
#include "options/check.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index enough_for_gpu = 2000;  ///< rows; below, a CPU finishes before a GPU has started

/// Points, and queries unless the points themselves are searched for.
struct Rows {
    device::InputPoints points;
    std::optional<MatrixView<const float>> queries = {};
    const HeldPoints* held = nullptr;  ///< the points of queries, if they stay

    [[nodiscard]] Index lists() const { return queries ? queries->rows : points.rows(); }
    [[nodiscard]] Index longest_list() const { return queries ? points.rows() : points.rows() - 1; }
};

Result search_on_cpu(device::Cpu& cpu, const Rows& rows, const Options& options, const SearchParameters& parameters,
                     const Run& run) {
    Result result;
    NeighborGraph found =
        rows.queries
            ? search_queries(cpu, rows.points.host(), *rows.queries, options.k, options.metric, run, parameters)
            : search_all(cpu, rows.points.host(), options.k, options.metric, run, parameters);
    result.graph = std::move(found.graph);
    // With up to four columns the search on a CPU is always exact
    const bool exact = parameters.exact || (found.outcome.probes == 0 && result.graph.size() > 0);
    result.options.method = exact ? Method::exact : Method::approximate;
    result.probes = found.outcome.probes;
    result.recall = found.outcome.recall.mean;
    result.recall_se = found.outcome.recall.se;
    return result;
}

DeviceResult search_on_gpu(device::Cpu& cpu, const Rows& rows, const Options& options,
                           const SearchParameters& parameters, const Run& run) {
    const auto& [points, queries, held] = rows;
    if (queries) {
        check_search(points.rows(), options.k);
        check_queries(points.host(), *queries);
        require_range_of_queries(cpu, points.host(), *queries, options.metric,
                                 held != nullptr ? held->statistics : collect_statistics(cpu, points.host()));
        const auto* const on_gpu = held != nullptr ? static_cast<const float*>(held->on_gpu.get()) : nullptr;
        DeviceResult result;
        static_cast<Result&>(result) =
            search_queries_with_cuda(points.host(), on_gpu, *queries, options.k, options.metric, parameters, run);
        return result;
    }
    // These searches take long compared with a second pass over the points; that of resident points is on the GPU
    const bool sums = options.metric == Metric::manhattan || options.metric == Metric::inner_product;
    if (sums && points.rows() > 0 && !points.is_resident()) {
        require_range(cpu, points.host(), options.metric, collect_statistics(cpu, points.host()));
    }
    return search_with_cuda(points, options.k, options.metric, parameters, run);
}

/// Every GPU has all points and finds the lists of its share of the queries.
DeviceResult search_on_gpus(device::Cpu& cpu, const Rows& rows, const Options& options,
                            const SearchParameters& parameters, const Run& run) {
    Rows all = rows;
    all.held = nullptr;  // on one of the GPUs
    DeviceResult result;
    device::run_on_ranks(run, [&](const Run& own) {
        device::Cpu own_cpu(own);
        const bool is_first = device::Rank::current()->index() == 0;
        DeviceResult found = search_on_gpu(is_first ? cpu : own_cpu, all, options, parameters, own);
        if (is_first) result = std::move(found);
    });
    return result;
}

/// Metrics of terms have no kernels on a GPU.
void check_device(const Options& options, const Run& run) {
    if (!row_of(options.metric).is_by_terms) return;
    device::require_cpu(run, fmt::format("neighbors by metric {} are", name_of(options.metric)));
}

/// What a sparse search cannot do. It has no approximation: its cost follows the nonzeros.
void check_sparse(const SparseView& points, const Options& options, const Run& run) {
    options::check(options);
    dunlin::check(points);
    device::require_cpu(run, "neighbors of sparse rows are");
    distance::require_dense(options.metric);
    if (options.method != Method::approximate) return;
    throw Error(Fault::bad_input,
                "method approximate needs dense rows, and these are sparse; use method exact, or make the rows dense, "
                "with fewer columns if they do not fit",
                {.option = "method"});
}

/// The options as the search used them.
Options resolved(Options options, Method ran, Index longest_list) {
    options.k = std::min(options.k, std::max<Index>(longest_list, 1));
    options.method = ran;
    if (ran == Method::exact) options.recall.reset();
    options::settle(options);
    return options;
}

/// A stop can be requested by the last report of progress, when the lists are complete.
void drop_if_cancelled(DeviceResult& result, const Run& run) {
    if (!run.stop.stop_requested()) return;
    result.graph = {};
    result.device_ids = {};
    result.device_distances = {};
}

/// An approximate search has no checkpoint.
void refuse_approximate(const SearchParameters& parameters) {
    if (parameters.exact && parameters.codes == 0) return;
    throw Error(Fault::bad_input,
                "checkpoint is given, but method approximate estimates its recall from all lists together and writes "
                "no checkpoint; take method exact, or leave checkpoint out",
                {.option = "checkpoint"});
}

/// The lists are in `graph`, or for resident points in device memory.
DeviceResult search_lists(const Rows& rows, const Options& wanted, const Run& given_run) {
    const Run run = checkpoint::without_checkpoint(given_run);
    options::check(wanted);
    device::refuse_checkpoint_of_several(given_run);
    check_device(wanted, run);
    const bool gains = std::max(rows.points.rows(), rows.lists()) >= enough_for_gpu;
    const Device where = device::choose(run, gains && !row_of(wanted.metric).is_by_terms, device::several_gpus);
    // By the points alone, so that the list of a query does not depend on the number of queries
    const SearchParameters parameters = resolve_parameters(rows.points.rows(), rows.points.cols(), wanted, where);
    if (!given_run.checkpoint.empty()) refuse_approximate(parameters);
    checkpoint::Session session(given_run, "neighbors", [&](checkpoint::Key& key) {
        key.add("device", std::string(name_of(where)));
        key.add_options(wanted);
        checkpoint::add_points(key, rows.points, run);
        if (rows.queries) key.add_input("queries", *rows.queries);
    });
    device::Cpu cpu(run);
    device::reset_cuda_peak_memory();
    progress::Stopwatch watch;
    DeviceResult result;
    if (where == Device::cuda) {
        result = device::names_several(run) ? search_on_gpus(cpu, rows, wanted, parameters, run)
                                            : search_on_gpu(cpu, rows, wanted, parameters, run);
    } else {
        static_cast<Result&>(result) = search_on_cpu(cpu, rows, wanted, parameters, run);
    }
    drop_if_cancelled(result, run);
    result.seconds["neighbors"] = watch.lap();
    result.options = resolved(wanted, result.options.method, rows.longest_list());
    result.engines = {{"neighbors", name_of(result.options.method), 0}};
    result.threads = cpu.threads();
    const Index listed = rows.points.is_resident() ? result.device_ids.rows() : result.graph.size();
    const bool cancelled = listed == 0 && rows.lists() > 0;
    result.stopped = cancelled ? Stopped::cancelled : Stopped::converged;
    device::complete(result, where, run);
    session.complete(result);
    return result;
}

}  // namespace

Result search(MatrixView<const float> points, const Options& options, const Run& run) {
    DeviceResult result = search_lists({points}, options, run);
    return std::move(static_cast<Result&>(result));
}

Result search(MatrixView<const float> points, MatrixView<const float> queries, const Options& options, const Run& run) {
    DeviceResult result = search_lists({points, queries}, options, run);
    return std::move(static_cast<Result&>(result));
}

HeldPoints hold(device::Cpu& cpu, MatrixView<const float> points, Device where, const Run& run) {
    HeldPoints held{points, {}, {}};
    if (where != Device::cuda || points.size() == 0) return held;
    held.statistics = collect_statistics(cpu, points);
    const std::uint64_t bytes = static_cast<std::uint64_t>(points.size()) * sizeof(float),
                        free = device::cuda_free_memory(run.gpu());
    if (bytes <= std::min(run.memory > 0 ? run.memory : free, free) / 2)
        held.on_gpu = device::copy_to_gpu(points.data, bytes, run.gpu());
    return held;
}

Result search(const HeldPoints& points, MatrixView<const float> queries, const Options& options, const Run& run) {
    DeviceResult result = search_lists({points.rows, queries, &points}, options, run);
    return std::move(static_cast<Result&>(result));
}

DeviceResult search(const DeviceMatrixView<const float>& points, const Options& options, const Run& run) {
    return search_lists({points}, options, device::run_on_gpu_of(points, run));
}

Result search(const SparseView& points, const Options& wanted, const Run& given_run) {
    const Run run = checkpoint::without_checkpoint(given_run);
    check_sparse(points, wanted, run);
    checkpoint::Session session(given_run, "neighbors", [&](checkpoint::Key& key) {
        key.add_options(wanted);
        checkpoint::add_points(key, points, run);
    });
    device::Cpu cpu(run);
    progress::Stopwatch watch;
    Result result;
    result.graph = search_all(cpu, points, wanted.k, wanted.metric, run);
    if (run.stop.stop_requested()) result.graph = {};
    result.seconds["neighbors"] = watch.lap();
    result.options = resolved(wanted, Method::exact, points.rows - 1);
    result.engines = {{"neighbors", name_of(Method::exact), 0}};
    result.threads = cpu.threads();
    result.stopped = result.graph.size() == 0 ? Stopped::cancelled : Stopped::converged;
    device::complete(result, Device::cpu, run);
    session.complete(result);
    return result;
}

}  // namespace dunlin::neighbors
