// SPDX-License-Identifier: Apache-2.0
#include "spanning/cuda/columns.cuh"

namespace dunlin::spanning {

SpannedOnGpu span_by_squares(device::Cuda& cuda, MatrixView<const float> points, Index k, double scale) {
    return span_by<Norm::l2>(cuda, points, k, scale);
}

}  // namespace dunlin::spanning
