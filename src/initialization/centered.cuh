// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/points.cuh"

namespace dunlin::initialization {

/// Points less their column means, in device memory a block of rows at a time, and products with them. Rows are summed
/// in float over chunks of at most 2,048 and in double over chunks, in order.
class CenteredRows {
public:
    /// Holds up to 3 times `values` values, but no less than 64 rows: a block of centered rows (what is not held is
    /// centered again for every product), as many uploaded ones if the points are streamed, and products of chunks.
    CenteredRows(device::Cuda& cuda, const device::DevicePoints& points, Offset values);

    [[nodiscard]] Index rows() const { return points_.host.rows; }
    [[nodiscard]] Index cols() const { return points_.host.cols; }

    /// X'X, d x d.
    void square(device::CudaBuffer<double>& product);
    /// X'X v for v of doubles, d x width by rows, as is the product.
    void square_times(const double* v, Index width, double* product);
    /// X v for v of doubles, d x width by rows; row r of the product is at to + r * stride.
    void times(const double* v, Index width, float* to, Index stride);

private:
    template <class Body>
    void blocks(const Body& body);
    const float* raw_rows(Index first, Index count);
    void find_means();
    void center(Index first, Index count);
    void narrow(const double* v, Index width);
    void block_times(Index count, Index width, float* to, Index stride);
    void add_products(const float* b, Index width, Index count, double* product, bool upper_only);

    device::Cuda& cuda_;
    const device::DevicePoints& points_;
    Offset values_;
    Index chunk_, block_rows_;
    Index centered_first_ = -1;  ///< first row of what block_ holds; -1: nothing
    device::CudaBuffer<double> means_;
    device::CudaBuffer<float> staged_, block_, narrow_, of_rows_, parts_;
};

}  // namespace dunlin::initialization
