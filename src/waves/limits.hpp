// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/formulas.hpp"

/// Largest stable steps of the explicit schemes.
namespace dunlin::waves {

/// A real 2 x 2 matrix.
struct Jacobian {
    double vv, vw, wv, ww;
};

/// Derivative of v(1 - v)(v - a).
double cubic_slope(double threshold, double v);

/// The largest dt with |1 + dt lambda| <= 1 for both eigenvalues; infinity if one does not decay (it grows in the
/// equation, too) or both are 0.
double stable_step(const Jacobian& jacobian);

/// Interval of v, and the largest |w|, for which a step must be stable.
struct ValueRange {
    double low = 0, high = 1, recovery = 1;
};

/// Largest rate of the reaction alone in this range: of v toward its fixed points, of gray-scott's species.
double reaction_rate(Model model, const Coefficients& c, const ValueRange& range);

/// Limit of euler and heun with the reaction: the smallest stable step of the linearized equation at the ends of the
/// range, for the smoothest mode and that of the largest eigenvalue `bound` of the negative Laplacian. Diffusion alone
/// would give 2 / (D bound).
double explicit_limit(Model model, const Coefficients& c, double bound, const ValueRange& range);

}  // namespace dunlin::waves
