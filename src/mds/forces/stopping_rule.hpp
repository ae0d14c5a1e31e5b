// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/mds.hpp>

/// Stopping rule of the spring methods. The statistic of an iteration (mean speed or stress) is noisy, so the rule
/// applies to the low-pass-filtered series.
namespace dunlin::mds {

/// Low-pass filter: sinc in a Hann window, normalized to sum 1; passes periods longer than half the window.
std::vector<double> low_pass(int taps);

/// The series of one stage, one value per iteration.
class FilteredStoppingRule {
public:
    /// velocity: 21 taps (Glimmer's draft); stress: 50 taps (journal version).
    explicit FilteredStoppingRule(Until until);

    void add(double value);

    /// velocity: over ten iterations the filtered value never rose and fell by at most `fraction` of its maximum.
    /// stress: in each of ten iterations it changed by less than 1e-4. False until the window of the filter is full.
    [[nodiscard]] bool is_met(double fraction) const;

    [[nodiscard]] const std::vector<double>& filtered() const { return filtered_; }

private:
    Until until_;
    std::vector<double> taps_, raw_, filtered_;
    double highest_ = 0;
};

/// Shortens the steps of a stage. Random sets pull the items to and fro, so that at a constant step speeds do not fall
/// below what the stress that is left gives them: a tenth of the highest on many data. From the iteration on where the
/// stress over the pairs of the iterations falls by at most 1% while their number doubles, steps halve every 32
/// iterations, and the speeds with them.
class ShrinkingSteps {
public:
    /// interval: of the iterations one in so many has a stress.
    explicit ShrinkingSteps(int interval) : interval_(static_cast<std::size_t>(interval)) {}

    void add(double stress);

    /// Share of the full step that the next iteration takes.
    [[nodiscard]] double share() const;

private:
    /// Mean stress of iterations [from, to).
    [[nodiscard]] double mean(std::size_t from, std::size_t to) const;

    std::size_t interval_, next_look_ = 512, shrinking_ = 0;  ///< shrinking_: the first iteration; 0: not yet
    std::vector<double> stresses_;
};

}  // namespace dunlin::mds
