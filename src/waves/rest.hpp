// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "waves/problem.hpp"

namespace dunlin::waves {

/// How far values are from each other, and the largest magnitude of one.
struct Size {
    double scale = 1, magnitude = 1;
};

/// Size of the problem, enlarged to that of the values `v`: a current may drive them away from the start. Empty `v`:
/// only that of the problem.
Size size_of(const Problem& problem, std::span<const double> v);

enum class RestPace { moves, rests, stuck };

/// Whether a run is at rest, from its fastest rates at two looks.
///
/// Rates that decay as exp(-t / tau) leave rate * tau to go, which has the unit of values and none of time. Diffusion
/// is at rest where that is below `rest` of the scale of values. A reaction has its own units, 1 for both: it is at
/// rest where no rate is above `rest`, unless the rate hardly changes between looks, which is a drift to a place far
/// away.
class RestWatch {
public:
    /// A look at time t. dt: a step. stuck: increments are below the rounding of the values, which stay as they are.
    RestPace look(const Problem& problem, const Size& size, double t, double dt, double rate) {
        if (t != time_) before_ = rate_, since_ = t - time_;  // else a run that was resumed looks again
        rate_ = rate, time_ = t;
        const double rest = problem.options.rest;
        const double rounding = std::numeric_limits<double>::epsilon() * size.magnitude;
        if (rate <= (rest > 0 ? rounding * std::max(problem.stiffness, 1 / dt) : 0)) return RestPace::stuck;
        if (before_ <= 0) return RestPace::moves;
        const double to_go = rate * since_ / std::log(before_ / rate);
        constexpr double far = 0.01;
        const bool rests = problem.options.model == Model::diffusion ? to_go >= 0 && to_go <= rest * size.scale
                                                                     : rate <= rest && std::abs(to_go) <= far;
        return rests ? RestPace::rests : RestPace::moves;
    }

    /// Whether its numbers can be those of a run.
    [[nodiscard]] bool fits() const { return std::isfinite(rate_ + time_ + before_ + since_); }

private:
    double rate_ = 0, time_ = 0, before_ = 0, since_ = 0;
};

/// Whether diffusion has no input from time t on, so that it ends with one value in each connected component.
bool evens_out(const Problem& problem, double t);

/// The largest difference of values within a connected component.
double spread_of(const Problem& problem, std::span<const double> v);

}  // namespace dunlin::waves
