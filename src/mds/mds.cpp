#include <fmt/format.h>

#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "device/choose.hpp"
#include "device/memory.hpp"
#include "device/stopwatch.hpp"
#include "mds/anneal.hpp"
#include "mds/fed.hpp"
#include "mds/fixed.hpp"
#include "mds/forces.hpp"
#include "mds/nonmetric.hpp"
#include "mds/order.hpp"
#include "mds/pull.hpp"
#include "mds/resolve.hpp"
#include "mds/smacof.hpp"
#include "mds/spectral.hpp"
#include "mds/start.hpp"
#include "metrics/sample.hpp"

namespace dunlin::mds {

namespace {

/// Bytes at the worst moment: points twice over, coordinates, forces.
std::uint64_t bytes_wanted(const Dissimilarities& items, int dim) {
    const auto n = static_cast<std::uint64_t>(items.size());
    const auto cols = items.has_points() ? static_cast<std::uint64_t>(items.values().cols()) : 0;
    return n * (2 * cols * sizeof(float) + static_cast<std::uint64_t>(dim) * 64 + 64);
}

/// Sum of w delta^2 over pairs: the stress of a map in one place.
double total_of(device::Cpu& cpu, const CpuItems& items, Index n, int dim) {
    Map nowhere{dim, std::vector<float>(static_cast<std::size_t>(Offset{n} * dim), 0.0F)};
    auto shape = shape_at(cpu, nowhere);
    pull_all(cpu, items, shape);
    return shape.stress.value;
}

Ending run_smacof(device::Cpu& cpu, const CpuItems& items, Map& map, const Options& o, const Run& run) {
    auto shape = shape_at(cpu, map);
    const Patience patience{*o.iterations, *o.tolerance, total_of(cpu, items, shape.n, shape.dim)};
    const Ending ending = smacof(cpu, items, shape, steps(cpu, items, 1), patience, run);
    map.coordinates.assign(shape.y.begin(), shape.y.end());
    return ending;
}

/// Is a look at all pairs, some dozens of times, worth while?
bool affords_all_pairs(const Dissimilarities& items) {
    constexpr double affordable = 5e8;
    const double cols = items.has_points() ? items.values().cols() : 1;
    return std::pow(static_cast<double>(items.size()), 2) * (4 + cols) <= affordable;
}

Ending run_dunlin(device::Cpu& cpu, const Dissimilarities& about, const CpuItems& items, Map& map, bool from_nowhere,
                  const Options& o, const Run& run) {
    auto shape = shape_at(cpu, map);
    const std::vector<Index> order = random_order(shape.n, run.seed);
    Ending all;
    const auto then = [&](const Ending& next) { all = {all.iterations + next.iterations, next.stopped}; };
    if (from_nowhere) then(grow(cpu, *items.source, shape, order, run));
    if (all.stopped != Stopped::cancelled)
        then(anneal(cpu, *items.source, shape, order, Annealing{*o.iterations, 1, 1e-3}, 0, run));
    if (all.stopped != Stopped::cancelled && affords_all_pairs(about)) {
        const Patience patience{300, *o.tolerance, total_of(cpu, items, shape.n, shape.dim)};
        then(smacof(cpu, items, shape, steps(cpu, items, 1.8), patience, run));
    }
    map.coordinates.assign(shape.y.begin(), shape.y.end());
    return all;
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

}  // namespace

Result place(const Dissimilarities& items, const Options& wanted, const Run& run, const Given& given) {
    Result result;
    result.options = resolve(items, wanted, given);
    const Options& o = result.options;
    device::require_cpu(run, "multidimensional scaling is");
    if (items.feed() != nullptr) return place_fed(items, wanted, run, given);
    device::require_memory(run, bytes_wanted(items, o.dim), "multidimensional scaling of these items");
    device::Stopwatch watch;
    device::Cpu cpu(run);
    result.threads = cpu.threads();
    result.map.dim = o.dim;
    if (items.size() == 0) return result;

    const Source source(cpu, items);
    if (by_forces(o.method)) {
        result.map = given.start != nullptr ? *given.start : first_map(cpu, items, source, o.dim, o.start, run.seed);
        result.seconds.start = watch.lap();
        const Ending ending = run_forces(cpu, source, result.map, o, run);
        result.iterations = ending.iterations;
        result.stopped = ending.stopped;
    } else if (given.fixed != nullptr || o.transform != Transform::ratio) {
        const auto method = given.fixed != nullptr ? run_fixed : run_nonmetric;
        const Ending ending = method(cpu, source, result.map, o, run, given);
        result.iterations = ending.iterations;
        result.stopped = ending.stopped;
    } else if (o.method == Method::smacof || o.method == Method::dunlin) {
        result.map = given.start != nullptr ? *given.start : first_map(cpu, items, source, o.dim, o.start, run.seed);
        result.seconds.start = watch.lap();
        const CpuItems pulling{&source, given.weights == nullptr ? nullptr : given.weights->view().data};
        const bool from_nowhere = given.start == nullptr && (o.start == Start::random || items.missing() > 0);
        const Ending ending = o.method == Method::smacof
                                  ? run_smacof(cpu, pulling, result.map, o, run)
                                  : run_dunlin(cpu, items, pulling, result.map, from_nowhere, o, run);
        result.iterations = ending.iterations;
        result.stopped = ending.stopped;
    } else {
        result.map = spectral(cpu, items, source, o, run);
    }
    if (given.start == nullptr && given.fixed == nullptr) align(result.map);
    result.seconds.optimise = watch.lap();
    return result;
}

}  // namespace dunlin::mds
