// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/formulas.hpp"

/// The trapezoid rule (Crank-Nicolson) for one node, with w eliminated exactly:
///   w' = kept w + gained (v + v'),  kept = (1 - z) / (1 + z),  gained = (dt epsilon / 2) / (1 + z),  z = dt epsilon
///   gamma / 2.
/// Newton's method solves J dv = g for v' = v' + dv with the rows (-coupling, diagonal - f'(v') / 2, -coupling).
namespace dunlin::waves {

struct ImplicitConstants {
    double threshold, one_plus_threshold;
    double inverse_dt;
    double linear;        ///< 1 / dt + gained / 2
    double coupling;      ///< D / (2 dx^2)
    double diagonal;      ///< linear + 2 coupling
    double kept, gained;  ///< of the elimination of w
    double reaction;      ///< 1/2, or 0 for diffusion
};

/// `diffusion`: D / dx^2.
inline ImplicitConstants implicit_constants(Model model, const Coefficients& c, double diffusion, double dt) {
    const bool recovers = has_recovery(model);
    const double decay = dt * c.epsilon * c.gamma / 2;
    const double kept = recovers ? (1 - decay) / (1 + decay) : 1;
    const double gained = recovers ? dt * c.epsilon / 2 / (1 + decay) : 0;
    const double linear = 1 / dt + gained / 2, coupling = diffusion / 2;
    return {.threshold = c.threshold,
            .one_plus_threshold = c.one_plus_threshold,
            .inverse_dt = 1 / dt,
            .linear = linear,
            .coupling = coupling,
            .diagonal = linear + 2 * coupling,
            .kept = kept,
            .gained = gained,
            .reaction = model == Model::diffusion ? 0.0 : 0.5};
}

/// f(v) = v(1 - v)(v - a) and its derivative.
DUNLIN_INLINE DUNLIN_HD double cubic_of(const ImplicitConstants& c, double v) { return cubic_plus(c, v, 0.0); }
DUNLIN_INLINE DUNLIN_HD double slope_of(const ImplicitConstants& c, double v) {
    return fused(v, fused(-3.0, v, product(2.0, c.one_plus_threshold)), -c.threshold);
}

/// The largest slope, at v = (1 + a) / 3.
inline double steepest(double threshold) { return (1 - threshold + threshold * threshold) / 3; }

/// The part of w' that the start of a step gives: w' = half + gained v'.
DUNLIN_INLINE DUNLIN_HD double half_recovery(const ImplicitConstants& c, double v, double w) {
    return fused(c.kept, w, product(c.gained, v));
}
/// The side of the equation that the start of a step gives. `current`: mean over the step.
DUNLIN_INLINE DUNLIN_HD double known_of(const ImplicitConstants& c, double v, double w, double half, double laplacian,
                                        double current) {
    const double source = fused(-0.5, sum(w, half), current);
    return fused(c.inverse_dt, v, fused(c.coupling, laplacian, fused(c.reaction, cubic_of(c, v), source)));
}
/// g at the iterate v; 0 at the solution.
DUNLIN_INLINE DUNLIN_HD double residual_of(const ImplicitConstants& c, double known, double v, double laplacian) {
    return fused(c.reaction, cubic_of(c, v), fused(c.coupling, laplacian, fused(-c.linear, v, known)));
}
DUNLIN_INLINE DUNLIN_HD double diagonal_of(const ImplicitConstants& c, double v) {
    return fused(-c.reaction, slope_of(c, v), c.diagonal);
}

/// Newton's method ends when no value changes by more than this.
constexpr double newton_tolerance = 1e-12;
constexpr int max_newton = 50;

}  // namespace dunlin::waves
