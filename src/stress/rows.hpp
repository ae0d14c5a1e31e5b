// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "stress/terms.hpp"

/// Sums over a run of pairs of one item, compiled once per generation of processors (rows_simd.cpp). Up to 256 terms
/// are added in float32.
namespace dunlin::stress {

/// Pairs of one item with `count` others.
struct PairRow {
    const float* delta;         ///< count; NaN: missing
    const float* weight;        ///< count; null: 1 each
    const float* const* other;  ///< coordinates of the others, an array of `count` for each of dim axes
    const float* own;           ///< dim coordinates of the item
    int dim;
    Index count;
};

/// force[c] += sum of strength (own - other)[c] (majorization_term): minus half of the gradient of stress. Returns the
/// sum of w (d - delta)^2.
double add_force(const PairRow& row, double* force);

/// add_force() in 1, 2 or 3 dimensions, for weighted pairs of which none is missing. Returns the sum of w. One pass
/// over the pairs.
double add_force_and_weight(const PairRow& row, double* force);

/// Sums of stress_terms over the pairs; weights are not used.
StressSums stress_sums(const PairRow& row);

}  // namespace dunlin::stress
