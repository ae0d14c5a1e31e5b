// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/sparse.hpp>

#include "math/direction.hpp"

namespace dunlin::distance {

/// Space::key of two sparse rows of `cols` columns with these directions (scale 1 for metrics that do not normalize).
double sparse_key(neighbors::Metric metric, Index cols, SparseRow x, math::Direction of_x, SparseRow y,
                  math::Direction of_y);

}  // namespace dunlin::distance
