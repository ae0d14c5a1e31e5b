// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "forces/law.hpp"

namespace dunlin::forces {

/// Sum of the law's potential at |y_l - point|^2 over `count` points l, whose coordinates are in `dim` columns, dim 2
/// or
/// 3. Terms are float32; runs of up to 512 are summed in float32, and the runs in double.
template <class Law>
double potential_at(const Law& law, const float* const* column, int dim, const float* point, Index count);

}  // namespace dunlin::forces
