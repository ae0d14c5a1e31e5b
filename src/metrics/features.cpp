#include "metrics/features.hpp"

#include <algorithm>
#include <cmath>

#include "neighbors/checks.hpp"

namespace dunlin::metrics {

using neighbors::Metric;

Features::Features(device::Cpu& cpu, MatrixView<const float> points, Metric metric, float mark)
    : points_(points), manhattan_(metric == Metric::manhattan), mark_(mark) {
    neighbors::require_distance(metric, "a score");
    if (metric == Metric::cosine || metric == Metric::correlation) {
        scale_each(cpu, metric == Metric::correlation);
    } else {
        scale_all(cpu);
    }
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
    const float most = largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end());
    if (most > 0) common_scale_ = std::ldexp(1.0F, std::clamp(-std::ilogb(most), -126, 126));
}

void Features::scale_each(device::Cpu& cpu, bool centred) {
    constexpr double rounding = 1e-14;  // a squared length below this share is what float32 makes of a constant row
    shift_.assign(static_cast<std::size_t>(points_.rows), 0);
    scale_.assign(shift_.size(), 0);
    cpu.each(
        points_.rows,
        [&](Offset i) {
            double sum = 0, raw = 0, length = 0;
            const auto row = points_.row(static_cast<Index>(i));
            for (const float x : row) sum += static_cast<double>(x);
            const double mean = centred ? sum / static_cast<double>(row.size()) : 0;
            for (const float x : row) {
                raw += static_cast<double>(x) * static_cast<double>(x);
                length += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
            }
            const auto at = static_cast<std::size_t>(i);
            shift_[at] = static_cast<float>(mean);
            if (length > rounding * raw) scale_[at] = static_cast<float>(1 / std::sqrt(length));
        },
        64);
    any_zero_ = std::find(scale_.begin(), scale_.end(), 0.0F) != scale_.end();
}

void Features::copy(Index i, Index begin, Index end, float* out, int stride) const {
    const float shift = shift_.empty() ? 0 : shift_[static_cast<std::size_t>(i)];
    const float scale = scale_.empty() ? common_scale_ : scale_[static_cast<std::size_t>(i)];
    const float* row = points_.data + Offset{i} * points_.cols;
    const Index own = std::min(end, points_.cols);
    if (stride == 1) {  // a loop of its own, because it vectorises
        for (Index c = begin; c < own; ++c) out[c - begin] = feature(row[c], shift, scale);
    } else {
        for (Index c = begin; c < own; ++c) out[Offset{c - begin} * stride] = feature(row[c], shift, scale);
    }
    if (end > points_.cols) out[Offset{points_.cols - begin} * stride] = scale == 0 ? mark_ : 0.0F;
}

}  // namespace dunlin::metrics
