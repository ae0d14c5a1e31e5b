// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/codes/product_quantizer.hpp"
#include "neighbors/cuda/cells/cells.cuh"

namespace dunlin::neighbors {

/// `wanted` of the items, at equal steps.
[[nodiscard]] std::vector<Index> spread_evenly(Index items, Index wanted);

/// Centers and scales rows, then projects them on axes.
class Projection {
public:
    Projection(device::Cuda& cuda, distance::HalfFrame frame, const PrincipalAxes& axes);

    [[nodiscard]] Index dims() const { return dims_; }
    /// out: rows x dims.
    void project(const DeviceRows& rows, device::CudaBuffer<float>& out);
    /// Projects row by row, so that the result for a row does not depend on the other rows.
    void project_each(const DeviceRows& rows, device::CudaBuffer<float>& out);

private:
    template <class Multiply>
    void project_by(const Multiply& multiply, const DeviceRows& rows, device::CudaBuffer<float>& out);

    device::Cuda& cuda_;
    distance::HalfFrame frame_;
    Index dims_;
    device::CudaBuffer<float> axes_;  ///< columns x dims
    device::CudaBuffer<float> moved_, parts_;
};

/// Encodes rows on the device (neighbors/codes/product_quantizer.hpp).
class CudaProductQuantizer {
public:
    CudaProductQuantizer(device::Cuda& cuda, Projection projection, ProductQuantizer quantizer);

    [[nodiscard]] Index parts() const { return quantizer_.parts; }
    [[nodiscard]] Projection& projection() { return projection_; }
    /// ProductQuantizer::reach
    [[nodiscard]] double reach() const { return quantizer_.reach(); }

    /// Returns the cell of each row and writes its code to `codes`. Synchronous.
    device::CudaBuffer<Index> code(const DeviceRows& rows, std::uint8_t* codes);

    /// Sorts encoded items by cell. Synchronous.
    SortedItems sort(ItemSource& items, device::CudaBuffer<Index> cell);

    /// The view by which kernels decode, after sort().
    [[nodiscard]] CodedRows rows(const device::CudaBuffer<std::uint8_t>& codes,
                                 const device::CudaBuffer<Index>& cell) const;

private:
    device::Cuda& cuda_;
    Projection projection_;
    ProductQuantizer quantizer_;
    std::vector<double> middle_;                     ///< mean of the centroids
    distance::HalfFrame coarse_frame_;               ///< holds all rows that were encoded
    device::CudaBuffer<float> centroids_, entries_;  ///< in device memory
};

/// Trains cells and codebooks (`parts` bytes per row) on a sample of the items. Synchronous.
CudaProductQuantizer train_product_quantizer(device::Cuda& cuda, const ItemSource& items, distance::HalfFrame frame,
                                             Index parts, Index cells);

/// Rows encoded together. Independent of the memory, so that codes are reproducible.
[[nodiscard]] Index coded_at_once(Index cols, Index least);

/// Bytes for training and encoding, besides rows and codes.
[[nodiscard]] std::uint64_t coding_bytes(Index rows, Index cols, Index dims, Index cells);

}  // namespace dunlin::neighbors
