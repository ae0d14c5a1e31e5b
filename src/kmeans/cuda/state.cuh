// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "kmeans/formulas.hpp"
#include "kmeans/lloyd.hpp"
#include "kmeans/rows.hpp"
#include "kmeans/stopping_rule.hpp"

namespace dunlin::kmeans {

/// Device sums are added to by atomics, which know unsigned numbers only; in two's complement the bits are the same.
using Bits = unsigned long long;

/// How iterations went on, or why they did not.
enum class Reason : int { going_on, converged, emptied };

/// Where a run of iterations is; in device memory while it runs.
struct LoopState {
    int iterations = 0;
    Reason reason = Reason::going_on;
    Index empty = 0;                 ///< clusters without weight
    double inertia = INFINITY;       ///< before the last move, where it is looked at
    double next_inertia = INFINITY;  ///< of the labels as they are, where it stopped before the move
};

/// Points, or some of them, clusters and sums in device memory. Sums: of each cluster cols sums of coordinates, then of
/// weights.
struct DeviceState {
    device::CudaBuffer<float> rows, weights;  ///< cosine: rows have length 1; no weights: all are 1
    device::CudaBuffer<float> centroids;
    device::CudaBuffer<Bits> sums;
    device::CudaBuffer<double> scales;  ///< cols + 1, the last of the weights
    device::CudaCell<LoopState> progress;
    Index n = 0, cols = 0, clusters = 0;
    Offset first = 0;  ///< of all rows, the number of the first here
    Metric metric = Metric::euclidean;
};

/// Adds to a sum in device or shared memory.
__device__ inline void add_to(Bits* sum, Sum value) { atomicAdd(sum, static_cast<Bits>(value)); }

/// A cluster's new centroid from its sums, in place; returns the square of its move. By one thread.
__device__ inline double move_centroid(const Bits* sums, const double* scales, Index cols, Metric metric,
                                       float* centroid, float* old) {
    const Sum weight = static_cast<Sum>(sums[cols]);
    if (weight == 0) return 0;
    for (Index c = 0; c < cols; ++c) {
        old[c] = centroid[c];
        centroid[c] = mean_of(static_cast<Sum>(sums[c]), scales[c], weight, scales[cols]);
    }
    if (metric == Metric::cosine) scale_to_unit(centroid, cols);
    return squared_distance_of(centroid, old, cols);
}

}  // namespace dunlin::kmeans
