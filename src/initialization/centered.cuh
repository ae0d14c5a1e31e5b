// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/points.cuh"

namespace dunlin::initialization {

/// Products with X, the points minus their column means in the unit of unit_of(), one block of rows at a time in device
/// memory. Sums over rows are in float within chunks of at most 2,048 rows and in double over the chunks, in order.
class CenteredRows {
public:
    /// Allocates up to 3 * `values` values, but at least 64 rows: a block of centered rows (rows outside it are
    /// centered again for every product), an uploaded block if the points are streamed, and partial products.
    CenteredRows(device::Cuda& cuda, const device::DevicePoints& points, Offset values);

    [[nodiscard]] Index rows() const { return points_.host.rows; }
    [[nodiscard]] Index cols() const { return points_.host.cols; }

    /// X^T X, d x d.
    void square(device::CudaBuffer<double>& product);
    /// X^T X v; v and the product are d x width, row-major.
    void square_times(const double* v, Index width, double* product);
    /// X v in the unit of the points; v is d x width, row-major; row r of the product is at to + r * stride.
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
    Index centered_first_ = -1;  ///< first row in block_; -1: none
    double unit_ = 1;
    device::CudaBuffer<double> means_;
    device::CudaBuffer<float> staged_, block_, narrow_, of_rows_, parts_;
};

}  // namespace dunlin::initialization
