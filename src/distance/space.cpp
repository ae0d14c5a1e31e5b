// SPDX-License-Identifier: Apache-2.0
#include "distance/space.hpp"

#include <cmath>
#include <limits>

#include "distance/check.hpp"
#include "distance/keys.hpp"
#include "distance/sparse_keys.hpp"

namespace dunlin::distance {

using neighbors::Metric;

Space::Space(device::Cpu& cpu, MatrixView<const float> points, Metric metric, MatrixView<const float> queries)
    : points_(points), queries_(queries), metric_(metric) {
    if (row_of(metric).is_by_terms) measure_ = std::make_shared<const PairMeasure>(cpu, points, metric, queries);
    find_directions(cpu, [&](Index r) { return row(r); });
}

Space::Space(device::Cpu& cpu, const SparseView& points, Metric metric)
    : points_{nullptr, points.rows, points.cols}, sparse_(points), metric_(metric) {
    require_dense(metric);
    find_directions(cpu, [&](Index r) { return points.row(r).values; });
}

template <class Stored>
void Space::find_directions(device::Cpu& cpu, const Stored& stored) {
    if (!unit_rows()) return;
    const auto rows = static_cast<std::size_t>(this->rows()), cols = static_cast<std::size_t>(points_.cols);
    if (metric_ == Metric::correlation) mean_.resize(rows);
    scale_.resize(rows);
    cpu.each(
        this->rows(),
        [&](Offset r) {
            const auto at = static_cast<std::size_t>(r);
            const math::Direction own = math::direction_of(stored(static_cast<Index>(r)), cols, !mean_.empty());
            if (!mean_.empty()) mean_[at] = own.mean;
            scale_[at] = own.scale;
        },
        64);
}

double Space::key(Index a, Index b) const {
    if (sparse_) return sparse_key(metric_, points_.cols, sparse_->row(a), direction(a), sparse_->row(b), direction(b));
    if (measure_) return measure_->between(a, b);
    const float* x = row(a).data();
    const float* y = row(b).data();
    if (metric_ == Metric::euclidean) return squared_difference(x, y, points_.cols);
    if (metric_ == Metric::manhattan) return absolute_difference(x, y, points_.cols);
    if (metric_ == Metric::inner_product) return 0.0 - inner_product(x, y, points_.cols);  // no -0
    if (scale(a) == 0 || scale(b) == 0) return scale(a) == scale(b) ? 0.0 : 2.0;
    return squared_difference(x, {mean(a), scale(a)}, y, {mean(b), scale(b)}, points_.cols);
}

float Space::rough_key(Index a, Index b) const {
    if (metric_ != Metric::euclidean) return static_cast<float>(key(a, b));
    return squared_difference_in_floats(row(a).data(), row(b).data(), points_.cols);
}

/// No term is negative, so the rounding error is relative to the sum: 2^-24 per addition and for the two operations
/// before it, plus the underflow of each term.
float Space::rough_reach(float rough) const {
    if (points_.cols >= 1 << 20) return std::numeric_limits<float>::infinity();
    const auto cols = static_cast<float>(points_.cols);
    return rough * (1 + 4 * (cols + 16) * 0x1p-24F) + cols * 0x1p-148F;
}

float Space::distance(double key) const {
    if (metric_ == Metric::euclidean) return static_cast<float>(std::sqrt(key));
    if (metric_ == Metric::inner_product) return static_cast<float>(0.0 - key);
    return static_cast<float>(metric_ == Metric::manhattan || measure_ ? key : key / 2);
}

void Space::normalized(Index r, double* out) const {
    const double less = mean(r), by = scale(r);
    for (const float value : row(r)) *out++ = (static_cast<double>(value) - less) * by;
}

}  // namespace dunlin::distance
