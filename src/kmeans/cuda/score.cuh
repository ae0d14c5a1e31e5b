// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/half_rows.cuh"

namespace dunlin::kmeans {

/// Rows that halves could not decide. The centroids that may be nearest to one are those whose score is at least its
/// threshold; they are listed if they are few.
struct Undecided {
    static constexpr int most_listed = 16;

    device::CudaBuffer<Index> rows;
    device::CudaBuffer<unsigned> count;
    device::CudaBuffer<Index> unlisted;  ///< numbers i of rows whose candidates are not listed yet
    device::CudaBuffer<unsigned> unlisted_count;
    device::CudaBuffer<float> thresholds;  ///< of rows[i]
    device::CudaBuffer<unsigned> listed;   ///< of rows[i], how many may be nearest
    device::CudaBuffer<Index> centroids;   ///< most_listed of them for rows[i]
    device::CudaBuffer<Index> hard;        ///< rows for which these are too many
    device::CudaBuffer<unsigned> hard_count;

    void prepare(device::Cuda& cuda, Index n);
};

/// The centroid of the largest x.c - |c|^2 / 2 for every row, by the tensor cores, where the largest stands out by more
/// than both scores may be off; the other rows are listed, in any order, many of them with their candidates, and their
/// labels are likely ones. last: labels that are likely still right, which saves time; -1 where there is none, or null.
void score(device::Cuda& cuda, const DeviceState& state, const HalfPoints& rows, const HalfCentroids& centroids,
           const Index* last, Index* labels, Undecided& undecided);

/// Lists the candidates of the other undecided rows, by the same scores.
void list_candidates(device::Cuda& cuda, const DeviceState& state, const HalfPoints& rows,
                     const HalfCentroids& centroids, Undecided& undecided);

/// Settles the undecided rows: of few candidates in double, of many in float32, and where that cannot tell in double.
void decide(device::Cuda& cuda, const DeviceState& state, const HalfCentroids& centroids, Undecided& undecided,
            Index* labels);

}  // namespace dunlin::kmeans
