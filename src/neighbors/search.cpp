// SPDX-License-Identifier: Apache-2.0
#include <dunlin/neighbors.hpp>

#include <dunlin/error.hpp>
#include <dunlin/sparse.hpp>

#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/stopwatch.hpp"
#include "neighbors/cuda.hpp"
#include "neighbors/search_rows.hpp"
#include "neighbors/value_range.hpp"
#include "options/check.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index enough_for_gpu = 2000;  ///< rows; below, a CPU finishes before a GPU has started

}  // namespace

namespace {

Result search_on_cpu(device::Cpu& cpu, MatrixView<const float> points, const Options& options,
                     const SearchParameters& parameters, const Run& run) {
    Result result;
    NeighborGraph found = search_all(cpu, points, options.k, options.metric, run, parameters);
    result.graph = std::move(found.graph);
    // With up to four columns the search on a CPU is always exact
    const bool exact = parameters.exact || (found.outcome.probes == 0 && result.graph.size() > 0);
    result.options.method = exact ? Method::exact : Method::approximate;
    result.probes = found.outcome.probes;
    result.recall = found.outcome.recall.mean;
    result.recall_se = found.outcome.recall.se;
    return result;
}

Result search_on_gpu(device::Cpu& cpu, MatrixView<const float> points, const Options& options,
                     const SearchParameters& parameters, const Run& run) {
    // These searches take long compared with a second pass over the points
    const bool sums = options.metric == Metric::manhattan || options.metric == Metric::inner_product;
    if (sums && points.rows > 0) require_range(cpu, points, options.metric, collect_statistics(cpu, points));
    return search_with_cuda(points, options.k, options.metric, parameters, run);
}

/// What a sparse search cannot do. It has no approximation: its cost follows the nonzeros.
void check_sparse(const SparseView& points, const Options& options, const Run& run) {
    options::check(options);
    dunlin::check(points);
    device::require_cpu(run, "neighbors of sparse rows are");
    if (options.method != Method::approximate) return;
    throw Error(Fault::bad_input,
                "method approximate needs dense rows, and these are sparse; use method exact, or make the rows dense, "
                "with fewer columns if they do not fit",
                {.option = "method"});
}

/// The options as the search used them.
Options resolved(Options options, Method ran, Index rows) {
    options.k = std::min(options.k, std::max<Index>(rows - 1, 1));
    options.method = ran;
    if (ran == Method::exact) options.recall.reset();
    options::settle(options);
    return options;
}

}  // namespace

Result search(MatrixView<const float> points, const Options& wanted, const Run& run) {
    options::check(wanted);
    const Device where = device::choose(run, points.rows >= enough_for_gpu);
    const SearchParameters parameters = resolve_parameters(points.rows, points.cols, wanted, where);
    device::Cpu cpu(run);
    device::reset_cuda_peak_memory();
    device::Stopwatch watch;
    Result result = where == Device::cuda ? search_on_gpu(cpu, points, wanted, parameters, run)
                                          : search_on_cpu(cpu, points, wanted, parameters, run);
    result.seconds["neighbors"] = watch.lap();
    result.options = resolved(wanted, result.options.method, points.rows);
    result.engines = {{"neighbors", name_of(result.options.method), 0}};
    result.threads = cpu.threads();
    const bool cancelled = result.graph.size() == 0 && points.rows > 0;
    result.stopped = cancelled ? Stopped::cancelled : Stopped::converged;
    device::complete(result, where, run);
    return result;
}

Result search(const SparseView& points, const Options& wanted, const Run& run) {
    check_sparse(points, wanted, run);
    device::Cpu cpu(run);
    device::Stopwatch watch;
    Result result;
    result.graph = search_all(cpu, points, wanted.k, wanted.metric, run);
    result.seconds["neighbors"] = watch.lap();
    result.options = resolved(wanted, Method::exact, points.rows);
    result.engines = {{"neighbors", name_of(Method::exact), 0}};
    result.threads = cpu.threads();
    result.stopped = result.graph.size() == 0 ? Stopped::cancelled : Stopped::converged;
    device::complete(result, Device::cpu, run);
    return result;
}

}  // namespace dunlin::neighbors
