// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/formulas.hpp"

namespace dunlin::kmeans {

/// Scales row i to length 1.
struct ToUnit {
    float* rows;
    Index cols;
    __device__ void operator()(Offset i) const { scale_to_unit(rows + i * cols, cols); }
};

}  // namespace dunlin::kmeans
