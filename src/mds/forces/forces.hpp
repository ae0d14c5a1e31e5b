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
Ending run_forces(Exec& exec, const Source& source, Springs<Exec>& springs, const Options& o, const Run& run) {
    const Pace pace{*o.until, *o.iterations, o.method == Method::stochastic};
    if (o.method == Method::glimmer) return glimmer(exec, source, springs, *o.decimation, pace, run);
    if (o.method == Method::hybrid) return hybrid(exec, source, springs, o, run);
    return stir(exec, source, springs, {0, springs.n, springs.n, 1.0 / 1000}, pace, run);
}

/// Where the items are before any force acts: where they are given, else at random.
template <class Exec, class Source>
Map unmoved(Exec& exec, const Task& task, const Source& source) {
    if (task.given.start != nullptr) return *task.given.start;
    auto shape = empty_shape(exec, task.items.size(), task.options.dim);
    scatter(exec, source, shape, task.run.seed);
    const auto& y = exec.host(shape.y);
    return {shape.dim, {y.begin(), y.end()}};
}

template <class Exec, class Source>
Placed place_by_forces(Exec& exec, const Task& task, const Source& source) {
    const Options& o = task.options;
    device::Stopwatch watch;
    Placed result;
    result.map = unmoved(exec, task, source);
    result.seconds["start"] = watch.lap();
    auto springs = springs_at(exec, result.map, random_order(source.size(), task.run.seed), *o.near, *o.random);
    result.ending = run_forces(exec, source, springs, o, task.run);
    result.map.coordinates = places_of(exec, springs);
    if (task.given.start == nullptr) result.map = aligned(exec, shape_at(exec, result.map));
    result.seconds["optimize"] = watch.lap();
    return result;
}

}  // namespace dunlin::mds
