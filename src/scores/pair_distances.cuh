// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "device/points.cuh"
#include "distance/features.hpp"

namespace dunlin::scores {

/// Rows in device memory as features (distance/features.hpp), for kernels.
struct FeatureRows {
    const float* values = nullptr;
    const double *shifts = nullptr, *scales = nullptr;  ///< per point; null: 0 and the common scale
    float common_scale = 1, mark = 1;
    Index cols = 0, features = 0;

    /// Feature c of the row at `place` of the values, which is point `id`.
    [[nodiscard]] __device__ float at(Index place, Index id, Index c) const {
        if (c >= cols) return scales[id] == 0 ? mark : 0.0F;
        const float x = values[Offset{place} * cols + c];
        if (scales == nullptr) return x * common_scale;
        return distance::feature(x, shifts == nullptr ? 0.0 : shifts[id], scales[id]);
    }
};

/// PairDistances (pair_distances.hpp) on a GPU. Sums have the order of the CPU's, with fused multiply-adds: the same
/// bits as on a CPU that has these. Points that are not in device memory are copied in blocks.
class DevicePairDistances {
public:
    DevicePairDistances(device::Cuda& cuda, device::Cpu& cpu, const device::DevicePoints& points,
                        neighbors::Metric metric);

    [[nodiscard]] Index size() const { return points_.host.rows; }
    [[nodiscard]] bool manhattan() const { return features_->manhattan(); }
    [[nodiscard]] neighbors::Metric metric() const { return metric_; }

    /// Rows of the data, as features: count x features.
    struct Rows {
        device::CudaBuffer<float> features;
        Index count = 0;
    };
    [[nodiscard]] Rows gather(std::span<const Index> rows);

    /// out[r * stride + i - begin] = distance of row r from point i, for points [begin, end). `stride` is a multiple of
    /// 4, and `out` aligned to 16 bytes.
    void fill(const Rows& rows, Index begin, Index end, float* out, Offset stride);

    /// Distances of every row from its own k others (rows.size() x k).
    [[nodiscard]] device::CudaBuffer<float> to_others(std::span<const Index> rows, std::span<const Index> others);

    /// Distances between all pairs of some rows: row r begins at r * padded_stride(rows.size()); and on the host,
    /// without gaps.
    [[nodiscard]] device::CudaBuffer<float> table_of(std::span<const Index> rows);
    [[nodiscard]] std::vector<float> between(std::span<const Index> rows);

private:
    [[nodiscard]] FeatureRows rows_of(const float* values) const;
    [[nodiscard]] Index points_at_once() const;
    void fill_block(const Rows& rows, const FeatureRows& points, Index first, Index begin, Index end, float* out,
                    Offset stride);

    device::Cuda& cuda_;
    const device::DevicePoints& points_;
    neighbors::Metric metric_;
    std::optional<distance::Features> features_;
    device::CudaBuffer<double> shifts_, scales_;
    device::CudaBuffer<float> block_;  ///< of points that are in host memory
};

constexpr Offset padded_stride(Index count) { return (Offset{count} + 3) / 4 * 4; }

}  // namespace dunlin::scores
