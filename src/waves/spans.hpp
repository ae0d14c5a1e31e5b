// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/chebyshev.hpp"

/// The formulas of time integration on consecutive values, for each processor.
namespace dunlin::waves {

/// out = euler(dt, rate, v).
void euler_span(double dt, const double* rate, const double* v, double* out, Offset n);

/// out = heun(v, twice). Returns whether a node may have risen from v to the level (`crossing_sign`).
bool heun_span(double level, const double* v, const double* twice, double* out, Offset n);

/// A stage from value y: difference = chebyshev(stage, ..., last, before, rate, first_rate), out = y + difference.
struct ChebyshevSpans {
    const double *y, *last, *before, *rate, *first_rate;
    double *difference, *out;
};
void chebyshev_span(const ChebyshevStage& stage, double dt, const ChebyshevSpans& spans, Offset n);

/// True if all values have the bits of `value`.
bool all_equal(const double* values, double value, Offset n);

/// Sets the times of nodes that rise to `level` in the step that begins at `begin`, unless they have one.
void activate_span(double begin, double dt, double level, const double* before, const double* after, double* times,
                   Offset n);

}  // namespace dunlin::waves
