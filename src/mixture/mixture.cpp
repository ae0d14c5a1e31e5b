// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

#include <dunlin/kmeans.hpp>

#include "device/blas.hpp"
#include "device/cancel.hpp"
#include "device/choose.hpp"
#include "device/complete.hpp"
#include "device/cpu.hpp"
#include "device/memory.hpp"
#include "device/progress.hpp"
#include "device/stopwatch.hpp"
#include "kmeans/rows.hpp"
#include "mixture/fit.hpp"

namespace dunlin::mixture {

namespace {

constexpr Offset whole = std::numeric_limits<Offset>::max();  ///< a node of all rows

/// The rows of one process, and the likeliest component of each in the last expectation step; before the first, the
/// clusters of k-means.
class RowsOfProcess final : public ExpectationSource {
public:
    RowsOfProcess(MatrixView<const float> points, const Options& options, const Run& run)
        : points_(points), options_(options), run_(run), cpu_(run) {}

    void start(Fit& fit) {
        kmeans::Result clusters = kmeans::cluster(points_, {.clusters = options_.components}, run_of_start(run_));
        device::cancellation_point();
        labels_ = std::move(clusters.labels);
        const device::ProgressReporter reporter(run_, "start", points_.rows);
        fit.start(clusters.centroids.view(), kmeans::measure(cpu_, {points_}).variance);
    }

    Expectation nearest(const std::vector<Component>& components) override {
        return std::move(expect_labels(cpu_, points_, components, options_.covariance, labels_, whole).front());
    }
    Expectation expect(const std::vector<Component>& components, bool moments) override {
        std::vector<Index> labels(labels_.size());
        auto all = mixture::expect(cpu_, points_, components, {options_.covariance, moments, labels.data()}, whole);
        labels_.swap(labels);
        return std::move(all.front());
    }

    [[nodiscard]] int threads() const { return cpu_.threads(); }
    [[nodiscard]] const std::vector<Index>& labels() const { return labels_; }

private:
    MatrixView<const float> points_;
    const Options& options_;
    const Run& run_;
    device::Cpu cpu_;
    std::vector<Index> labels_;
};

/// Peak memory in bytes: the sums, and components with their factors before and after a step.
std::uint64_t bytes_of(const Options& o, Index rows, Index cols) {
    return bytes_of_step(o.components, cols, o.covariance, rows) +
           5 * bytes_of_expectation(o.components, cols, o.covariance) +
           static_cast<std::uint64_t>(rows) * 2 * sizeof(Index);
}

}  // namespace

Result fit(MatrixView<const float> points, const Options& options, const Run& run) {
    check(options, points.rows);
    device::require_cpu(run, "mixtures are");
    device::require_memory(run, bytes_of(options, points.rows, points.cols),
                           fmt::format("a mixture of {} {} Gaussians of {} columns", options.components,
                                       name_of(options.covariance), points.cols));
    Result result;
    result.options = options;
    device::hold_blas_to_one_thread();
    device::Stopwatch watch;
    RowsOfProcess rows(points, options, run);
    Fit fit(rows, options, points.rows);
    const bool done = device::run_cancellable(run.stop, [&] {
        rows.start(fit);
        result.seconds["start"] = watch.lap();
        fit.iterate(run, result);
    });
    if (!done) result.stopped = Stopped::cancelled;
    if (!fit.state().components.empty()) {
        fit.describe(points.cols, result);
        result.labels = rows.labels();
        result.threads = rows.threads();
    }
    result.seconds["optimize"] = watch.lap();
    result.engines = {{"iteration", "expectation-maximization", 0}};
    device::complete(result, Device::cpu, run);
    return result;
}

}  // namespace dunlin::mixture
