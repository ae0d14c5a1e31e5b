// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/codes.hpp"
#include "neighbors/cuda/cells.cuh"

namespace dunlin::neighbors {

/// So many of the items, spread evenly over all.
[[nodiscard]] std::vector<Index> spread_evenly(Index items, Index wanted);

/// Rows moved and scaled by a frame, along axes.
class Projection {
public:
    Projection(device::Cuda& cuda, distance::HalfFrame frame, const Axes& axes);

    [[nodiscard]] Index dims() const { return dims_; }
    /// out: rows x dims.
    void project(const DeviceRows& rows, device::CudaBuffer<float>& out);

private:
    device::Cuda& cuda_;
    distance::HalfFrame frame_;
    Index dims_;
    device::CudaBuffer<float> axes_;  ///< columns x dims
    device::CudaBuffer<float> moved_, parts_;
};

/// Rows to cells and codes (neighbors/codes.hpp).
class Coder {
public:
    Coder(device::Cuda& cuda, Projection projection, CodeBooks books);

    [[nodiscard]] Index parts() const { return books_.parts; }
    [[nodiscard]] Projection& projection() { return projection_; }

    /// The cell of each row, and its code at codes. Waits for the device.
    device::CudaBuffer<Index> code(const DeviceRows& rows, std::uint8_t* codes);

    /// Sorts coded items into their cells. Waits for the device.
    SortedItems sort(ItemSource& items, device::CudaBuffer<Index> cell);

    /// What the codes of items stand for, once these are sorted.
    [[nodiscard]] CodedRows rows(const device::CudaBuffer<std::uint8_t>& codes,
                                 const device::CudaBuffer<Index>& cell) const;

private:
    device::Cuda& cuda_;
    Projection projection_;
    CodeBooks books_;
    std::vector<double> middle_;                     ///< of the centroids
    device::CudaBuffer<float> centroids_, entries_;  ///< on the device
};

/// Learns from a sample of the items how to cut them into so many cells and to say each in `parts` bytes. Waits for the
/// device.
Coder learn_coder(device::Cuda& cuda, const ItemSource& items, distance::HalfFrame frame, Index parts, Index cells);

/// Rows that are coded at once, in whatever memory: as many as give the same codes every time.
[[nodiscard]] Index coded_at_once(Index cols, Index least);

/// Bytes that learning and coding take beside the rows and codes.
[[nodiscard]] std::uint64_t coding_bytes(Index rows, Index cols, Index dims, Index cells);

}  // namespace dunlin::neighbors
