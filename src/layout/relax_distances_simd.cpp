// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/clones.hpp"
#include "layout/sparse_stress.hpp"

namespace dunlin::layout {

DUNLIN_CLONES void relax_by(float length, const float* __restrict from, float* __restrict to, Index count) {
    for (Index p = 0; p < count; ++p) to[p] = std::min(to[p], from[p] + length);
}

}  // namespace dunlin::layout
