// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/hd.hpp"
#include "math/root.hpp"

/// Formulas of one pair of items of stress, sum over pairs of w (d - delta)^2: d is their distance in the map, delta
/// the one they should have (NaN: missing), w a weight. Both for layout and for mds, on a CPU and on a GPU.
namespace dunlin::stress {

/// Items whose squared distance is below this coincide. It is the least float whose reciprocal root exists on every
/// device.
constexpr float min_square = 0x1p-126F;

/// 1 / sqrt(d2), 0 for items that coincide.
DUNLIN_HD inline float inverse_distance(float d2) { return d2 >= min_square ? math::reciprocal_root(d2) : 0.0F; }

/// The usual weight of a pair, delta^-2, times `count`.
template <class Real>
DUNLIN_HD constexpr Real inverse_square(Real delta, Real count = 1) {
    return count / (delta * delta);
}

// Stochastic gradient descent (Zheng, Pawar and Goodman 2018)

/// A learning rate, weight times eta; above 1 a step would overshoot (their section 2.1).
DUNLIN_HD inline float capped_rate(float rate) { return rate < 1.0F ? rate : 1.0F; }

/// The fraction of the line between two items by which each of them moves along it: toward the other, or away where it
/// is negative. At a `rate` of 1 they are at distance delta afterwards. 0 for items that coincide and where delta is
/// missing.
DUNLIN_HD inline float pair_step(float d2, float delta, float rate) {
    const bool apart = d2 >= min_square;
    const float inverse = inverse_distance(d2);
    return delta >= 0 && apart ? 0.5F * rate * (1.0F - delta * inverse) : 0.0F;
}

// Majorization (SMACOF; Borg and Groenen 2005, ch. 8; of one item at a time: Gansner, Koren and North 2004). The step
// of item i, its Guttman transform, is
//     sum_j strength_ij (y_i - y_j) / sum_j w_ij.

/// w (delta / d - 1), which is -w for items that coincide; inverse: inverse_distance. delta is known.
DUNLIN_HD inline float strength(float inverse, float delta, float w) { return w * (delta * inverse - 1.0F); }

/// Terms of one pair, 0 where delta is missing.
struct MajorizationTerm {
    float strength;
    float error2;  ///< w (d - delta)^2
};
DUNLIN_HD inline MajorizationTerm majorization_term(float d2, float delta, float w) {
    const float inverse = inverse_distance(d2), error = d2 * inverse - delta;
    const bool known = delta >= 0;
    return {known ? strength(inverse, delta, w) : 0.0F, known ? w * error * error : 0.0F};
}

/// The four sums from which every stress follows without cancellation: terms of one pair, 0 where delta is missing.
struct StressTerms {
    float error2;   ///< (d - delta)^2
    float d2;       ///< d^2
    float d_error;  ///< d (d - delta)
    float delta2;   ///< delta^2
};
DUNLIN_HD inline StressTerms stress_terms(float d2, float delta) {
    const bool known = delta >= 0;
    const float d = math::root(d2), error = d - delta;
    return {known ? error * error : 0.0F, known ? d2 : 0.0F, known ? d * error : 0.0F, known ? delta * delta : 0.0F};
}

/// Their sums over pairs.
struct StressSums {
    double error2 = 0, d2 = 0, d_error = 0, delta2 = 0;

    DUNLIN_HD StressSums& operator+=(const StressSums& more) {
        error2 += more.error2;
        d2 += more.d2;
        d_error += more.d_error;
        delta2 += more.delta2;
        return *this;
    }
};

}  // namespace dunlin::stress
