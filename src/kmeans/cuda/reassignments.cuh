// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/state.cuh"

namespace dunlin::kmeans {

/// Updates the sums of clusters by the rows that changed their cluster. Additions and subtractions are first sorted by
/// cluster, so that a warp adds many rows in registers before each atomic.
class Reassignments {
public:
    /// Allocates for at most `rows` rows at a time.
    void prepare(device::Cuda& cuda, Index clusters, Index rows);

    /// Enqueues: resets the number of changed rows.
    void begin(device::Cuda& cuda);
    /// Enqueues: labels become `nearest`, and the sums are updated. Label -1: the row was in no cluster.
    void apply(device::Cuda& cuda, DeviceState& state, const Index* nearest, Index* labels);

    /// Number of rows that changed since begin(), in device memory.
    [[nodiscard]] const Bits* count() const { return changed_.data(); }
    /// Number of rows that changed since begin(). Waits for the device.
    Offset changed(device::Cuda& cuda) const { return static_cast<Offset>(cuda.host(changed_)[0]); }

private:
    device::CudaBuffer<Bits> changed_;
    device::CudaBuffer<unsigned> counts_, ends_;  ///< per cluster: number of entries; index of its next entry
    device::CudaBuffer<unsigned> entries_;        ///< 2 * row, plus 1 if it leaves; sorted by cluster
};

}  // namespace dunlin::kmeans
