// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/plain.hpp"

namespace dunlin::waves {

/// Length of the next step from the estimated errors of this step and of the one before, both relative to the
/// tolerance: a proportional-integral controller for an estimate of order 2 (Hairer, Norsett and Wanner 1993, II.4;
/// Gustafsson 1991).
double next_step(double dt, double error, double error_before);

/// Steps whose estimated error is at most options.tolerance; they end where stimuli begin and end.
void drive_adaptive(PlainEngine& engine, const Problem& problem, const Given& given, const Run& run, Result& result);

/// The first time after t at which a stimulus begins or ends; `forever`: none.
double next_event(const Problem& problem, double t);

}  // namespace dunlin::waves
