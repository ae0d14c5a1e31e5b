// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/progress.hpp"
#include "device/stopwatch.hpp"
#include "mds/align.hpp"
#include "mds/backend.hpp"
#include "mds/start.hpp"

/// The methods that are one computation, classical, landmark and pivot, once for every executor.
namespace dunlin::mds {

template <class Exec, class Source>
Placed place_by_axes(Exec& exec, const Task& task, const Source& source) {
    const Options& o = task.options;
    device::Stopwatch watch;
    device::ProgressReporter reporter(task.run, "optimize", 1);
    auto shape = empty_shape(exec, source.size(), o.dim);
    if (o.method == Method::classical) shape.y = classical(exec, task.items, source, o.dim);
    if (o.method == Method::landmark) {
        const std::vector<Index> chosen = scores::sample_rows(shape.n, *o.landmarks, task.run.seed);
        shape.y = landmark(exec, source, o.dim, chosen, task.run);
    }
    if (o.method == Method::pivot) {
        shape.y = pivot(exec, source, o.dim, *o.landmarks, task.run);
        rescale(exec, source, shape, task.run.seed);
    }
    Placed result;
    result.ending.stopped = Stopped::converged;
    result.map = aligned(exec, std::move(shape));
    result.seconds["optimize"] = watch.lap();
    return result;
}

}  // namespace dunlin::mds
