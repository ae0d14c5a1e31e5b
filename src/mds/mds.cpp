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
#include "mds/forces.hpp"
#include "mds/minimise.hpp"
#include "mds/nonmetric.hpp"
#include "mds/pull.hpp"
#include "mds/resolve.hpp"
#include "mds/spectral.hpp"
#include "metrics/sample.hpp"

namespace dunlin::mds {

namespace {

/// Bytes at the worst moment: points twice over, coordinates, forces.
std::uint64_t bytes_wanted(const Dissimilarities& items, int dim) {
    const auto n = static_cast<std::uint64_t>(items.size());
    const auto cols = items.has_points() ? static_cast<std::uint64_t>(items.values().cols()) : 0;
    return n * (2 * cols * sizeof(float) + static_cast<std::uint64_t>(dim) * 64 + 64);
}

/// dunlin and smacof of dissimilarities as they are, of all items.
bool minimises(const Dissimilarities& items, const Options& o, const Given& given) {
    const bool by_stress = o.method == Method::smacof || o.method == Method::dunlin;
    return by_stress && items.feed() == nullptr && given.fixed == nullptr && o.transform == Transform::ratio;
}

/// What a GPU can do too. Its annealing knows of no weights.
bool runs_on_gpu(const Dissimilarities& items, const Options& o, const Given& given) {
    return minimises(items, o, given) && (o.method == Method::smacof || given.weights == nullptr);
}

/// Whether a GPU that is awake already would be done sooner (docs/mds.md).
bool pays_on_gpu(const Dissimilarities& items, const Given& given, const Run& run) {
    constexpr Index enough = 500;
    return items.size() >= enough && fits_on_gpu(items, given.weights != nullptr, run);
}

/// The methods that are one computation.
Map spectral(device::Cpu& cpu, const Dissimilarities& items, const Source& source, const Options& o, const Run& run) {
    if (o.method == Method::classical) return classical(cpu, items, source, o.dim);
    if (o.method == Method::landmark)
        return landmark(cpu, source, o.dim, metrics::sample_rows(source.size(), *o.landmarks, run.seed), run);
    Map map = pivot(cpu, source, o.dim, *o.landmarks, run);
    rescale(cpu, source, map, run.seed);
    return map;
}

Minimised place_on_cpu(device::Cpu& cpu, const Task& task) {
    const auto& [items, o, given, run] = task;
    const Source source(cpu, items, given.weights);
    if (minimises(items, o, given)) {
        return minimise(cpu, task, CpuItems{&source, given.weights == nullptr ? nullptr : given.weights->view().data});
    }
    device::Stopwatch watch;
    Minimised result;
    result.map.dim = o.dim;
    if (by_forces(o.method)) {
        result.map = given.start != nullptr ? *given.start : first_map(cpu, items, source, o.dim, o.start, run.seed);
        result.seconds.start = watch.lap();
        result.ending = run_forces(cpu, source, result.map, o, run);
    } else if (given.fixed != nullptr || o.transform != Transform::ratio) {
        const auto method = given.fixed != nullptr ? run_fixed : run_nonmetric;
        result.ending = method(cpu, source, result.map, o, run, given);
    } else {
        result.map = spectral(cpu, items, source, o, run);
        result.ending.stopped = Stopped::converged;
    }
    if (given.start == nullptr && given.fixed == nullptr) result.map = aligned(cpu, shape_at(cpu, result.map));
    result.seconds.optimise = watch.lap();
    return result;
}

}  // namespace

Result place(const Dissimilarities& items, const Options& wanted, const Run& run, const Given& given) {
    Result result;
    result.options = resolve(items, wanted, given);
    const Options& o = result.options;
    if (!runs_on_gpu(items, o, given)) device::require_cpu(run, "this kind of multidimensional scaling is");
    result.device = device::choose(run, runs_on_gpu(items, o, given) && pays_on_gpu(items, given, run));
    if (items.feed() != nullptr) return place_fed(items, wanted, run, given);
    device::require_memory(run, bytes_wanted(items, o.dim), "multidimensional scaling of these items");
    result.map.dim = o.dim;
    if (items.size() == 0) return result;

    const auto take = [&](Minimised&& found) {
        result.map = std::move(found.map);
        result.iterations = found.ending.iterations;
        result.stopped = found.ending.stopped;
        result.seconds = found.seconds;
    };
    if (result.device == Device::cuda) {
        device::reset_cuda_peak_memory();
        take(minimise_on_cuda({items, o, given, run}));
        result.gpu_memory = device::cuda_peak_memory();
    } else {
        device::Cpu cpu(run);
        result.threads = cpu.threads();
        take(place_on_cpu(cpu, {items, o, given, run}));
    }
    return result;
}

}  // namespace dunlin::mds
