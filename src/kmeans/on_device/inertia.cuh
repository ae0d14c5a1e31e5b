#pragma once

#include "kmeans/on_device/feed.cuh"

namespace dunlin::kmeans {

/// The inertia, added by blocks of `inertia_rows` rows and then block after block: its order does not depend on how
/// rows come. Pieces begin at multiples of this.
constexpr Index inertia_rows = 1024;

class Inertia {
public:
    void prepare(device::Cuda& cuda, const DeviceState& state);
    /// Enqueues: the parts of the state's rows; labels are those of all rows.
    void add(device::Cuda& cuda, const DeviceState& state, const Index* labels);
    /// Enqueues: the sum of all parts; where it will be.
    device::CudaCell<double>& total(device::Cuda& cuda);

private:
    device::CudaBuffer<double> parts_;
    device::CudaCell<double> total_;
};

}  // namespace dunlin::kmeans
