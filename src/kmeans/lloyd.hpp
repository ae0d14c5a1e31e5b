#pragma once

#include <limits>
#include <vector>

#include <dunlin/kmeans.hpp>

#include "device/ticker.hpp"

/// Lloyd's iteration, once, for every backend. A backend has
///     Pass assign(bool with_inertia)   labels by the nearest centroid; the sums follow
///     void fill_empty()                a cluster without weight takes the farthest point
///     double move()                    centroids to the means; returns the sum of their squared moves
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
Ending iterate(Backend& backend, const Options& options, double least_shift, const Run& run) {
    device::Ticker ticker(run, "cluster", options.iterations);
    double last_inertia = std::numeric_limits<double>::infinity();
    for (int t = 0; t < options.iterations; ++t) {
        if (run.stop.stop_requested()) return {t, Stopped::cancelled};
        const Pass pass = backend.assign(options.stop == Rule::inertia);
        if (pass.changed == 0 && t > 0 && options.stop != Rule::never) return {t, Stopped::converged};
        backend.fill_empty();
        const double shift = backend.move();
        ticker.tick(t + 1);
        if (options.stop == Rule::shift && shift <= least_shift) return {t + 1, Stopped::converged};
        if (options.stop == Rule::inertia) {
            ticker.cost(pass.inertia);
            if (pass.inertia >= (1 - *options.tolerance) * last_inertia) return {t + 1, Stopped::converged};
            last_inertia = pass.inertia;
        }
    }
    return {options.iterations, Stopped::budget};
}

}  // namespace dunlin::kmeans
