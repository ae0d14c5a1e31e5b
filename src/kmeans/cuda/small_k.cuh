// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/state.cuh"

/// Few clusters in few columns: all iterations in one launch, whose blocks wait for each other once an iteration. The
/// points that may have changed their cluster are read once an iteration, and those that did are added.
namespace dunlin::kmeans {

[[nodiscard]] bool small_k_suits(Index cols, Index clusters);

/// What a launch needs beside the state, held from launch to launch.
class SmallKLloyd {
public:
    void prepare(device::Cuda& cuda, const DeviceState& state);

    /// Enqueues up to `iterations` of them from the state as it is. With `assigned`, the labels and sums are already
    /// those of the centroids, and the first thing done is to move the centroids.
    void iterate(device::Cuda& cuda, DeviceState& state, const LloydStoppingRule& ends, int iterations, bool assigned);
    /// Enqueues: labels of the centroids as they are; the sums follow.
    void assign(device::Cuda& cuda, DeviceState& state);

    /// Waits for the device.
    std::vector<Index> labels(device::Cuda& cuda, const DeviceState& state);
    void set_labels(device::Cuda& cuda, const std::vector<Index>& labels);

private:
    void launch(device::Cuda& cuda, DeviceState& state, const LloydStoppingRule& ends, int iterations, bool assigned);

    device::CudaBuffer<std::uint8_t> labels_;
    device::CudaBuffer<float> expires_;  ///< of each group of rows, the drift from which on it must be looked at again
    device::CudaCell<double> drift_;     ///< how far any centroid may have come since the run began
    device::CudaBuffer<Bits> changes_;   ///< three rounds of changes of the sums, and the number of rows that changed
    device::CudaBuffer<double> parts_;   ///< of the inertia: sums of blocks of rows, the tree above them, the whole
};

}  // namespace dunlin::kmeans
