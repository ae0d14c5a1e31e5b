// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "device/cancel.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "device/progress.hpp"
#include "mds/forces/partners.hpp"
#include "mds/input/judged.hpp"
#include "mds/on_demand/fed.hpp"
#include "mds/place_on.hpp"
#include "mds/resolve.hpp"
#include "mds/sgd/epoch.hpp"
#include "mds/smacof/disparities.hpp"
#include "mds/smacof/pull.hpp"

namespace dunlin::mds {

namespace {

/// Do points have so many columns, and are they so few, that all pairs are better compared once and kept? Methods that
/// minimize stress look at each some dozens of times. (65 columns take as long as an entry of a matrix that is not in
/// the cache.)
bool keeps_all(const Dissimilarities& items, const Options& o) {
    constexpr Index many_columns = 128;
    return items.has_points() && minimizes(o.method) && items.size() <= few_items &&
           items.values().cols() > many_columns;
}

/// Bytes at the worst moment: points twice over, coordinates, forces.
std::uint64_t bytes_wanted(const Dissimilarities& items, const Options& o) {
    const auto n = static_cast<std::uint64_t>(items.size());
    const auto cols = items.has_points() ? static_cast<std::uint64_t>(items.values().cols()) : 0;
    const std::uint64_t kept = keeps_all(items, o) ? n * n * sizeof(float) : 0;
    return n * (2 * cols * sizeof(float) + static_cast<std::uint64_t>(o.dim) * 64 + 64) + kept;
}

const float* values_of(const Matrix* weights) { return weights == nullptr ? nullptr : weights->view().data; }

/// Whether a GPU that is awake already would be done sooner (docs/mds.md).
bool pays_on_gpu(const Dissimilarities& items, const Options& o, const Given& given, const Run& run) {
    const Index enough = iterates(o.method) ? 500 : 20000;
    const Index moving = given.fixed == nullptr ? items.size() : split_fixed(*given.fixed).free;
    return moving >= enough &&
           fits_on_gpu(bytes_on_gpu(items, given.weights != nullptr) + bytes_of_method(o, items.size(), given), run);
}

Placed place_on_cpu(device::Cpu& cpu, const Task& task) {
    Source source(cpu, task.items, task.given.weights);
    if (keeps_all(task.items, task.options)) {
        device::run_cancellable(task.run.stop, [&] {  // cancelled, it is as it was
            device::ProgressReporter reporter(task.run, "start", 1);
            source.keep(cpu);
        });
    }
    return place_on(cpu, task, CpuItems{&source, values_of(task.given.weights)});
}

/// The same of a method that has no map before its end.
Placed place_at_once_on_cpu(device::Cpu& cpu, const Task& task) {
    Placed placed{.map = {task.options.dim, {}}, .ending = {0, Stopped::cancelled}, .seconds = {}};
    device::run_cancellable(task.run.stop, [&] { placed = place_on_cpu(cpu, task); });
    return placed;
}

}  // namespace

Result place(const Dissimilarities& items, const Options& wanted, const Run& run, const Given& given) {
    Result result;
    result.options = resolve(items, wanted, given);
    const Options& o = result.options;
    if (items.feed() != nullptr) return place_fed(items, wanted, run, given);
    const Device device = device::choose(run, pays_on_gpu(items, o, given, run));
    device::require_memory(run, bytes_wanted(items, o) + bytes_of_method(o, items.size(), given),
                           "multidimensional scaling of these items");
    result.map.dim = o.dim;
    result.stopped = Stopped::converged;
    device::reset_cuda_peak_memory();
    if (items.size() == 0) {
        device::complete(result, device, run);
        return result;
    }

    const bool cut_short = wanted.iterations.has_value() && (given.start != nullptr || o.start == Start::random);
    const bool bounded = minimizes(o.method) && !cut_short;
    const auto take = [&](Placed&& found) {
        result.map = std::move(found.map);
        result.iterations = found.ending.iterations;
        result.stopped = found.ending.stopped;
        result.seconds = found.seconds;
        result.starts = found.starts;
    };
    if (device == Device::cuda) {
        take(place_on_cuda({items, o, given, run, bounded}));
    } else {
        device::Cpu cpu(run);
        result.threads = cpu.threads();
        const Task task{items, o, given, run, bounded};
        take(iterates(o.method) ? place_on_cpu(cpu, task) : place_at_once_on_cpu(cpu, task));
    }
    result.engines = {{"map", name_of(o.method), 0}};
    device::complete(result, device, run);
    return result;
}

double transformed_stress1(const Dissimilarities& items, const Map& map, Transform transform, const Matrix* weights,
                           const Run& run) {
    require_same_size(items, map);
    const Index n = items.size();
    const std::uint64_t wanted = Disparities<device::Cpu>::bytes_for(n);
    const bool pays =
        n >= 500 && items.feed() == nullptr && fits_on_gpu(bytes_on_gpu(items, weights != nullptr) + wanted, run);
    if (device::choose(run, pays) == Device::cuda)
        return transformed_stress1_on_cuda(items, map, transform, weights, run);
    device::require_memory(run, wanted, "the disparities of all pairs of these items");
    double stress = std::numeric_limits<double>::quiet_NaN();
    device::run_cancellable(run.stop, [&] {
        device::Cpu cpu(run);
        const Source source(cpu, items);
        stress = stress1_after(cpu, CpuItems{&source, values_of(weights)}, map, transform);
    });
    return stress;
}

}  // namespace dunlin::mds
