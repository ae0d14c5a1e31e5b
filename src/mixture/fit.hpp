// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "mixture/expectation.hpp"

namespace dunlin::mixture {

/// What an iteration begins with.
struct FitState {
    std::vector<Component> components;  ///< none: not started
    Vector floors = {};                 ///< added to the variances of the columns
    int iterations = 0;
    bool converged = false;
    double log_likelihood = std::numeric_limits<double>::quiet_NaN();  ///< of a row, in the last expectation step
};

/// Where the sums of all rows come from. Functions throw progress::Cancelled if stopped.
class ExpectationSource {
public:
    ExpectationSource() = default;
    virtual ~ExpectationSource() = default;
    ExpectationSource(const ExpectationSource&) = delete;
    ExpectationSource& operator=(const ExpectationSource&) = delete;
    ExpectationSource(ExpectationSource&&) = delete;
    ExpectationSource& operator=(ExpectationSource&&) = delete;

    /// The cells of these rows, row by row.
    virtual std::vector<float> values(const std::vector<Offset>& rows) = 0;
    /// Each row belongs to the component with the nearest of the means, which are the centroids of k-means.
    virtual Expectation nearest(const std::vector<Component>& components) = 0;
    virtual Expectation expect(const std::vector<Component>& components, bool moments) = 0;
    /// After the start and after each iteration.
    virtual void completed(const FitState&) {}
};

/// The run of k-means for the initial components on a device; its progress is that of the stage "start".
Run run_of_start(const Run& run, Device device);

/// Shares but one, means, and variances and covariances.
Offset free_parameters(const Options& options, Index cols);

/// Throws Error{bad_input} for options outside their range or more components than rows.
void check(const Options& options, Offset rows);

/// Fills in all of a result but the labels.
void describe(const FitState& state, const Options& options, Offset rows, Index cols, Result& result);

/// Expectation maximization. If cancelled, the state is that of the last completed iteration.
class Fit {
public:
    /// cpu: where components are maximized.
    Fit(device::Cpu& cpu, ExpectationSource& source, const Options& options, Offset rows, FitState state = {});

    /// The components of the clusters of k-means.
    void start(MatrixView<const float> centroids);
    /// Steps until the likelihood changes little; then the labels of the last components.
    void iterate(const Run& run, Outcome<Options>& outcome);

    [[nodiscard]] const FitState& state() const { return state_; }
    /// Fills in all but the labels.
    void describe(Index cols, Result& result) const { mixture::describe(state_, options_, rows_, cols, result); }

private:
    /// The components of the maximization step after these.
    [[nodiscard]] std::vector<Component> maximize(const std::vector<Component>& before, const Expectation& all);
    /// Components of a block of a loop over all.
    [[nodiscard]] Offset block_of(const std::vector<Component>& components) const;
    /// Factorizes their covariances.
    void factorize_all(std::vector<Component>& components);

    device::Cpu& cpu_;
    ExpectationSource& source_;
    Options options_;
    Offset rows_;
    FitState state_;
};

}  // namespace dunlin::mixture
