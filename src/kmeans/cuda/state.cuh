// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "kmeans/formulas.hpp"
#include "kmeans/lloyd.hpp"
#include "kmeans/rows.hpp"
#include "kmeans/stopping_rule.hpp"

namespace dunlin::kmeans {

/// Sums on the device are unsigned, as 64-bit atomics need; the bits are those of two's complement.
using Bits = unsigned long long;

/// Why iterations ended; going_on: they continue.
enum class Reason : int { going_on, converged, emptied };

/// State of the loop over iterations; in device memory while it runs.
struct LoopState {
    int iterations = 0;
    Reason reason = Reason::going_on;
    Index empty = 0;                 ///< clusters without weight
    double inertia = INFINITY;       ///< before the last move; only if Rule::inertia
    double next_inertia = INFINITY;  ///< of the present labels, if the loop stopped before the move
};

/// All rows or a piece of them, centroids and sums in device memory. The sums of a cluster are `cols` sums of
/// coordinates and the sum of weights.
struct DeviceState {
    device::CudaBuffer<float> rows, weights;  ///< cosine: rows have length 1; empty weights: all are 1
    device::CudaBuffer<float> centroids;
    device::CudaBuffer<Bits> sums;
    device::CudaBuffer<double> scales;  ///< cols + 1, the last for the weights
    device::CudaCell<LoopState> progress;
    Index n = 0, cols = 0, clusters = 0;
    Offset first = 0;  ///< number of the first row here, among all rows
    Metric metric = Metric::euclidean;
};

/// Adds to a sum in device or shared memory.
__device__ inline void add_to(Bits* sum, Sum value) { atomicAdd(sum, static_cast<Bits>(value)); }

/// Moves a centroid to the mean of its cluster; returns the squared move. One thread.
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
