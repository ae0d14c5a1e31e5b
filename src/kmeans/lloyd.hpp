// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include <dunlin/kmeans.hpp>

#include "device/progress.hpp"

/// Lloyd's iteration, once, for every backend on a CPU. A backend has
///     Pass assign(bool with_inertia)   labels by the nearest centroid; the sums follow. It heeds a stop
///     void fill_empty()                a cluster without weight takes the farthest point
///     double move()                    centroids to the means; returns the sum of their squared moves
///     double inertia()                 of the labels and the centroids as they are
namespace dunlin::kmeans {

struct Pass {
    Offset changed = 0;  ///< rows that changed their cluster
    double inertia = 0;  ///< of the centroids before they move; only if asked for
};

struct Ending {
    int iterations = 0;
    Stopped stopped = Stopped::budget;
};

/// What a run ends with: labels are those of the centroids (clusters x cols).
struct Outcome {
    Ending ending;
    std::vector<Index> labels;
    std::vector<float> centroids;
    double inertia = 0;
};

/// `least_shift`: options.tolerance in units of squared distance. Afterwards the labels may be those of the centroids
/// before their last move.
template <class Backend>
void iterate(Backend& backend, const Options& options, double least_shift, const Run& run, Ending& ending) {
    device::ProgressReporter reporter(run, "optimize", options.iterations);
    double last_inertia = std::numeric_limits<double>::infinity();
    for (int t = 0; t < options.iterations; ++t) {
        const Pass pass = backend.assign(options.stop == Rule::inertia);
        ending.stopped = Stopped::converged;
        if (pass.changed == 0 && t > 0 && options.stop != Rule::never) return;
        backend.fill_empty();
        const double shift = backend.move();
        reporter.tick(++ending.iterations);
        if (options.stop == Rule::shift && shift <= least_shift) return;
        if (options.stop == Rule::inertia) {
            reporter.cost(pass.inertia);
            if (pass.inertia >= (1 - *options.tolerance) * last_inertia) return;
            last_inertia = pass.inertia;
        }
    }
    ending.stopped = Stopped::budget;
}

}  // namespace dunlin::kmeans
