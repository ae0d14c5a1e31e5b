// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mds/align.hpp"
#include "mds/backend.hpp"
#include "mds/start.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

/// The methods with a closed-form solution: classical, landmark and pivot; a template over the executor.
namespace dunlin::mds {

template <class Exec, class Source>
ScalingOutput place_by_axes(Exec& exec, const ScalingInput& task, const Source& source) {
    const Options& o = task.options;
    progress::Stopwatch watch;
    progress::ProgressReporter reporter(task.run, "optimize", 1);
    auto configuration = empty_configuration(exec, source.size(), o.dim);
    if (o.method == Method::classical) configuration.y = classical(exec, task.items, source, o.dim);
    if (o.method == Method::landmark) {
        const std::vector<Index> chosen = scores::sample_rows(configuration.n, *o.landmarks, task.run.seed);
        configuration.y = landmark(exec, source, o.dim, chosen, task.run);
    }
    if (o.method == Method::pivot) {
        configuration.y = pivot(exec, source, o.dim, *o.landmarks, task.run);
        rescale(exec, source, configuration, task.run.seed);
    }
    ScalingOutput result;
    result.ending.stopped = Stopped::converged;
    result.map = aligned(exec, std::move(configuration));
    result.seconds["optimize"] = watch.lap();
    return result;
}

}  // namespace dunlin::mds
