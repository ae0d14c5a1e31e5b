// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/changes.cuh"
#include "kmeans/cuda/inertia.cuh"
#include "kmeans/cuda/score.cuh"

namespace dunlin::kmeans {

/// Many clusters or columns: scores by the tensor cores decide most rows, float32 and double the rest, so that labels
/// are what double says. Rows may come piece by piece. Iterations are enqueued one after another; what ends them is
/// decided on the device.
class Many {
public:
    /// Holds `feed` by reference.
    Many(distance::HalfFrame frame, Feed& feed) : frame_(std::move(frame)), feed_(feed) {}

    void prepare(device::Cuda& cuda, const DeviceState& state);

    /// As Few does.
    void iterate(device::Cuda& cuda, DeviceState& state, const Ends& ends, int iterations, bool assigned);
    void assign(device::Cuda& cuda, DeviceState& state);
    std::vector<Index> labels(device::Cuda& cuda, const DeviceState&) { return cuda.host(labels_); }
    void set_labels(device::Cuda& cuda, const std::vector<Index>& labels) { cuda.upload(labels_, labels); }

    /// Rows that the tensor cores left undecided in the last pass; waits for the device.
    unsigned undecided(device::Cuda& cuda) { return cuda.host(undecided_.count)[0]; }

private:
    void relabel(device::Cuda& cuda, DeviceState& state, bool with_inertia);
    void move(device::Cuda& cuda, DeviceState& state, const Ends& ends, bool looks_at_change);

    distance::HalfFrame frame_;
    Feed& feed_;
    HalfPoints rows_;
    HalfCentroids centroids_;
    Undecided undecided_;
    device::CudaBuffer<Index> labels_, nearest_;  ///< -1: none yet
    Changes changes_;
    device::CudaBuffer<float> old_;      ///< centroids before their move
    device::CudaBuffer<double> shifts_;  ///< squared, by cluster
    Inertia inertia_;
};

}  // namespace dunlin::kmeans
