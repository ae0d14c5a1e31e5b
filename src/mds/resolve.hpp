// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/mds.hpp>

namespace dunlin::mds {

/// Methods that move items by the forces of a few partners each: stochastic, gpu_sf, glimmer and hybrid.
bool moves_by_forces(Method method);
/// dunlin and smacof.
bool minimizes_stress(Method method);
/// All but classical, landmark and pivot, which have no map before their end.
bool is_iterative(Method method);

/// The options with every rule resolved for these items. Throws Error{bad_input} for values that cannot be, for what
/// the method does not look at, and for a start or weights that do not fit.
Options resolve(const Dissimilarities& items, Options options, const Given& given);

/// Throws Error{bad_input} with the place for weights that are not n x n, symmetric and at least 0.
void check_weights(const Matrix& weights, Index n);

/// Annealed steps of n items: as many as 130 million pairs allow, of which a step moves 12 an item; 60 to 16,000.
int annealed_steps(Index n);

}  // namespace dunlin::mds
