// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/mds.hpp>

/// When forces have done their work: what is heard of an iteration (a mean speed, a stress) is noisy, so it goes
/// through a low-pass filter first.
namespace dunlin::mds {

/// A sinc in a Hann window, which passes what takes longer than half the window; the sum is 1.
std::vector<double> low_pass(int taps);

/// One stage's iterations, heard one by one.
class FilteredStoppingRule {
public:
    /// velocity: Glimmer's draft, 21 taps; stress: the journal version, 50 taps.
    explicit FilteredStoppingRule(Until until);

    void hear(double value);

    /// velocity: over ten iterations, in none of which it rose, the filtered signal fell by at most `share` of its
    /// highest value; stress: in each of them it changed by less than 1e-4. Never before the filter's window is full.
    [[nodiscard]] bool settled(double share) const;

    [[nodiscard]] const std::vector<double>& filtered() const { return filtered_; }

private:
    Until until_;
    std::vector<double> taps_, raw_, filtered_;
    double highest_ = 0;
};

}  // namespace dunlin::mds
