// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "waves/formulas.hpp"

/// Runge-Kutta-Chebyshev of order 2 (Sommeijer, Shampine and Verwer 1997) with damping 2/13, in differences to the
/// value y at the begin of the step, so that a state at rest stays as it is:
///   d_1 = mu_rate h F(y),   d_j = mu d_{j-1} + nu d_{j-2} + mu_rate h F(y + d_{j-1}) + first_rate h F(y).
namespace dunlin::waves {

struct ChebyshevStage {
    double mu = 0, nu = 0, mu_rate = 0, first_rate = 0;
};

/// Stages 1 to s, s >= 2.
std::vector<ChebyshevStage> chebyshev_stages(int s);

/// Length of the stability interval on the negative real axis.
double chebyshev_extent(int s);

/// The smallest number of stages, at least 2, whose interval holds `extent`.
int chebyshev_count(double extent);

constexpr int max_chebyshev_stages = 256;

/// d_j from the two before and the rates at d_{j-1} and at y.
DUNLIN_INLINE DUNLIN_HD double chebyshev(const ChebyshevStage& stage, double dt, double last, double before,
                                         double rate, double first_rate) {
    const double moved = fused(stage.mu, last, product(stage.nu, before));
    return fused(dt, fused(stage.mu_rate, rate, product(stage.first_rate, first_rate)), moved);
}

/// Estimated error of a step from y to `next`: 0.8 (y - next) + 0.4 h (F(y) + F(next)).
DUNLIN_INLINE DUNLIN_HD double chebyshev_error(double dt, double y, double next, double rate, double next_rate) {
    return fused(product(0.4, dt), sum(rate, next_rate), product(0.8, difference(y, next)));
}

}  // namespace dunlin::waves
