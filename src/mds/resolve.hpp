// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/mds.hpp>

namespace dunlin::mds {

/// True for methods with spring forces among a few partners: stochastic, gpu_sf, glimmer, hybrid.
bool moves_by_forces(Method method);
/// True for dunlin and smacof.
bool minimizes_stress(Method method);
/// True for all methods but classical, landmark and pivot, which have no intermediate maps.
bool is_iterative(Method method);

/// Resolves every default for these items. Throws Error{bad_input} for invalid values, for inputs that the method would
/// ignore, and for a start, fixed map or weights that do not fit.
Options resolve(const Dissimilarities& items, Options options, const Given& given);

/// Throws Error{bad_input}, naming the entry, for weights that are not n x n, symmetric and at least 0.
void check_weights(const Matrix& weights, Index n);

/// Default number of annealing steps of n items: a budget of 130 million pairs at 12 pairs per item and step, clamped
/// to [60, 16,000].
int annealed_steps(Index n);

}  // namespace dunlin::mds
