// SPDX-License-Identifier: Apache-2.0
#include "mixture/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <dunlin/error.hpp>

#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "options/check.hpp"

namespace dunlin::mixture {

Run run_of_start(const Run& run) {
    Run start = run;
    start.device = Device::cpu;
    if (run.on_progress) {
        start.on_progress = [&run](Progress progress) {
            progress.stage = "start";
            progress.cost = std::numeric_limits<double>::quiet_NaN();
            run.on_progress(progress);
        };
    }
    return start;
}

void check(const Options& o, Offset rows) {
    options::check(o);
    if (o.components <= rows) return;
    throw Error(Fault::bad_input,
                fmt::format("components is {}, but there are {} points; it must be at most that", o.components, rows),
                {.option = "components"});
}

Fit::Fit(ExpectationSource& source, const Options& options, Offset rows, FitState state)
    : source_(source), options_(options), rows_(rows), state_(std::move(state)) {}

void Fit::start(MatrixView<const float> centroids, double variance) {
    const Index cols = centroids.cols;
    const bool diagonal = options_.covariance == Covariance::diagonal;
    const Square unit = diagonal ? Square(Square::Ones(cols, 1)) : Square::Identity(cols, cols);
    std::vector<Component> clusters;
    clusters.reserve(static_cast<std::size_t>(centroids.rows));
    for (Index k = 0; k < centroids.rows; ++k) {
        clusters.push_back(
            {0, Eigen::Map<const Eigen::VectorXf>(centroids.row(k).data(), cols).cast<double>(), unit, {}, 0});
    }
    state_.floor = options_.floor * (variance > 0 ? variance : 1);
    state_.components = maximize(clusters, source_.nearest(clusters));
    source_.completed(state_);
}

std::vector<Component> Fit::maximize(const std::vector<Component>& before, const Expectation& all) const {
    std::vector<Component> changed;
    for (std::size_t k = 0; k < before.size(); ++k) {
        device::cancellation_point();
        changed.push_back(maximized(before[k], all.moments[k], static_cast<double>(rows_), state_.floor));
        if (factorize(changed.back())) continue;
        throw Error(Fault::bad_input,
                    fmt::format("floor is {:g}, with which the covariance of component {} is singular in float64: its "
                                "columns are constant or depend on each other; give a larger floor, such as {:g}",
                                options_.floor, k + 1, std::max(1e-6, 100 * options_.floor)),
                    {.option = "floor"});
    }
    return changed;
}

void Fit::iterate(const Run& run, Outcome<Options>& outcome) {
    device::ProgressReporter reporter(run, "optimize", options_.iterations);
    outcome.iterations = state_.iterations;
    while (outcome.iterations < options_.iterations && !state_.converged) {
        const double last = state_.iterations == 0 ? -std::numeric_limits<double>::infinity() : state_.log_likelihood;
        const Expectation all = source_.expect(state_.components, true);
        state_.log_likelihood = all.log_likelihood / static_cast<double>(rows_);
        state_.components = maximize(state_.components, all);
        reporter.cost(-state_.log_likelihood);
        reporter.tick(outcome.iterations = ++state_.iterations);
        state_.converged = state_.log_likelihood - last < options_.tolerance;
        source_.completed(state_);
    }
    if (state_.converged) outcome.stopped = Stopped::converged;
    state_.log_likelihood = source_.expect(state_.components, false).log_likelihood / static_cast<double>(rows_);
}

double Fit::free_parameters(Index cols) const {
    const double covariance = options_.covariance == Covariance::diagonal ? cols : 0.5 * cols * (cols + 1.0);
    return options_.components - 1.0 + options_.components * (cols + covariance);
}

void Fit::describe(Index cols, Result& result) const {
    const auto n = static_cast<double>(rows_);
    result.log_likelihood = state_.log_likelihood;
    result.bic = -2 * result.log_likelihood * n + free_parameters(cols) * std::log(n);
    std::vector<float> means;
    for (const Component& component : state_.components) {
        result.shares.push_back(component.share);
        for (const double value : component.mean) means.push_back(static_cast<float>(value));
        const Square whole = component.covariance.cols() == 1
                                 ? component.covariance
                                 : Square(component.covariance.selfadjointView<Eigen::Lower>());
        for (const double value : whole.reshaped()) result.variances.push_back(static_cast<float>(value));
    }
    result.means = Matrix(static_cast<Index>(result.shares.size()), cols, std::move(means));
}

}  // namespace dunlin::mixture
