#include <fmt/format.h>

#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "device/choose.hpp"
#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "device/stopwatch.hpp"
#include "mds/fed.hpp"
#include "mds/fixed.hpp"
#include "mds/nonmetric.hpp"
#include "mds/partners.hpp"
#include "mds/place_on.hpp"
#include "mds/pull.hpp"
#include "mds/relax.hpp"
#include "mds/resolve.hpp"

namespace dunlin::mds {

namespace {

/// Do points have so many columns, and are they so few, that all pairs are better compared once and kept? Methods that
/// minimise stress look at each some dozens of times. (65 columns take as long as an entry of a matrix that is not in
/// the cache.)
bool keeps_all(const Dissimilarities& items, const Options& o) {
    constexpr Index many_columns = 128;
    return items.has_points() && minimises(o.method) && items.size() <= few_items &&
           items.values().cols() > many_columns;
}

/// Bytes at the worst moment: points twice over, coordinates, forces.
std::uint64_t bytes_wanted(const Dissimilarities& items, const Options& o) {
    const auto n = static_cast<std::uint64_t>(items.size());
    const auto cols = items.has_points() ? static_cast<std::uint64_t>(items.values().cols()) : 0;
    const std::uint64_t kept = keeps_all(items, o) ? n * n * sizeof(float) : 0;
    return n * (2 * cols * sizeof(float) + static_cast<std::uint64_t>(o.dim) * 64 + 64) + kept;
}

/// What a GPU can do too: dissimilarities as they are, nobody fixed.
bool runs_on_gpu(const Dissimilarities& items, const Options& o, const Given& given) {
    return items.feed() == nullptr && given.fixed == nullptr && o.transform == Transform::ratio;
}

/// Whether a GPU that is awake already would be done sooner (docs/mds.md).
bool pays_on_gpu(const Dissimilarities& items, const Options& o, const Given& given, const Run& run) {
    const Index enough = by_forces(o.method) || minimises(o.method) ? 500 : 20000;
    return items.size() >= enough &&
           fits_on_gpu(items, given.weights != nullptr, bytes_of_method(o, items.size()), run);
}

Placed place_on_cpu(device::Cpu& cpu, const Task& task) {
    const auto& [items, o, given, run] = task;
    Source source(cpu, items, given.weights);
    if (keeps_all(items, o)) source.keep(cpu);
    if (runs_on_gpu(items, o, given)) {
        return place_on(cpu, task, CpuItems{&source, given.weights == nullptr ? nullptr : given.weights->view().data});
    }
    device::Stopwatch watch;
    Placed result;
    result.map.dim = o.dim;
    const auto method = given.fixed != nullptr ? run_fixed : run_nonmetric;
    result.ending = method(cpu, source, result.map, o, run, given);
    if (given.start == nullptr && given.fixed == nullptr) align(result.map);
    result.seconds.optimise = watch.lap();
    return result;
}

}  // namespace

Result place(const Dissimilarities& items, const Options& wanted, const Run& run, const Given& given) {
    Result result;
    result.options = resolve(items, wanted, given);
    const Options& o = result.options;
    if (!runs_on_gpu(items, o, given)) device::require_cpu(run, "this kind of multidimensional scaling is");
    result.device = device::choose(run, runs_on_gpu(items, o, given) && pays_on_gpu(items, o, given, run));
    if (items.feed() != nullptr) return place_fed(items, wanted, run, given);
    device::require_memory(run, bytes_wanted(items, o) + bytes_of_method(o, items.size()),
                           "multidimensional scaling of these items");
    result.map.dim = o.dim;
    if (items.size() == 0) return result;

    const auto take = [&](Placed&& found) {
        result.map = std::move(found.map);
        result.iterations = found.ending.iterations;
        result.stopped = found.ending.stopped;
        result.seconds = found.seconds;
    };
    if (result.device == Device::cuda) {
        device::reset_cuda_peak_memory();
        take(place_on_cuda({items, o, given, run}));
        result.gpu_memory = device::cuda_peak_memory();
    } else {
        device::Cpu cpu(run);
        result.threads = cpu.threads();
        take(place_on_cpu(cpu, {items, o, given, run}));
    }
    return result;
}

}  // namespace dunlin::mds
