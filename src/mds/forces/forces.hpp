// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/stopwatch.hpp"
#include "mds/align.hpp"
#include "mds/backend.hpp"
#include "mds/forces/hybrid.hpp"
#include "mds/start.hpp"

/// The methods that move items by the forces of a few partners each, stochastic, gpu_sf, glimmer and hybrid, once for
/// every executor.
namespace dunlin::mds {

template <class Exec, class Source>
Termination run_forces(Exec& exec, const Source& source, SpringState<Exec>& springs, const Options& o, const Run& run) {
    const StageOptions pace{*o.until, *o.iterations, o.method == Method::stochastic};
    if (o.method == Method::glimmer) return glimmer(exec, source, springs, *o.decimation, pace, run);
    if (o.method == Method::hybrid) return hybrid(exec, source, springs, o, run);
    return run_stage(exec, source, springs, {0, springs.n, springs.n, 1.0 / 1000}, pace, run);
}

/// Where the items are before any force acts: where they are given, else at random.
template <class Exec, class Source>
Map unmoved(Exec& exec, const ScalingInput& task, const Source& source) {
    if (task.given.start != nullptr) return *task.given.start;
    auto configuration = empty_configuration(exec, task.items.size(), task.options.dim);
    place_at_random(exec, source, configuration, task.run.seed);
    const auto& y = exec.host(configuration.y);
    return {configuration.dim, {y.begin(), y.end()}};
}

template <class Exec, class Source>
ScalingOutput place_by_forces(Exec& exec, const ScalingInput& task, const Source& source) {
    const Options& o = task.options;
    device::Stopwatch watch;
    ScalingOutput result;
    result.map = unmoved(exec, task, source);
    result.seconds["start"] = watch.lap();
    auto springs = springs_at(exec, result.map, random_order(source.size(), task.run.seed), *o.near, *o.random);
    result.ending = run_forces(exec, source, springs, o, task.run);
    result.map.coordinates = positions_of(exec, springs);
    if (task.given.start == nullptr) result.map = aligned(exec, configuration_at(exec, result.map));
    result.seconds["optimize"] = watch.lap();
    return result;
}

}  // namespace dunlin::mds
