// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <limits>
#include <vector>

#include <dunlin/kmeans.hpp>

#include "kmeans/lloyd_memory.hpp"
#include "kmeans/stopping_rule.hpp"
#include "progress/progress.hpp"

/// Lloyd's iteration, once for all backends on a CPU.
namespace dunlin::kmeans {

/// Result of one assignment of all rows.
struct Pass {
    Offset changed = 0;  ///< rows that changed their cluster
    double inertia = 0;  ///< for the centroids before they move; only if requested
};

/// assign: assigns rows to their nearest centroids and updates the sums; cancellable. fill_empty: moves the farthest
/// row to each cluster without weight. move: moves centroids to the means, returns the sum of their squared moves.
/// centroids: clusters x cols.
template <class Backend>
concept LloydBackend = requires(Backend backend, const Backend& unchanged, bool with_inertia) {
    { backend.assign(with_inertia) } -> std::same_as<Pass>;
    { backend.fill_empty() } -> std::same_as<void>;
    { backend.move() } -> std::same_as<double>;
    { unchanged.centroids() } -> std::same_as<const std::vector<float>&>;
};

/// A backend that has the labels. inertia: of the present labels and centroids. take_labels: moves the labels out, of
/// which there may be billions. recall: goes on from the state of another run, by one assignment; cancellable.
template <class Backend>
concept LabelingBackend =
    LloydBackend<Backend> && requires(Backend backend, const Backend& unchanged, const LloydMemory& memory) {
        { unchanged.inertia() } -> std::same_as<double>;
        { backend.take_labels() } -> std::same_as<std::vector<Index>>;
        { unchanged.history() } -> std::same_as<const LloydHistory&>;
        { backend.recall(memory) } -> std::same_as<void>;
    };

/// Result of a run: labels are the nearest of the centroids (clusters x cols).
struct LloydResult {
    LloydStatus status;
    std::vector<Index> labels;
    std::vector<float> centroids;
    double inertia = 0;
};

/// Iterates until the rule or the number of iterations ends the run. `least_shift`: options.tolerance as a squared
/// distance. The labels may belong to the centroids before their last move. A run continues from a status of some
/// iterations if the backend has the centroids of that iteration. completed() is called after each one that does not
/// end the run.
template <LloydBackend Backend, class Completed>
void iterate(Backend& backend, const Options& options, double least_shift, const Run& run, LloydStatus& status,
             const Completed& completed) {
    progress::ProgressReporter reporter(run, "optimize", options.iterations);
    const LloydStoppingRule rule{options.stop, least_shift, options.tolerance.value_or(0)};
    while (status.iterations < options.iterations) {
        const Pass pass = backend.assign(options.stop == Rule::inertia);
        status.stopped = Stopped::converged;
        if (rule.by_change(pass.changed, status.iterations)) return;
        backend.fill_empty();
        const double shift = backend.move();
        reporter.tick(++status.iterations);
        if (options.stop == Rule::inertia) reporter.cost(pass.inertia);
        if (rule.by_move(shift, status.last_inertia, pass.inertia)) return;
        status.last_inertia = pass.inertia;
        completed();
    }
    status.stopped = Stopped::budget;
}

}  // namespace dunlin::kmeans
