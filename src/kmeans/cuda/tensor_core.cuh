// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/inertia.cuh"
#include "kmeans/cuda/reassignments.cuh"
#include "kmeans/cuda/score.cuh"

namespace dunlin::kmeans {

/// Memory of an assignment by the tensor cores, for any rows that are assigned one after another on one stream.
struct TensorCoreWorkspace {
    HalfCentroids centroids;
    Undecided undecided;
    device::CudaBuffer<Index> nearest;
    Reassignments changes;
    device::CudaBuffer<float> old;      ///< centroids before their move
    device::CudaBuffer<double> shifts;  ///< squared moves by cluster

    /// Allocates for at most `rows` rows at a time.
    void prepare(device::Cuda& cuda, const DeviceState& state, Index rows);
    [[nodiscard]] bool suits(const DeviceState& state, Index rows) const;

private:
    Index rows_ = 0, clusters_ = 0, cols_ = 0;
};

/// Lloyd's iteration for many clusters or columns: scores by the tensor cores decide most rows, float32 and double the
/// others, so that labels are those defined in double. Rows may be streamed. Iterations are enqueued one after another;
/// the device decides when they end.
class TensorCoreLloyd {
public:
    /// Keeps a reference to `stream`. workspace: prepared and shared with other objects, or null: its own.
    TensorCoreLloyd(distance::HalfFrame frame, RowStream& stream,
                    std::shared_ptr<TensorCoreWorkspace> workspace = nullptr)
        : frame_(std::move(frame)), stream_(stream), work_(std::move(workspace)) {}

    void prepare(device::Cuda& cuda, const DeviceState& state);

    /// As SmallKLloyd.
    void iterate(device::Cuda& cuda, DeviceState& state, const LloydStoppingRule& stopping, int iterations,
                 bool assigned);
    void assign(device::Cuda& cuda, DeviceState& state, bool with_inertia = false);
    std::vector<Index> labels(device::Cuda& cuda, const DeviceState&) { return cuda.host(labels_); }
    void set_labels(device::Cuda& cuda, const std::vector<Index>& labels) { cuda.upload(labels_, labels); }
    void set_drift(device::Cuda&, double) {}  ///< no bounds
    Offset changed(device::Cuda& cuda, const DeviceState&) { return work_->changes.changed(cuda); }
    std::vector<double> inertia_blocks(device::Cuda& cuda, const DeviceState&) { return inertia_.blocks(cuda); }

    /// Number of rows that the tensor cores left undecided in the last pass; waits for the device.
    unsigned undecided(device::Cuda& cuda) { return cuda.host(work_->undecided.count)[0]; }

private:
    void relabel(device::Cuda& cuda, DeviceState& state, bool with_inertia);
    void move(device::Cuda& cuda, DeviceState& state, const LloydStoppingRule& stopping, bool checks_change);

    distance::HalfFrame frame_;
    RowStream& stream_;
    std::shared_ptr<TensorCoreWorkspace> work_;
    HalfPoints rows_;
    device::CudaBuffer<Index> labels_;  ///< -1: none yet
    Inertia inertia_;
};

}  // namespace dunlin::kmeans
