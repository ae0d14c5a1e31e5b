// SPDX-License-Identifier: Apache-2.0
#include "clusters/source.hpp"

#include <algorithm>
#include <cmath>

namespace dunlin::clusters {

namespace {

/// 0: all values are finite.
Index label_of(std::span<const float> row) {
    bool above = false, below = false;
    for (const float value : row) {
        if (std::isnan(value)) return missing_row;
        above |= std::isinf(value) && value > 0;
        below |= std::isinf(value) && value < 0;
    }
    return above && below ? missing_row : above || below ? infinite_row : 0;
}

}  // namespace

FiniteRows find_finite_rows(device::Cpu& cpu, MatrixView<const float> points) {
    FiniteRows finite;
    finite.labels.resize(at(points.rows));
    cpu.each(points.rows, [&](Offset r) { finite.labels[at(r)] = label_of(points.row(static_cast<Index>(r))); }, 1024);
    finite.count = static_cast<Index>(std::count(finite.labels.begin(), finite.labels.end(), 0));
    if (finite.count == points.rows) {
        finite.labels.clear();
        return finite;
    }
    for (Index r = 0; r < points.rows; ++r) {
        if (finite.labels[at(r)] == 0) finite.rows.push_back(r);
    }
    return finite;
}

MatrixView<const float> finite_part(MatrixView<const float> points, const FiniteRows& finite,
                                    std::vector<float>& kept) {
    if (finite.count == points.rows) return points;
    kept.reserve(at(finite.count) * at(points.cols));
    for (const Index r : finite.rows) kept.insert(kept.end(), points.row(r).begin(), points.row(r).end());
    return {kept.data(), finite.count, points.cols};
}

MetricSource::MetricSource(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric,
                           MatrixView<const float> queries)
    : space_(cpu, points, metric, queries) {
    const Index cols = points.cols;
    bool has_zeros = false;
    for (Index r = 0; r < space_.rows() && space_.unit_rows() && !has_zeros; ++r) has_zeros = space_.scale(r) == 0;
    source_.points = space_.rows();
    source_.cols = has_zeros ? cols + 1 : cols;
    source_.norm = metric == neighbors::Metric::manhattan ? spanning::Norm::l1 : spanning::Norm::l2;
    source_.halved = space_.unit_rows();
    source_.write = [this, cols, has_zeros](Index r, double* out) {
        space_.normalized(r, out);
        if (!has_zeros) return;
        const bool is_zero = space_.scale(r) == 0;
        if (is_zero) std::fill_n(out, cols, 0.0);
        out[cols] = is_zero ? 1 : 0;
    };
}

}  // namespace dunlin::clusters
