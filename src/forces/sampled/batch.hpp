// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

namespace dunlin::forces {

constexpr Index sampled_batch = 64;

/// Adds the forces of up to sampled_batch points on the point at `place` to sum[0 .. W): in float within the batch.
template <class Law, int W>
void add_repulsion(const Law& law, const float* y, const float* place, const Index* points, Index count, double* sum);

/// Sum of the law's potential at `place` over `count` rows of y.
template <class Law, int W>
float sum_potentials(const Law& law, const float* y, const float* place, Index count);

}  // namespace dunlin::forces
