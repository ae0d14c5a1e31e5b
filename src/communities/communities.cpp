// SPDX-License-Identifier: Apache-2.0
#include <dunlin/communities.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include <dunlin/check.hpp>
#include <dunlin/error.hpp>

#include "communities/backend.hpp"
#include "communities/cpu_engine.hpp"
#include "communities/input.hpp"
#include "communities/optimize.hpp"
#include "communities/sequential.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "math/at.hpp"
#include "options/check.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::communities {

namespace {

/// Edges, from which on a GPU gains more than it takes to start it.
constexpr Offset large = 2'000'000;

/// Communities to begin with, below the number of vertices: those of the caller, or each vertex by itself.
std::vector<Index> start_labels(Index n, std::span<const Index> start) {
    std::vector<Index> labels(at(n));
    std::iota(labels.begin(), labels.end(), Index{0});
    if (start.empty()) return labels;
    if (std::ssize(start) != n)
        throw Error(Fault::bad_input, fmt::format("communities: the start has {} labels for {} vertices; give one for "
                                                  "each",
                                                  start.size(), n));
    std::vector<Index> known(start.begin(), start.end());
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    for (std::size_t v = 0; v < labels.size(); ++v)
        labels[v] = static_cast<Index>(std::lower_bound(known.begin(), known.end(), start[v]) - known.begin());
    return labels;
}

Options resolve(Options o) {
    options::check(o);
    options::settle(o);
    return o;
}

Device device_for(const Graph& graph, const Options& options, const Run& run) {
    if (options.method != Method::sequential)
        return device::choose(run, graph.edges() >= large, {.what = "communities are found"});
    device::require_cpu(run, "communities by the sequential method are");
    return Device::cpu;
}

void find_in_sequence(CpuEngine& engine, const Graph& graph, Result& result) {
    Partition<CpuEngine::Labels> found;
    found.labels = find_sequentially(graph);
    result.stopped = Stopped::converged;
    const progress::Uncancellable rest;
    if (!found.labels.empty()) set_result(engine, std::move(found), result);
}

}  // namespace

Result find(const Graph& graph, const Options& wanted, const Run& run, std::span<const Index> start) {
    Result result;
    result.options = resolve(wanted);
    if (!start.empty() && result.options.method == Method::sequential)
        throw Error(Fault::bad_input,
                    "communities: a start is given, but the sequential method reads none; leave it out or choose "
                    "another method",
                    {.option = "start"});
    check_arrays(graph);
    const Device device = device_for(graph, result.options, run);
    std::vector<Index> from = start_labels(graph.size(), start);
    device::Cpu cpu(run);
    device::require_memory(run, memory_of(graph.size(), graph.edges(), cpu.threads()), "communities",
                           "use a smaller graph");
    device::reset_cuda_peak_memory();
    result.quality = result.modularity = std::numeric_limits<double>::quiet_NaN();
    progress::Stopwatch watch;
    const bool begun = progress::run_cancellable(run.stop, [&] {
        std::optional<progress::ProgressReporter> reporter(std::in_place, run, "graph", 1);
        const UndirectedGraph whole = undirected(cpu, graph, result.options.symmetrize);
        if (device == Device::cuda) {
            reporter.reset();
            optimize_on_cuda(whole, std::move(from), run, watch, result);
            return;
        }
        const Problem problem = problem_of(cpu, whole, result.options);
        reporter.reset();
        result.seconds["graph"] = watch.lap();
        CpuEngine engine(cpu, problem);
        if (result.options.method == Method::sequential) {
            find_in_sequence(engine, whole.graph(), result);
        } else {
            optimize(engine, std::move(from), run, result);
        }
    });
    if (!begun) result.stopped = Stopped::cancelled;
    result.seconds["optimize"] = watch.lap();
    result.threads = cpu.threads();
    result.engines = {{"iteration", name_of(result.options.method), 0}};
    device::complete(result, device, run);
    return result;
}

}  // namespace dunlin::communities
