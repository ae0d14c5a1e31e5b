// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/mds.hpp>

#include "device/points.cuh"
#include "mds/input/source.hpp"

namespace dunlin::mds {

/// Dissimilarities in device memory, as kernels see them: rows of points or of the matrix, `stride` (a multiple of 4)
/// values apart. The padding is 0 for points and NaN (missing) for a matrix.
struct Items {
    const float* values;
    Index n, stride;
    DissimilarityKind kind;
    float unit;

    [[nodiscard]] DUNLIN_HD const float* row(Index i) const { return values + Offset{i} * stride; }
    [[nodiscard]] DUNLIN_HD const float4* quads(Index i) const { return reinterpret_cast<const float4*>(row(i)); }

    /// delta(i, j); NaN where it is missing.
    DUNLIN_HD float operator()(Index i, Index j) const;
};

/// Adds the terms of four coordinates to a pair's sum.
template <bool manhattan>
DUNLIN_HD float apart(const float4& a, const float4& b, float sum) {
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, w = a.w - b.w;
    if constexpr (manhattan) return sum + fabsf(x) + fabsf(y) + fabsf(z) + fabsf(w);
    return sum + x * x + y * y + z * z + w * w;
}

DUNLIN_HD inline float Items::operator()(Index i, Index j) const {
    if (kind == DissimilarityKind::given) return row(i)[j];
    const float4 *a = quads(i), *b = quads(j);
    float sum = 0;
    if (kind == DissimilarityKind::sum) {
        for (Index q = 0; q < stride / 4; ++q) sum = apart<true>(a[q], b[q], sum);
    } else {
        for (Index q = 0; q < stride / 4; ++q) sum = apart<false>(a[q], b[q], sum);
    }
    return dissimilarity(sum, kind, unit);
}

/// Weights of pairs, as kernels see them (WeightScale).
struct DeviceWeights {
    const float* values = nullptr;  ///< n rows, `stride` apart; null: all weights are 1
    Index stride = 0;
    float unit = 1;

    DUNLIN_HD float operator()(Index i, Index j) const {
        return values == nullptr ? 1.0F : unit * values[Offset{i} * stride + j];
    }
};

/// Dissimilarities in device memory.
class DeviceSource {
public:
    /// Throws Error{out_of_memory} before it exceeds the memory limit. weights: n x n, or null.
    DeviceSource(device::Cuda& cuda, const Dissimilarities& items, const Matrix* weights = nullptr);

    [[nodiscard]] Index size() const { return items_.n; }
    [[nodiscard]] bool complete() const { return complete_; }
    [[nodiscard]] const Items& items() const { return items_; }
    [[nodiscard]] DeviceWeights weights() const { return {weights_.data(), padded(items_.n), scale_.unit}; }
    [[nodiscard]] float largest_weight() const { return scale_.largest; }
    /// delta(i, j) as a function object.
    [[nodiscard]] const Items& between() const { return items_; }
    /// The points in units of items().unit, or the rows of the matrix.
    [[nodiscard]] const device::DevicePoints& points() const { return points_; }

private:
    Items items_;
    bool complete_;
    device::DevicePoints points_;
    device::CudaBuffer<float> weights_;
    WeightScale scale_;
};

/// Calls body<Dim>() with the map's dimension if kernels are specialized for it, else with 0.
template <class Body>
void with_dim(int dim, const Body& body) {
    if (dim == 1) return body.template operator()<1>();
    if (dim == 2) return body.template operator()<2>();
    if (dim == 3) return body.template operator()<3>();
    body.template operator()<0>();
}

/// Uploads rows, padded with `filler` to padded(cols) columns.
device::CudaBuffer<float> hold_padded(device::Cuda& cuda, MatrixView<const float> rows, float filler);

}  // namespace dunlin::mds
