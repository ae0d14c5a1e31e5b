// SPDX-License-Identifier: Apache-2.0
#include "mixture/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <dunlin/error.hpp>

#include "mixture/floors.hpp"
#include "options/check.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::mixture {

Run run_of_start(const Run& run, Device device) {
    Run start = run;
    start.device = device;
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

Fit::Fit(device::Cpu& cpu, ExpectationSource& source, const Options& options, Offset rows, FitState state)
    : cpu_(cpu), source_(source), options_(options), rows_(rows), state_(std::move(state)) {}

void Fit::start(MatrixView<const float> centroids) {
    const Index cols = centroids.cols;
    const Covariance form = options_.covariance;
    Square unit;  // the covariance of a cluster without rows
    if (form == Covariance::full) unit = Square::Identity(cols, cols);
    if (form == Covariance::diagonal || form == Covariance::spherical) unit = Square::Ones(cols, 1);
    std::vector<Component> clusters;
    clusters.reserve(static_cast<std::size_t>(centroids.rows));
    for (Index k = 0; k < centroids.rows; ++k) {
        clusters.push_back(
            {0, Eigen::Map<const Eigen::VectorXf>(centroids.row(k).data(), cols).cast<double>(), unit, {}, 0});
    }
    state_.floors = floors_of(source_.values(rows_to_measure(rows_)), cols, options_);
    state_.components = maximize(clusters, source_.nearest(clusters));
    source_.completed(state_);
}

Offset Fit::block_of(const std::vector<Component>& components) const {
    return components_of_a_block(static_cast<Index>(components.front().mean.size()), options_.covariance);
}

std::vector<Component> Fit::maximize(const std::vector<Component>& before, const Expectation& all) {
    const auto n = static_cast<double>(rows_);
    std::vector<Component> changed(before.size());
    const auto maximize_one = [&](Offset at) {
        const auto k = static_cast<std::size_t>(at);
        changed[k] = maximized(before[k], all.moments[k], n, state_.floors, options_.covariance);
    };
    cpu_.each(static_cast<Offset>(before.size()), maximize_one, block_of(before));
    if (options_.covariance == Covariance::tied) {
        changed.front().covariance = tied_covariance(before, changed, all.pooled, n, state_.floors);
    }
    factorize_all(changed);
    return changed;
}

void Fit::factorize_all(std::vector<Component>& components) {
    const bool tied = options_.covariance == Covariance::tied;
    const std::size_t count = tied ? 1 : components.size();
    std::vector<char> singular(count);
    const auto factorize_one = [&](Offset at) {
        const auto k = static_cast<std::size_t>(at);
        singular[k] = factorize(components[k]) ? 0 : 1;
    };
    cpu_.each(static_cast<Offset>(count), factorize_one, block_of(components));
    const auto first = std::find(singular.begin(), singular.end(), 1);
    if (first != singular.end()) {
        const std::string of = tied ? "all components" : fmt::format("component {}", first - singular.begin() + 1);
        throw Error(
            Fault::bad_input,
            fmt::format("floor is {:g}, with which the covariance of {} is singular in float64: its columns are "
                        "constant or depend on each other; give a larger floor, such as {:g}",
                        options_.floor, of, std::max(1e-6, 100 * options_.floor)),
            {.option = "floor"});
    }
    if (!tied) return;
    for (Component& component : components) component.log_scale = log_scale_beside(components.front(), component.share);
}

void Fit::iterate(const Run& run, Outcome<Options>& outcome) {
    progress::ProgressReporter reporter(run, "optimize", options_.iterations);
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

Offset free_parameters(const Options& options, Index cols) {
    const Offset k = options.components, matrix = Offset{cols} * (cols + 1) / 2;
    const Offset covariances = options.covariance == Covariance::full        ? k * matrix
                               : options.covariance == Covariance::tied      ? matrix
                               : options.covariance == Covariance::spherical ? k
                                                                             : k * cols;
    return k - 1 + k * cols + covariances;
}

namespace {

/// Nothing for tied components after the first.
void append_covariance(const Square& covariance, Covariance form, std::vector<double>& variances) {
    if (covariance.size() == 0) return;
    if (form == Covariance::spherical) return variances.push_back(covariance(0, 0));
    const Square whole = covariance.cols() == 1 ? covariance : Square(covariance.selfadjointView<Eigen::Lower>());
    for (const double value : whole.reshaped()) variances.push_back(value);
}

}  // namespace

void describe(const FitState& state, const Options& options, Offset rows, Index cols, Result& result) {
    const auto n = static_cast<double>(rows);
    const auto parameters = static_cast<double>(free_parameters(options, cols));
    result.log_likelihood = state.log_likelihood;
    result.shares.clear(), result.variances.clear();
    result.bic = -2 * result.log_likelihood * n + parameters * std::log(n);
    result.aic = -2 * result.log_likelihood * n + 2 * parameters;
    std::vector<float> means;
    for (const Component& component : state.components) {
        result.shares.push_back(component.share);
        for (const double value : component.mean) means.push_back(static_cast<float>(value));
        append_covariance(component.covariance, options.covariance, result.variances);
    }
    result.floored = floored_columns(state.components, state.floors, options.covariance);
    result.means = Matrix(static_cast<Index>(result.shares.size()), cols, std::move(means));
}

}  // namespace dunlin::mixture
