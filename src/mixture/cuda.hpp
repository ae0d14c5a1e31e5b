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

/// The expectation step on run.gpu(), or of one of several ranks (device/ranks.hpp) for its blocks of rows. The sums of
/// blocks, which sizes alone determine, are added in order: the same bytes in every run, for any number of ranks.
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
    /// Both throw progress::Cancelled if stopped: they check after every chunk, one of which may be enqueued. Of
    /// several ranks, the first returns the sums of all rows, the others nothing.
    virtual MomentArrays expect(const ComponentArrays& components, const GpuOutputs& wanted) = 0;
    /// Writes the likeliest component of each row in the last complete step to `all`; a rank those of its rows.
    virtual void labels(Index* all) = 0;
};

/// How a step is divided, by the sizes alone, and what it takes on a GPU. Rows have blocks, whose sums are added in
/// order. A block is a part of a chunk, or has several parts, which are chunks of their own. A part has segments, each
/// of which has sums of its own.
struct GpuPlan {
    Index chunk_rows = 0;  ///< at most so many rows are in work at the same time
    Index blocks = 1, parts = 1, segments = 1;
    Index segment_rows = 0;         ///< but that the last ones may have fewer
    Index blocks_of_chunk = 1;      ///< 1 if a block has several parts
    bool keeps_blocks = true;       ///< their sums are kept until all are there, or added to the total at once
    std::uint64_t bytes = 0;        ///< of device memory, beside the points
    std::uint64_t chunk_bytes = 0;  ///< of a chunk of the points, where these do not stay there
    std::uint64_t point_bytes = 0;  ///< of the points of a rank

    [[nodiscard]] Offset part_rows() const { return Offset{segments} * segment_rows; }
    [[nodiscard]] Offset block_rows() const { return parts * part_rows(); }
};
/// ranks: GPUs that share the work; bytes are those of the one with the most.
GpuPlan gpu_plan(Covariance covariance, Index components, Index rows, Index cols, int ranks = 1);

/// A chunk: blocks [block, block + blocks), or a part of a block, of which `begins` and `ends` are the first and last.
struct GpuChunk {
    Index begin = 0, rows = 0, block = 0, blocks = 1;
    bool begins = true, ends = true;
};
/// The chunks of blocks [first, last) of all rows, in order.
std::vector<GpuChunk> chunks_of(const GpuPlan& plan, Index rows, Index first, Index last);

/// The points stay in device memory, or are copied there by chunks in every step if they take more than half of it.
std::unique_ptr<GpuExpectations> expect_on_gpu(MatrixView<const float> points, Covariance covariance, Index components,
                                               const Run& run);

/// Implementation in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(mixture::expect_on_gpu) expect_on_gpu;
}  // namespace backend

}  // namespace dunlin::mixture
