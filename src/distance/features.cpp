// SPDX-License-Identifier: Apache-2.0
#include "distance/features.hpp"

#include <algorithm>
#include <cmath>

#include "distance/check.hpp"
#include "math/direction.hpp"

namespace dunlin::distance {

using neighbors::Metric;

Features::Features(device::Cpu& cpu, MatrixView<const float> points, Metric metric, float mark)
    : points_(points), manhattan_(metric == Metric::manhattan), mark_(mark) {
    require_distance(metric, "a score");
    if (metric == Metric::cosine || metric == Metric::correlation) {
        scale_each(cpu, metric == Metric::correlation);
    } else {
        scale_all(cpu);
    }
}

Features::Features(MatrixView<const float> points, Metric metric, float largest)
    : points_(points), manhattan_(metric == Metric::manhattan) {
    require_distance(metric, "a score");
    scale_by(largest);
}

void Features::scale_all(device::Cpu& cpu) {
    std::vector<float> largest(static_cast<std::size_t>(points_.rows));
    cpu.each(
        points_.rows,
        [&](Offset i) {
            float most = 0;
            for (const float x : points_.row(static_cast<Index>(i))) most = std::max(most, std::abs(x));
            largest[static_cast<std::size_t>(i)] = most;
        },
        64);
    scale_by(largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end()));
}

void Features::scale_by(float most) {
    if (most > 0) common_scale_ = std::ldexp(1.0F, std::clamp(-std::ilogb(most), -126, 126));
}

void Features::scale_each(device::Cpu& cpu, bool centered) {
    if (centered) shift_.assign(static_cast<std::size_t>(points_.rows), 0);
    scale_.assign(static_cast<std::size_t>(points_.rows), 0);
    cpu.each(
        points_.rows,
        [&](Offset i) {
            const auto at = static_cast<std::size_t>(i);
            const math::Direction own = math::direction_of(points_.row(static_cast<Index>(i)), centered);
            if (centered) shift_[at] = own.mean;
            // In float32 where possible: the product with a scale is rounded once
            const auto narrow = static_cast<float>(own.scale);
            scale_[at] = std::isnormal(narrow) ? static_cast<double>(narrow) : own.scale;
        },
        64);
    any_zero_ = std::find(scale_.begin(), scale_.end(), 0.0) != scale_.end();
}

void Features::copy(Index i, Index begin, Index end, float* out, int stride) const {
    const double shift = shift_.empty() ? 0 : shift_[static_cast<std::size_t>(i)];
    const double scale = scale_.empty() ? static_cast<double>(common_scale_) : scale_[static_cast<std::size_t>(i)];
    const float* row = points_.data + Offset{i} * points_.cols;
    const Index own = std::min(end, points_.cols);
    if (stride == 1) {  // separate loop that vectorizes
        for (Index c = begin; c < own; ++c) out[c - begin] = feature(row[c], shift, scale);
    } else {
        for (Index c = begin; c < own; ++c) out[Offset{c - begin} * stride] = feature(row[c], shift, scale);
    }
    if (end > points_.cols) out[Offset{points_.cols - begin} * stride] = scale == 0 ? mark_ : 0.0F;
}

}  // namespace dunlin::distance
