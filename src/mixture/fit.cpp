// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <dunlin/error.hpp>
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
#include "mixture/component.hpp"
#include "options/check.hpp"

namespace dunlin::mixture {

namespace {

/// Number of parts of the rows, each summed in order, so that the result does not depend on the threads: up to 64,
/// whose sums take up to 256 MB.
Offset parts_of(const Options& o, Index cols) {
    const double wide = o.covariance == Covariance::diagonal ? 1 : cols;
    return static_cast<Offset>(std::clamp(256e6 / (8.0 * o.components * cols * (wide + 1)), 1.0, 64.0));
}

void require(bool holds, const std::string& sentence) {
    if (!holds) throw Error(Fault::bad_input, sentence);
}

void check(const Options& o, Index rows) {
    options::check(o);
    require(o.components <= rows,
            fmt::format("components is {}, but there are {} points; it must be at most that", o.components, rows));
}

/// Peak memory in bytes: the sums of all parts, and components with their factors before and after a step.
std::uint64_t bytes_of(const Options& o, Index rows, Index cols) {
    const auto wide = static_cast<std::uint64_t>(o.covariance == Covariance::diagonal ? 1 : cols);
    const std::uint64_t covariance = sizeof(double) * static_cast<std::uint64_t>(cols) * wide;
    const auto parts = static_cast<std::uint64_t>(parts_of(o, cols)), k = static_cast<std::uint64_t>(o.components);
    return covariance * (k * (parts + 5) + 2) + static_cast<std::uint64_t>(rows) * 2 * sizeof(Index);
}

/// Result of the expectation step for a part of the rows: the moments of every component.
struct Expectation {
    std::vector<ComponentMoments> moments;
    double log_likelihood = 0;
};

/// Expectation maximization. On cancellation each function throws device::Cancelled and leaves the previous state.
class Fit {
public:
    Fit(MatrixView<const float> points, const Options& options, const Run& run)
        : points_(points), options_(options), cpu_(run), parts_(parts_of(options, points.cols)) {
        start(run);
        grain_ = (points.rows + parts_ - 1) / parts_;
    }

    void step() {
        Expectation all = expect(true);
        maximize(all);
    }

    /// Computes likelihood and labels for the present components.
    void finish() { expect(false); }

    [[nodiscard]] int threads() const { return cpu_.threads(); }
    [[nodiscard]] const std::vector<Component>& components() const { return components_; }
    /// The likeliest component of each row in the last expectation step; before the first, the clusters of k-means.
    [[nodiscard]] const std::vector<Index>& labels() const { return labels_; }
    /// Mean log likelihood of a row in the last expectation step; before the first, NaN.
    [[nodiscard]] double log_likelihood() const { return log_likelihood_; }

private:
    [[nodiscard]] Expectation empty_expectation() const {
        return {std::vector<ComponentMoments>(static_cast<std::size_t>(options_.components),
                                              ComponentMoments(points_.cols, options_.covariance)),
                0};
    }

    /// Initial components: each row belongs to its cluster of k-means with responsibility 1.
    void start(const Run& run) {
        Run on_cpu = run;
        on_cpu.device = Device::cpu;
        if (run.on_progress) {
            on_cpu.on_progress = [&run](Progress progress) {
                progress.stage = "start";
                progress.cost = std::numeric_limits<double>::quiet_NaN();
                run.on_progress(progress);
            };
        }
        kmeans::Result clusters = kmeans::cluster(points_, {.clusters = options_.components}, on_cpu);
        device::cancellation_point();
        labels_ = std::move(clusters.labels);
        const bool diagonal = options_.covariance == Covariance::diagonal;
        const Square unit =
            diagonal ? Square(Square::Ones(points_.cols, 1)) : Square::Identity(points_.cols, points_.cols);
        for (Index k = 0; k < options_.components; ++k) {
            const auto mean = clusters.centroids.row(k);
            components_.push_back(
                {0, Eigen::Map<const Eigen::VectorXf>(mean.data(), points_.cols).cast<double>(), unit, {}, 0});
        }
        device::ProgressReporter reporter(run, "start", points_.rows);
        Expectation all = empty_expectation();
        Vector scratch;
        for (Index r = 0; r < points_.rows; ++r) {
            device::cancellation_point();
            const auto label = static_cast<std::size_t>(labels_[static_cast<std::size_t>(r)]);
            all.moments[label].add(1, points_.row(r).data(), components_[label].mean, scratch);
        }
        const double variance = kmeans::measure(cpu_, {points_}).variance;
        floor_ = options_.floor * (variance > 0 ? variance : 1);
        maximize(all);
    }

