// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>
#include <string>

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include "checkpoint/key.hpp"
#include "checkpoint/session.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/gpus.hpp"
#include "device/memory.hpp"
#include "device/ranks.hpp"
#include "mds/forces/partners.hpp"
#include "mds/input/evaluation_rows.hpp"
#include "mds/on_demand/on_demand.hpp"
#include "mds/place_on.hpp"
#include "mds/resolve.hpp"
#include "mds/sgd/epoch.hpp"
#include "mds/smacof/disparities.hpp"
#include "mds/smacof/pull.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::mds {

namespace {

/// True if distances of points should be computed once and stored as a matrix: methods that minimize stress read each
/// pair some dozens of times. (65 columns cost as much as reading a matrix entry that is not in the cache.)
bool materializes(const Dissimilarities& items, const Options& o) {
    constexpr Index many_columns = 128;
    return items.has_points() && minimizes_stress(o.method) && items.size() <= few_items &&
           items.values().cols() > many_columns;
}

/// Peak memory in bytes: two copies of the points, coordinates, forces.
std::uint64_t bytes_needed(const Dissimilarities& items, const Options& o) {
    const auto n = static_cast<std::uint64_t>(items.size());
    const auto cols = items.has_points() ? static_cast<std::uint64_t>(items.values().cols()) : 0;
    const std::uint64_t kept = materializes(items, o) ? n * n * sizeof(float) : 0;
    return n * (2 * cols * sizeof(float) + static_cast<std::uint64_t>(o.dim) * 64 + 64) + kept;
}

const float* values_of(const Matrix* weights) { return weights == nullptr ? nullptr : weights->view().data; }

/// True if an initialized GPU is faster than the CPU (thresholds: docs/mds.md).
bool is_faster_on_gpu(const Dissimilarities& items, const Options& o, const Given& given, const Run& run) {
    const Index enough = is_iterative(o.method) ? 500 : 20000;
    const Index moving = given.fixed == nullptr ? items.size() : split_fixed(*given.fixed).free;
    return moving >= enough &&
           fits_on_gpu(bytes_on_gpu(items, given.weights != nullptr) + bytes_of_method(o, items.size(), given), run);
}

/// ranks: of several ranks (tests have them on a CPU), their stop.
ScalingOutput place_on_cpu(device::Cpu& cpu, const ScalingInput& task, device::AgreedStop* ranks = nullptr) {
    Source source(cpu, task.items, task.given.weights, task.reads);
    if (materializes(task.items, task.options)) {
        progress::run_cancellable(task.run.stop, [&] {  // after a cancellation the source is unchanged
            progress::ProgressReporter reporter(task.run, "start", 1);
            source.materialize(cpu);
        });
    }
    return place_on(cpu, task, CpuItems{.source = &source, .weights = values_of(task.given.weights), .ranks = ranks});
}

/// Subject and verb of the sentence that refuses several GPUs; empty: they divide the rows of each sum over pairs.
std::string what_takes_one_gpu(const Options& o, const Given& given) {
    if (o.method != Method::smacof) return fmt::format("scaling by method {} runs", name_of(o.method));
    if (o.transform != Transform::ratio) return fmt::format("scaling with transform {} runs", name_of(o.transform));
    return given.fixed != nullptr ? "scaling around fixed points runs" : "";
}

Device device_of(const Dissimilarities& items, const Options& o, const Given& given, const Run& run) {
    const std::string takes_one = what_takes_one_gpu(o, given);
    return device::choose(run, is_faster_on_gpu(items, o, given, run), {takes_one.empty(), takes_one});
}

/// By a rank for each of run.gpus. All ranks make the same decisions.
ScalingOutput place_on_gpus(const ScalingInput& task) {
    ScalingOutput placed;
    device::run_on_ranks(task.run, [&](const Run& own) {
        ScalingOutput found = place_on_cuda({task.items, task.options, task.given, own, task.bounded});
        if (device::Rank::current()->index() == 0) placed = std::move(found);
    });
    return placed;
}

/// place_on_cpu for methods without intermediate maps: a cancellation returns an empty map.
ScalingOutput place_at_once_on_cpu(device::Cpu& cpu, const ScalingInput& task) {
    ScalingOutput placed{.map = {task.options.dim, {}}, .ending = {0, Stopped::cancelled}, .seconds = {}};
    progress::run_cancellable(task.run.stop, [&] { placed = place_on_cpu(cpu, task); });
    return placed;
}

}  // namespace

