// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/at.hpp"
#include "numerics/selection.cuh"
#include "progress/stopwatch.hpp"
#include "spanning/cuda/span.cuh"
#include "spanning/tree_spanning.hpp"

namespace dunlin::spanning {

template <Norm norm, Index Cols>
SpannedOnGpu span_columns(device::Cuda& cuda, MatrixView<const float> points, Index k, double scale) {
    static_assert(sizeof(Coordinates<Cols>) == Cols * sizeof(float));
    progress::Stopwatch watch;
    device::CudaBuffer<Coordinates<Cols>> rows(at(points.rows), cuda.stream());
    cuda.copy_in(rows.data(), points.data, at(points.size()) * sizeof(float));
    TreeSpanning<device::Cuda, norm, Cols> spanning(cuda, rows, k, scale);
    rows = {};
    SpannedOnGpu result;
    result.core = spanning.find_nearest();
    cuda.wait();
    result.seconds = watch.lap();
    result.edge_count = spanning.run_rounds(cuda.run(), result.edges);
    return result;
}

template <Norm norm>
SpannedOnGpu span_by(device::Cuda& cuda, MatrixView<const float> points, Index k, double scale) {
    switch (points.cols) {
        case 1:
            return span_columns<norm, 1>(cuda, points, k, scale);
        case 2:
            return span_columns<norm, 2>(cuda, points, k, scale);
        case 3:
            return span_columns<norm, 3>(cuda, points, k, scale);
        default:
            return span_columns<norm, 4>(cuda, points, k, scale);
    }
}

}  // namespace dunlin::spanning
