// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <dunlin/mixture.hpp>

/// The expectation step on a GPU, without headers of CUDA or Eigen.
namespace dunlin::mixture {

/// Components as arrays. W: the whitening matrix, the inverse of the Cholesky factor of the covariance.
struct ComponentArrays {
    std::vector<double> means;    ///< components x cols
    std::vector<double> factors;  ///< W: its diagonal, components x cols; full: components x cols x cols, row-major;
                                  ///< tied: cols x cols
    std::vector<double> white_means;  ///< tied: W (mean - mean of the first component), components x cols
    std::vector<double> log_scales;   ///< of each component (Component::log_scale)
};

/// Sums over all rows, as in ComponentMoments.
struct MomentArrays {
    std::vector<double> weights, first;
    std::vector<double> second;  ///< components x cols; full: components x cols x cols, lower triangles by columns
    double log_likelihood = 0;
};

/// What is wanted beside the log likelihood and the labels.
struct GpuOutputs {
    bool moments = true;
    float* responsibilities = nullptr;  ///< rows x components, in host memory
};

/// The expectation step on run.gpu(). Rows are divided into chunks, whose sums are added in order: the same bytes in
/// every run.
class GpuExpectations {
public:
    GpuExpectations() = default;
    virtual ~GpuExpectations() = default;
    GpuExpectations(const GpuExpectations&) = delete;
    GpuExpectations& operator=(const GpuExpectations&) = delete;
    GpuExpectations(GpuExpectations&&) = delete;
    GpuExpectations& operator=(GpuExpectations&&) = delete;

    /// The sums where each row belongs to its label with responsibility 1, about these means (components x cols).
    virtual MomentArrays nearest(const std::vector<double>& means, const std::vector<Index>& labels) = 0;
    /// Both throw device::Cancelled if stopped: they check after every chunk, one of which may be enqueued.
    virtual MomentArrays expect(const ComponentArrays& components, const GpuOutputs& wanted) = 0;
    /// The likeliest component of each row in the last complete step.
    virtual std::vector<Index> labels() = 0;
};

/// What a chunk of rows, and the whole step, take on a GPU.
struct GpuPlan {
    Index chunk_rows = 0;           ///< a multiple of 1,024
    Index segments = 1;             ///< parts of a chunk that are summed at the same time
    Index segment_rows = 0;         ///< of a part, but that the last ones may have fewer
    std::uint64_t bytes = 0;        ///< of device memory, beside the points
    std::uint64_t chunk_bytes = 0;  ///< of a chunk of the points, where these do not stay there
};
GpuPlan gpu_plan(Covariance covariance, Index components, Index rows, Index cols);

/// The points stay in device memory, or are copied there by chunks in every step if they take more than half of it.
std::unique_ptr<GpuExpectations> expect_on_gpu(MatrixView<const float> points, Covariance covariance, Index components,
                                               const Run& run);

/// Implementation in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(mixture::expect_on_gpu) expect_on_gpu;
}  // namespace backend

}  // namespace dunlin::mixture
