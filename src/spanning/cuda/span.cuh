// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "hierarchy/merge_tree.hpp"
#include "spanning/keys.hpp"

/// Compiled without fused multiply-add (cmake/kernels.cmake): keys have the bits of the CPU's, and bounds of boxes
/// hold.
namespace dunlin::spanning {

/// Keys of core distances, per point, and a spanning tree of the points with keys as weights, in device memory.
struct SpannedOnGpu {
    device::CudaBuffer<double> core;
    device::CudaBuffer<hierarchy::Edge> edges;
    Index edge_count = 0;  ///< points - 1 unless weights are infinite
    double seconds = 0;    ///< of the search for neighbors
};

/// The spanning tree of all pairs (boruvka.hpp) of at least two points in 1 to 4 columns by one norm; 1 <= k <=
/// most_nearest + 1.
SpannedOnGpu span_by_squares(device::Cuda& cuda, MatrixView<const float> points, Index k, double scale);
SpannedOnGpu span_by_absolutes(device::Cuda& cuda, MatrixView<const float> points, Index k, double scale);

}  // namespace dunlin::spanning
