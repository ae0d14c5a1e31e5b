#pragma once

#include "device/points.cuh"
#include "neighbors/on_device/groups.cuh"
#include "neighbors/on_device/rank.cuh"

namespace dunlin::neighbors {

/// Buffers of a block of rows that was copied from the host.
struct LoadedRows {
    device::CudaBuffer<float> values;
    RowSpace space;
};

/// The items that are searched, each a group of equal rows, wherever their values are. Points that the device does not
/// hold come block by block, and their duplicates stay items of their own.
class ItemSource {
public:
    /// Throws Error{bad_input} naming the first row with NaN or infinity.
    ItemSource(device::Cuda& cuda, const device::DevicePoints& points, Metric metric);

    [[nodiscard]] Index count() const { return groups_.size; }
    [[nodiscard]] Index cols() const { return points_.host.cols; }
    [[nodiscard]] const DeviceGroups& groups() const { return groups_; }
    /// Bytes a loaded row takes.
    [[nodiscard]] std::uint64_t bytes_per_row() const;

    /// Items [first, first + count), valid while the buffers are not loaded again.
    ItemRows load(device::Cuda& cuda, Index first, Index count, LoadedRows& loaded) const;

    /// Up to most_sampled items spread evenly over all, valid until the next sample.
    DeviceRows sample(device::Cuda& cuda);

private:
    void find_not_finite(device::Cuda& cuda) const;

    const device::DevicePoints& points_;
    Metric metric_;
    DeviceRows all_;
    RowSpace space_;
    DeviceGroups groups_;
    device::CudaBuffer<Index> sample_places_;
    LoadedRows sample_;
};

}  // namespace dunlin::neighbors
