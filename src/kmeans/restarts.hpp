// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "checkpoint/session.hpp"
#include "kmeans/lloyd.hpp"
#include "kmeans/resolve.hpp"
#include "math/rng.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

/// Runs of k-means from several starts, the choice of the best, and their checkpoints.
namespace dunlin::kmeans {

inline Matrix as_matrix(std::vector<float> centroids, Index cols) {
    return {static_cast<Index>(centroids.size() / static_cast<std::size_t>(cols)), cols, std::move(centroids)};
}

inline void keep_if_better(LloydResult found, Index cols, Result& result) {
    if (!result.labels.empty() && found.inertia >= result.inertia) return;
    result.labels = std::move(found.labels);
    result.centroids = as_matrix(std::move(found.centroids), cols);
    result.inertia = found.inertia;
    result.iterations = found.status.iterations;
    result.stopped = found.status.stopped;
}

/// The part of a result that runs leave.
inline void write_best(checkpoint::ArchiveWriter& archive, const Result& best) {
    const MatrixView<const float> centroids = best.centroids.view();
    archive(best.labels);
    archive(std::vector<float>(centroids.data, centroids.data + centroids.size()));
    archive(best.inertia), archive(best.iterations), archive(best.stopped);
}

/// For so many rows and centroids.
inline void read_best(checkpoint::ArchiveReader& archive, std::size_t rows, Index clusters, Index cols, Result& best) {
    std::vector<float> centroids;
    archive(best.labels);
    archive.finite(centroids, static_cast<std::size_t>(clusters) * static_cast<std::size_t>(cols), "set of centroids");
    archive(best.inertia), archive(best.iterations), archive(best.stopped);
    archive.require(best.labels.size() == rows && best.iterations >= 0 && best.inertia >= 0, "number of labels");
    for (const Index label : best.labels) archive.require(label >= 0 && label < clusters, "label");
    best.centroids = as_matrix(std::move(centroids), cols);
}

/// One run; the labels are those of its last centroids. Cancellation is checked inside an iteration: rows not yet
/// assigned keep their labels of the previous iteration. If the first is cancelled, there is no result; nor if the
/// assignment is by which a resumed run finds its labels.
template <class Backend>
    requires LabelingBackend<std::remove_cvref_t<Backend>>
void run_once(Backend&& backend, Index rows, const Options& options, double least_shift, Index cols, const Run& run,
              checkpoint::Loop& loop, Result& result) {
    LloydMemory memory;
    loop.resume([&](auto& archive) { memory = read_lloyd_memory(archive, rows, options, backend.centroids().size()); });
    LloydStatus& status = memory.status;
    const auto write_state = [&](auto& archive) {
        write(archive, status, memory.has_ended != 0, backend.history(), backend.centroids());
    };
    bool has_labels = status.iterations == 0;
    double inertia = 0;
    const bool done = progress::run_cancellable(run.stop, [&] {
        if (!memory.centroids.empty()) backend.recall(memory);
        has_labels = true;
        if (memory.has_ended == 0)
            iterate(backend, options, least_shift, run, status, [&] { loop.offer(status.iterations, write_state); });
        memory.has_ended = 1;
        inertia = backend.assign(true).inertia;
    });
    if (done) {
        loop.end(status.iterations, write_state);
    } else {
        if (has_labels) loop.save(status.iterations, write_state);
        result.stopped = status.stopped = Stopped::cancelled;
        if (status.iterations == 0 || !has_labels) return;
        inertia = backend.inertia();
    }
    keep_if_better({status, backend.take_labels(), backend.centroids(), inertia}, cols, result);
}

/// What runs start from, where it is not drawn.
struct KnownStarts {
    Given given = {};
    std::span<const float> more = {};  ///< centroids of one more run after the restarts; none: no such run

    [[nodiscard]] int runs(const Options& options) const { return options.restarts + (more.empty() ? 0 : 1); }
};

/// The initial centroids of run r.
template <class Draw>
std::vector<float> centroids_of_run(int r, const Options& options, const KnownStarts& known, Index cols,
                                    const Draw& draw) {
    if (r == options.restarts) return checked_centroids({known.more.data(), options.clusters, cols}, options.metric);
    const bool is_given = known.given.centroids.data != nullptr;
    return is_given ? checked_centroids(known.given.centroids, options.metric) : draw();
}

/// All restarts. start(seed) gives the centroids of a run, unless they are known; once(centroids, loop) is the run,
/// whose centroids are zeros if it goes on from the state of `loop`.
template <class StartFrom, class Once>
void run_all(MatrixView<const float> points, const Options& options, const KnownStarts& known, const Run& run,
             progress::Stopwatch& watch, Result& result, const StartFrom& start, const Once& once) {
    checkpoint::Sequence restarts("restarts");
    int r = 0;
    const int runs = known.runs(options);
    restarts.resume([&](auto& archive) {
        archive(r);
        archive.require(r > 0 && r <= runs, "number of restarts");
        read_best(archive, static_cast<std::size_t>(points.rows), options.clusters, points.cols, result);
    });
    for (; r < runs && result.stopped != Stopped::cancelled; ++r) {
        const std::uint64_t seed = math::random_bits(run.seed, static_cast<std::uint64_t>(r));
        checkpoint::Loop loop("lloyd");
        std::vector<float> centroids;
        const bool begun = progress::run_cancellable(run.stop, [&] {
            if (loop.has_state()) {
                centroids.resize(static_cast<std::size_t>(Offset{options.clusters} * points.cols));
                return;
            }
            progress::ProgressReporter reporter(run, "start", options.clusters);
            centroids = centroids_of_run(r, options, known, points.cols, [&] { return start(seed); });
        });
        result.seconds["start"] += watch.lap();
        if (begun) {
            once(std::move(centroids), loop);
        } else {
            result.stopped = Stopped::cancelled;
        }
        result.seconds["optimize"] += watch.lap();
        if (result.stopped == Stopped::cancelled) return;
        restarts.commit(result.iterations, [&](auto& archive) { archive(r + 1), write_best(archive, result); });
    }
}

}  // namespace dunlin::kmeans
