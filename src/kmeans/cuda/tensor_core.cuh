// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/inertia.cuh"
#include "kmeans/cuda/reassignments.cuh"
#include "kmeans/cuda/score.cuh"

namespace dunlin::kmeans {

/// Lloyd's iteration for many clusters or columns: scores by the tensor cores decide most rows, float32 and double the
/// others, so that labels are those defined in double. Rows may be streamed. Iterations are enqueued one after another;
/// the device decides when they end.
class TensorCoreLloyd {
public:
    /// Keeps a reference to `stream`.
    TensorCoreLloyd(distance::HalfFrame frame, RowStream& stream) : frame_(std::move(frame)), stream_(stream) {}

    void prepare(device::Cuda& cuda, const DeviceState& state);

    /// As SmallKLloyd.
    void iterate(device::Cuda& cuda, DeviceState& state, const LloydStoppingRule& stopping, int iterations,
                 bool assigned);
    void assign(device::Cuda& cuda, DeviceState& state);
    std::vector<Index> labels(device::Cuda& cuda, const DeviceState&) { return cuda.host(labels_); }
    void set_labels(device::Cuda& cuda, const std::vector<Index>& labels) { cuda.upload(labels_, labels); }

    /// Number of rows that the tensor cores left undecided in the last pass; waits for the device.
    unsigned undecided(device::Cuda& cuda) { return cuda.host(undecided_.count)[0]; }

private:
    void relabel(device::Cuda& cuda, DeviceState& state, bool with_inertia);
    void move(device::Cuda& cuda, DeviceState& state, const LloydStoppingRule& stopping, bool checks_change);

    distance::HalfFrame frame_;
    RowStream& stream_;
    HalfPoints rows_;
    HalfCentroids centroids_;
    Undecided undecided_;
    device::CudaBuffer<Index> labels_, nearest_;  ///< -1: none yet
    Reassignments changes_;
    device::CudaBuffer<float> old_;      ///< centroids before their move
    device::CudaBuffer<double> shifts_;  ///< squared moves by cluster
    Inertia inertia_;
};

}  // namespace dunlin::kmeans