namespace {

/// Throws for methods and dissimilarities that have no checkpoint.
void refuse_checkpoint(const Dissimilarities& items, const Options& o) {
    const auto refuse = [](const std::string& why) {
        throw Error(Fault::bad_input, "checkpoint is given, but " + why + "; leave it out", {.option = "checkpoint"});
    };
    if (!is_iterative(o.method))
        refuse(fmt::format("method {} has no iterations that it could go on from", name_of(o.method)));
    if (items.on_demand() != nullptr && items.graph() == nullptr && items.values().rows() == 0)
        refuse("the distances come from a function, whose values a checkpoint cannot compare");
}

/// What a result depends on, for a checkpoint.
void add_to(checkpoint::Key& key, const Dissimilarities& items, const Options& wanted, const Run& run,
            const Given& given) {
    const Options o = resolve(items, wanted, given);
    const bool on_demand = items.on_demand() != nullptr;
    const Device device = on_demand ? device_on_demand(items, o, run) : device_of(items, o, given, run);
    key.add("device", std::string(name_of(device)));
    key.add_options(o);
    key.add_options(wanted);  // of which components resolve their own
    if (items.metric()) key.add("metric", std::string(name_of(*items.metric())));
    if (on_demand) key.add("distances", std::to_string(items.on_demand()->remaining()));
    if (items.graph() != nullptr) key.add_input("graph", *items.graph());
    key.add_input("dissimilarities", items.values().view());
    if (given.start != nullptr) key.add_input("start", given.start->coordinates);
    if (given.fixed != nullptr) key.add_input("fixed points", given.fixed->coordinates);
    if (given.weights != nullptr) key.add_input("weights", given.weights->view());
}

}  // namespace

Result place(const Dissimilarities& items, const Options& wanted, const Run& given_run, const Given& given) {
    const Run run = checkpoint::without_checkpoint(given_run);
    device::refuse_checkpoint_of_several(given_run);
    if (!given_run.checkpoint.empty()) refuse_checkpoint(items, resolve(items, wanted, given));
    checkpoint::Session session(given_run, "multidimensional scaling",
                                [&](checkpoint::Key& key) { add_to(key, items, wanted, run, given); });
    Result result = place_part(items, wanted, run, given);
    session.complete(result);
    return result;
}

Result place_part(const Dissimilarities& items, const Options& wanted, const Run& run, const Given& given,
                  PairReads* reads) {
    Result result;
    result.options = resolve(items, wanted, given);
    const Options& o = result.options;
    if (items.on_demand() != nullptr) return place_on_demand(items, wanted, run, given);
    const Device device = device_of(items, o, given, run);
    device::require_memory(run, bytes_needed(items, o) + bytes_of_method(o, items.size(), given),
                           "multidimensional scaling of these items");
    result.map.dim = o.dim;
    result.stopped = Stopped::converged;
    device::reset_cuda_peak_memory();
    if (items.size() == 0) {
        device::complete(result, device, run);
        return result;
    }

    const bool cut_short = wanted.iterations.has_value() && (given.start != nullptr || o.start == Start::random);
    const bool bounded = minimizes_stress(o.method) && !cut_short;
    const auto copy_result = [&](ScalingOutput&& found) {
        result.map = std::move(found.map);
        result.iterations = found.ending.iterations;
        result.stopped = found.ending.stopped;
        result.seconds = found.seconds;
        result.starts = found.starts;
    };
    if (device == Device::cuda) {
        const ScalingInput task{items, o, given, run, bounded};
        copy_result(device::names_several(run) ? place_on_gpus(task) : place_on_cuda(task));
    } else {
        device::Cpu cpu(run);
        result.threads = cpu.threads();
        const ScalingInput task{items, o, given, run, bounded, reads};
        const auto place_steps = [&](const ScalingInput& own, device::AgreedStop* ranks) {
            return place_on_cpu(cpu, own, ranks);
        };
        copy_result(is_iterative(o.method) ? with_agreed_stop(task, place_steps) : place_at_once_on_cpu(cpu, task));
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
        n >= 500 && items.on_demand() == nullptr && fits_on_gpu(bytes_on_gpu(items, weights != nullptr) + wanted, run);
    if (device::choose(run, pays, {.what = "stress is computed"}) == Device::cuda)
        return transformed_stress1_on_cuda(items, map, transform, weights, run);
    device::require_memory(run, wanted, "the disparities of all pairs of these items");
    double stress = std::numeric_limits<double>::quiet_NaN();
    progress::run_cancellable(run.stop, [&] {
        device::Cpu cpu(run);
        const Source source(cpu, items);
        stress = stress1_after(cpu, CpuItems{&source, values_of(weights)}, map, transform);
    });
    return stress;
}

}  // namespace dunlin::mds
