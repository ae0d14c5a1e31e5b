// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/row_stream.cuh"

namespace dunlin::kmeans {

/// The inertia by the tree of math/ordered_sum.hpp, as CPUs add it: the same labels and centroids give the same bytes,
/// however rows come. Pieces begin at multiples of math::sum_block.
class Inertia {
public:
    void prepare(device::Cuda& cuda, const DeviceState& state);
    /// Enqueues: the sums of the blocks of the state's rows; labels are those of all rows.
    void add(device::Cuda& cuda, const DeviceState& state, const Index* labels);
    /// Enqueues: the sum of all blocks; where it will be.
    device::CudaCell<double>& total(device::Cuda& cuda);

private:
    Offset blocks_ = 0;
    device::CudaBuffer<double> sums_;  ///< of the blocks, then the levels of the tree above them
    device::CudaCell<double> total_;
};

}  // namespace dunlin::kmeans