    void maximize(const Expectation& all) {
        std::vector<Component> changed;
        for (std::size_t k = 0; k < components_.size(); ++k) {
            device::cancellation_point();
            changed.push_back(maximized(components_[k], all.moments[k], points_.rows, floor_));
            require(factorize(changed.back()),
                    fmt::format(
                        "floor is {:g}, with which the covariance of component {} is singular in float64: its columns "
                        "are constant or depend on each other; give a larger floor, such as {:g}",
                        options_.floor, k + 1, std::max(1e-6, 100 * options_.floor)));
        }
        components_ = std::move(changed);
    }

    /// Expectation step over all rows: labels and likelihood; returns the moments if `wants_moments`.
    Expectation expect(bool wants_moments) {
        std::vector<Expectation> shares(static_cast<std::size_t>((points_.rows + grain_ - 1) / grain_),
                                        wants_moments ? empty_expectation() : Expectation{});
        std::vector<Index> labels(labels_.size());
        cpu_.blocks(points_.rows, grain_, [&](Offset begin, Offset end, int) {
            Expectation& share = shares[static_cast<std::size_t>(begin / grain_)];
            Vector scratch, logs(options_.components);
            for (Offset r = begin; r < end; ++r) labels[static_cast<std::size_t>(r)] = add_row(r, logs, scratch, share);
        });
        for (std::size_t p = 1; p < shares.size(); ++p) {
            shares[0].log_likelihood += shares[p].log_likelihood;
            for (std::size_t k = 0; k < shares[p].moments.size(); ++k) shares[0].moments[k].add(shares[p].moments[k]);
        }
        labels_.swap(labels);
        log_likelihood_ = shares[0].log_likelihood / points_.rows;
        return std::move(shares[0]);
    }

    /// Adds a row to `share`; returns its likeliest component.
    Index add_row(Offset row, Vector& logs, Vector& scratch, Expectation& share) const {
        const float* x = points_.row(static_cast<Index>(row)).data();
        for (Index k = 0; k < options_.components; ++k) {
            device::cancellation_point();
            logs[k] = components_[static_cast<std::size_t>(k)].log_density(x, scratch);
        }
        Index likeliest = 0;
        const double most = logs.maxCoeff(&likeliest), sum = (logs.array() - most).exp().sum();
        share.log_likelihood += most + std::log(sum);
        for (std::size_t k = 0; k < share.moments.size(); ++k) {
            const double responsibility = std::exp(logs[static_cast<Index>(k)] - most) / sum;
            if (responsibility > 0) share.moments[k].add(responsibility, x, components_[k].mean, scratch);
        }
        return likeliest;
    }

    MatrixView<const float> points_;
    Options options_;
    device::Cpu cpu_;
    Offset parts_, grain_ = 1;
    double floor_ = 0, log_likelihood_ = std::numeric_limits<double>::quiet_NaN();
    std::vector<Component> components_;
    std::vector<Index> labels_;
};

double free_parameters(const Options& o, Index cols) {
    const double covariance = o.covariance == Covariance::diagonal ? cols : 0.5 * cols * (cols + 1.0);
    return o.components - 1.0 + o.components * (cols + covariance);
}

/// Steps until the likelihood changes little; then the labels of the last components.
void iterate(Fit& fit, const Run& run, Result& result) {
    device::ProgressReporter reporter(run, "optimize", result.options.iterations);
    double last = -std::numeric_limits<double>::infinity();
    while (result.iterations < result.options.iterations && result.stopped == Stopped::budget) {
        fit.step();
        const double now = fit.log_likelihood();
        reporter.cost(-now);
        reporter.tick(++result.iterations);
        if (now - last < result.options.tolerance) result.stopped = Stopped::converged;
        last = now;
    }
    fit.finish();
}

void describe(const Fit& fit, MatrixView<const float> points, Result& result) {
    result.labels = fit.labels();
    result.log_likelihood = fit.log_likelihood();
    result.bic = -2 * result.log_likelihood * points.rows +
                 free_parameters(result.options, points.cols) * std::log(static_cast<double>(points.rows));
    std::vector<float> means;
    for (const Component& component : fit.components()) {
        result.shares.push_back(component.share);
        for (const double value : component.mean) means.push_back(static_cast<float>(value));
        const Square whole = component.covariance.cols() == 1
                                 ? component.covariance
                                 : Square(component.covariance.selfadjointView<Eigen::Lower>());
        for (const double value : whole.reshaped()) result.variances.push_back(static_cast<float>(value));
    }
    result.means = Matrix(static_cast<Index>(result.shares.size()), points.cols, std::move(means));
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
    std::optional<Fit> fit;
    const bool done = device::run_cancellable(run.stop, [&] {
        fit.emplace(points, options, run);
        result.seconds["start"] = watch.lap();
        iterate(*fit, run, result);
    });
    if (!done) result.stopped = Stopped::cancelled;
    if (fit) {
        describe(*fit, points, result);
        result.threads = fit->threads();
    }
    result.seconds["optimize"] = watch.lap();
    result.engines = {{"iteration", "expectation-maximization", 0}};
    device::complete(result, Device::cpu, run);
    return result;
}

}  // namespace dunlin::mixture
