// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/points.cuh"
#include "neighbors/cuda/distinct_rows.cuh"
#include "neighbors/cuda/refine.cuh"

namespace dunlin::neighbors {

/// Buffers of a block of rows, copied from the host or gathered on the device.
struct LoadedRows {
    device::CudaBuffer<float> values;
    device::CudaBuffer<Index> at, items;
    RowSpace space;
};

/// Up to most_sampled of the rows, at equal steps. Valid while the values of `rows` are, and until `loaded` is loaded
/// again.
DeviceRows sample_rows(device::Cuda& cuda, Metric metric, const DeviceRows& rows, LoadedRows& loaded);

/// Rows order[0 .. count) of these. Valid as sample_rows.
ItemRows gather_rows(device::Cuda& cuda, Metric metric, const ItemRows& rows, const Index* order, Index count,
                     LoadedRows& loaded);

/// Rows as the metric compares them, row-major.
device::CudaBuffer<float> values_of(device::Cuda& cuda, const DeviceRows& rows);

/// The items (distinct rows) to search, with their values in device or host memory. In the second case they are copied
/// block by block, and the host finds the duplicates.
class ItemSource {
public:
    /// Throws Error{bad_input} with the first row that has NaN or infinity.
    ItemSource(device::Cuda& cuda, const device::DevicePoints& points, Metric metric);

    [[nodiscard]] Index count() const { return groups_.size; }
    [[nodiscard]] Index cols() const { return points_.host.cols; }
    [[nodiscard]] bool held() const { return points_.held(); }
    [[nodiscard]] const CudaDistinctRows& groups() const { return groups_; }
    /// Bytes per loaded row.
    [[nodiscard]] std::uint64_t bytes_per_row() const;

    /// Items [first, first + count). Valid until `loaded` is loaded again.
    ItemRows load(device::Cuda& cuda, Index first, Index count, LoadedRows& loaded) const;

    /// Item i becomes the former item order[i].
    void reorder(device::Cuda& cuda, const device::CudaBuffer<Index>& order);

    /// All items' rows as the metric compares them, row-major. Only if the points are in device memory.
    device::CudaBuffer<float> values(device::Cuda& cuda) const;

    /// These items. Valid while `items` is, and until `loaded` is loaded again.
    ItemRows gather(device::Cuda& cuda, const device::CudaBuffer<Index>& items, LoadedRows& loaded) const;

    /// Up to most_sampled of the items [first, first + count), at equal steps. Valid until the next sample.
    DeviceRows sample(device::Cuda& cuda, Index first, Index count);

private:
    void find_not_finite(device::Cuda& cuda) const;
    void find_groups_on_device(device::Cuda& cuda);
    void find_groups_on_host(device::Cuda& cuda);
    void upload(device::Cuda& cuda, Index first, Index count, LoadedRows& loaded) const;
    void upload_rows(device::Cuda& cuda, std::span<const Index> rows, LoadedRows& loaded) const;
    [[nodiscard]] Index host_row(Index item) const {
        return host_firsts_.empty() ? item : host_firsts_[static_cast<std::size_t>(item)];
    }

    const device::DevicePoints& points_;
    Metric metric_;
    DeviceRows all_;
    RowSpace space_;
    CudaDistinctRows groups_;
    std::vector<Index> host_firsts_;  ///< first row of each group, if the host found them
    LoadedRows sample_;
};

}  // namespace dunlin::neighbors
