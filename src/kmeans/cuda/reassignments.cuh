// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/state.cuh"

namespace dunlin::kmeans {

/// Takes rows from their old clusters' sums to their new ones': what leaves and what comes is put in order of clusters
/// first, so that a warp adds many rows in registers before it adds to a sum.
class Reassignments {
public:
    /// For at most `rows` rows at a time.
    void prepare(device::Cuda& cuda, Index clusters, Index rows);

    /// Enqueues: no row has changed.
    void begin(device::Cuda& cuda);
    /// Enqueues: labels become `nearest`, the sums follow. -1: a row that was in no cluster.
    void apply(device::Cuda& cuda, DeviceState& state, const Index* nearest, Index* labels);

    /// Rows that changed since begin, in device memory.
    [[nodiscard]] const Bits* count() const { return changed_.data(); }

private:
    device::CudaBuffer<Bits> changed_;
    device::CudaBuffer<unsigned> counts_, ends_;  ///< entries of each cluster; where the next of them goes
    device::CudaBuffer<unsigned> entries_;        ///< 2 * row, plus 1 if it leaves; of each cluster one after another
};

}  // namespace dunlin::kmeans
