// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/state.cuh"

/// The small-K kernel, for few clusters in few columns: all iterations in one cooperative launch with one grid-wide
/// barrier per iteration. An iteration reads the rows whose bound has expired and adds those that change their cluster.
namespace dunlin::kmeans {

[[nodiscard]] bool small_k_suits(Index cols, Index clusters);

/// Lloyd's iteration by the small-K kernel; keeps labels and bounds between launches.
class SmallKLloyd {
public:
    void prepare(device::Cuda& cuda, const DeviceState& state);

    /// Enqueues up to `iterations` iterations. `assigned`: labels and sums already belong to the centroids, and the
    /// first iteration begins with moving the centroids.
    void iterate(device::Cuda& cuda, DeviceState& state, const LloydStoppingRule& stopping, int iterations,
                 bool assigned);
    /// Enqueues: assigns rows to the present centroids and updates the sums.
    void assign(device::Cuda& cuda, DeviceState& state, bool with_inertia = false);
    /// For centroids that come from elsewhere: the drift that they have come to.
    void set_drift(device::Cuda& cuda, double drift);

    // These wait for the device.
    std::vector<Index> labels(device::Cuda& cuda, const DeviceState& state);
    void set_labels(device::Cuda& cuda, const std::vector<Index>& labels);
    /// For the last assignment: number of rows that changed their cluster, and sums of the inertia over blocks of
    /// math::sum_block rows.
    Offset changed(device::Cuda& cuda, const DeviceState& state);
    std::vector<double> inertia_blocks(device::Cuda& cuda, const DeviceState& state);

private:
    void launch(device::Cuda& cuda, DeviceState& state, const LloydStoppingRule& stopping, int iterations,
                bool assigned);

    device::CudaBuffer<std::uint8_t> labels_;
    device::CudaBuffer<float> expires_;  ///< drift at which the bound of each group of rows expires
    device::CudaCell<double> drift_;     ///< bound of the distance that any centroid has moved since the run began
    device::CudaBuffer<Bits> changes_;   ///< three rounds of changes of the sums and the number of changed rows
    device::CudaBuffer<double> parts_;   ///< inertia: sums of blocks of rows, the tree above them, the total
};

}  // namespace dunlin::kmeans
