// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/half_rows.cuh"

namespace dunlin::kmeans {

/// Rows whose nearest centroid is ambiguous within the error bound of half precision. Candidates of a row are the
/// centroids whose score reaches its threshold; they are listed if they are few.
struct Undecided {
    static constexpr int most_listed = 16;

    device::CudaBuffer<Index> rows;
    device::CudaBuffer<unsigned> count;
    device::CudaBuffer<Index> unlisted;  ///< indices i of rows[i] whose candidates are not listed yet
    device::CudaBuffer<unsigned> unlisted_count;
    device::CudaBuffer<float> thresholds;  ///< of rows[i]
    device::CudaBuffer<unsigned> listed;   ///< of rows[i], how many may be nearest
    device::CudaBuffer<Index> centroids;   ///< most_listed of them for rows[i]
    device::CudaBuffer<Index> overflowed;  ///< rows for which these are too many
    device::CudaBuffer<unsigned> overflowed_count;

    void prepare(device::Cuda& cuda, Index n);
};

/// Labels each row with the centroid of the largest score x.c - |c|^2 / 2, by the tensor cores, if it exceeds the
/// others by more than the error bound. The other rows are listed as undecided, in any order, many of them with their
/// candidates; their labels are preliminary. last: previous labels, which save time if still right; -1: none; may be
/// null.
void score(device::Cuda& cuda, const DeviceState& state, const HalfPoints& rows, const HalfCentroids& centroids,
           const Index* last, Index* labels, Undecided& undecided);

/// Lists the candidates of the undecided rows that have none listed, by the same scores.
void list_candidates(device::Cuda& cuda, const DeviceState& state, const HalfPoints& rows,
                     const HalfCentroids& centroids, Undecided& undecided);

/// Decides the undecided rows: those with few candidates in double, the others in float32, and in double where float32
/// is ambiguous.
void decide(device::Cuda& cuda, const DeviceState& state, const HalfCentroids& centroids, Undecided& undecided,
            Index* labels);

}  // namespace dunlin::kmeans
