#pragma once

#include "device/blas.cuh"
#include "device/points.cuh"

namespace dunlin::start {

/// Points less their column means, in device memory a block of rows at a time, and products with them. Rows are summed
/// in float over chunks of at most 2,048 and in double over chunks, in order.
class CentredRows {
public:
    CentredRows(device::Cuda& cuda, const device::CudaBlas& blas, const device::DevicePoints& points);

    [[nodiscard]] Index rows() const { return points_.host.rows; }
    [[nodiscard]] Index cols() const { return points_.host.cols; }

    /// X'X, d x d.
    void square(device::CudaBuffer<double>& product);
    /// X'X v of `width` columns of doubles, d x width.
    void square_times(const double* v, Index width, double* product);
    /// X v, row r at to + r * stride, for `width` columns v of length d.
    void times(const double* v, Index width, float* to, Index stride);

private:
    template <class Body>
    void blocks(const Body& body);
    const float* raw_rows(Index first, Index count);
    void find_means();
    void centre(Index first, Index count);
    void narrow(const double* v, Index width);
    void block_times(Index count, Index width, float* to, Index stride);
    void add_products(const float* b, Index width, Index count, double* product);

    device::Cuda& cuda_;
    const device::CudaBlas& blas_;
    const device::DevicePoints& points_;
    Index chunk_, block_rows_;
    Index centred_first_ = -1;  ///< first row of what block_ holds; -1: nothing
    device::CudaBuffer<double> means_;
    device::CudaBuffer<float> staged_, block_, narrow_, of_rows_, parts_;
};

}  // namespace dunlin::start
