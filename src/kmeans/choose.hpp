// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "kmeans/criteria.hpp"
#include "kmeans/tried_numbers.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::kmeans {

/// Throws Error{bad_input} unless these numbers of clusters can be tried.
void check_choice(Offset rows, Index most, Criterion criterion, const Options& options);

/// choose() of <dunlin/kmeans.hpp>: tries the numbers of clusters after those tried. cluster_with(options, more) gives
/// a Result, where `more` are the centroids of one more run (none: no such run), silhouette_of(result) its silhouette;
/// tried() is called after each number. The inertia does not rise with the number of clusters: the run from the
/// centroids of one cluster fewer begins with their inertia, and where rounding made it rise they stay as they are.
template <class ClusterWith, class SilhouetteOf>
void try_numbers(TriedNumbers& numbers, Index most, Criterion criterion, const Options& options, const Run& run,
                 const ClusterWith& cluster_with, const SilhouetteOf& silhouette_of,
                 const std::function<void()>& tried) {
    Choice& choice = numbers.choice;
    Result& before = numbers.last;
    const auto value_of = [&](const Result& result, Index cols) {
        if (criterion == Criterion::bic) return bic(result.counts, cols, result.inertia);
        if (criterion == Criterion::aic) return aic(result.counts, cols, result.inertia);
        return silhouette_of(result);
    };
    Options now = options;
    for (now.clusters += static_cast<Index>(choice.curve.size()); now.clusters <= most; ++now.clusters) {
        Result result = cluster_with(now, with_one_more(before));
        const bool rose = before.centroids.rows() > 0 && result.inertia > before.inertia;
        if (rose && result.stopped != Stopped::cancelled) result = with_empty_cluster(std::exchange(before, {}));
        double value = 0;
        const bool is_whole = result.stopped != Stopped::cancelled && progress::run_cancellable(run.stop, [&] {
                                  progress::ProgressReporter reporter(run, "score", 1);
                                  value = value_of(result, result.centroids.cols());
                              });
        if (!is_whole) {  // its criterion is unknown
            if (choice.curve.empty()) choice.best = std::move(result);
            choice.best.stopped = Stopped::cancelled;
            return;
        }
        const Choice::Tried last{now.clusters, result.inertia, value};
        const auto best = static_cast<std::size_t>(choice.best.options.clusters - options.clusters);
        if (choice.curve.empty() || is_better(criterion, value, choice.curve[best].value)) {
            choice.best = result;
        }
        before = std::move(result);
        choice.curve.push_back(last);
        tried();
    }
}

}  // namespace dunlin::kmeans
