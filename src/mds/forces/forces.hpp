// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/align.hpp"
#include "mds/backend.hpp"
#include "mds/forces/hybrid.hpp"
#include "mds/start.hpp"
#include "progress/stopwatch.hpp"

/// The spring methods, stochastic, gpu_sf, glimmer and hybrid: forces among a few partners of each item; a template
/// over the executor.
namespace dunlin::mds {

template <class Exec, class Source>
run::Ending run_forces(Exec& exec, const Source& source, SpringState<Exec>& springs, const Options& o, const Run& run) {
    const StageOptions stage_options{*o.until, *o.iterations, o.method == Method::stochastic};
    if (o.method == Method::glimmer) return glimmer(exec, source, springs, stage_options, o, run);
    if (o.method == Method::hybrid) return hybrid(exec, source, springs, o, run);
    return run_stage(exec, source, springs, {0, springs.n, springs.n, 1.0 / 1000}, stage_options, o, run);
}

/// The start map: the given one, else random.
template <class Exec, class Source>
Map starting_map(Exec& exec, const ScalingInput& task, const Source& source) {
    if (task.given.start != nullptr) return *task.given.start;
    auto configuration = empty_configuration(exec, task.items.size(), task.options.dim);
    place_at_random(exec, source, configuration, task.run.seed);
    const auto& y = exec.host(configuration.y);
    return {configuration.dim, {y.begin(), y.end()}};
}

template <class Exec, class Source>
ScalingOutput place_by_forces(Exec& exec, const ScalingInput& task, const Source& source) {
    const Options& o = task.options;
    progress::Stopwatch watch;
    ScalingOutput result;
    result.map = starting_map(exec, task, source);
    result.seconds["start"] = watch.lap();
    auto springs = springs_at(exec, result.map, random_order(source.size(), task.run.seed), *o.near, *o.random);
    result.ending = run_forces(exec, source, springs, o, task.run);
    result.map.coordinates = positions_of(exec, springs);
    if (task.given.start == nullptr) result.map = aligned(exec, configuration_at(exec, result.map));
    result.seconds["optimize"] = watch.lap();
    return result;
}

}  // namespace dunlin::mds
