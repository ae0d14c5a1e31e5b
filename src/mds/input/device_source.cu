// SPDX-License-Identifier: Apache-2.0
#include "mds/input/device_source.cuh"

#include <limits>

#include "device/gpus.hpp"
#include "distance/features.hpp"
#include "mds/backend.hpp"

namespace dunlin::mds {

namespace {

using device::Cuda;
using device::CudaBuffer;

struct Pad {
    const float* from;
    float* to;
    Index cols, stride;
    float filler;
    __device__ void operator()(Offset k) const {
        const Offset row = k / stride, column = k % stride;
        to[k] = column < cols ? from[row * cols + column] : filler;
    }
};

/// Replaces values by features (distance/features.hpp) in place; the feature that marks zero rows is appended.
struct ToFeatures {
    float* values;
    const double *shift, *scale;  ///< per row; null: 0 and `common`
    float common, mark;
    Index cols, stride;
    __device__ void operator()(Offset k) const {
        const Offset row = k / stride, column = k % stride;
        const double own = scale == nullptr ? static_cast<double>(common) : scale[row];
        if (column < cols) values[k] = distance::feature(values[k], shift == nullptr ? 0.0 : shift[row], own);
        if (column == cols) values[k] = own == 0 ? mark : 0.0F;
    }
};

CudaBuffer<float> features_of(Cuda& cuda, MatrixView<const float> points, const distance::Features& features) {
    const Index stride = padded(features.cols());
    CudaBuffer<float> values = hold_padded(cuda, points, 0.0F);
    if (padded(points.cols) != stride) {  // no room for the extra feature
        CudaBuffer<float> wider(static_cast<std::size_t>(Offset{points.rows} * stride), cuda.stream());
        cuda.each(Offset{points.rows} * stride, Pad{values.data(), wider.data(), padded(points.cols), stride, 0.0F});
        values = std::move(wider);
    }
    CudaBuffer<double> shift, scale;
    cuda.upload(shift, features.shifts());
    cuda.upload(scale, features.scales());
    cuda.each(Offset{points.rows} * stride, ToFeatures{values.data(), shift.data(), scale.data(), features.scale(),
                                                       features.mark(), points.cols, stride});
    return values;
}

/// Features of points; empty for a matrix.
std::optional<distance::Features> features_of(const Cuda& cuda, const Dissimilarities& items) {
    if (!items.has_points()) return {};
    device::Cpu cpu(cuda.run());
    return distance::Features(cpu, items.values().view(), *items.metric(), no_direction);
}

}  // namespace

CudaBuffer<float> hold_padded(Cuda& cuda, MatrixView<const float> rows, float filler) {
    CudaBuffer<float> plain;
    cuda.upload(plain, std::span(rows.data, static_cast<std::size_t>(rows.size())));
    const Index stride = padded(rows.cols);
    if (stride == rows.cols) return plain;
    CudaBuffer<float> wider(static_cast<std::size_t>(Offset{rows.rows} * stride), cuda.stream());
    cuda.each(Offset{rows.rows} * stride, Pad{plain.data(), wider.data(), rows.cols, stride, filler});
    return wider;
}

DeviceSource::DeviceSource(Cuda& cuda, const Dissimilarities& items, const Matrix* weights)
    : complete_(items.missing() == 0) {
    device::require_gpu_memory(bytes_on_gpu(items, weights != nullptr), device::allowance(cuda),
                               "multidimensional scaling of these items");
    const auto features = features_of(cuda, items);
    const MatrixView<const float> values = items.values().view();
    const Index n = items.size(), stride = padded(features ? features->cols() : values.cols);
    constexpr float missing = std::numeric_limits<float>::quiet_NaN();
    points_ = {{nullptr, n, stride},
               features ? features_of(cuda, values, *features) : hold_padded(cuda, values, missing)};
    if (weights != nullptr) {
        device::Cpu cpu(cuda.run());
        weights_ = hold_padded(cuda, weights->view(), 0.0F);
        scale_ = scale_of(cpu, weights->view());
    }
    items_ = {points_.rows.data(), n, stride, DissimilarityKind::given, 1.0F};
    if (!features) return;
    items_.kind = kind_of(*items.metric());
    if (items_.kind != DissimilarityKind::half) items_.unit = 1 / features->scale();
}

}  // namespace dunlin::mds
