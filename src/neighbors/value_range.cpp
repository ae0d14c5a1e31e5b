// SPDX-License-Identifier: Apache-2.0
#include "neighbors/value_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "math/at.hpp"
#include "neighbors/checks.hpp"

namespace dunlin::neighbors {

namespace {

constexpr double largest = std::numeric_limits<float>::max();

double size_of(std::span<const float> row, Metric metric) {
    double sum = 0;
    for (const float value : row) {
        const auto v = static_cast<double>(value);
        sum += metric == Metric::manhattan ? std::abs(v) : v * v;
    }
    return metric == Metric::manhattan ? sum : std::sqrt(sum);
}

/// Bound of the distance of two rows with these norms, or of their inner product.
double largest_distance(double size, double next, Metric metric) {
    return metric == Metric::inner_product ? size * next : size + next;
}

/// Throws for the row of the largest of these sizes if its distance to another may overflow.
void require_range(std::vector<double> sizes, Metric metric) {
    const auto longest = std::max_element(sizes.begin(), sizes.end());
    const auto row = static_cast<Index>(longest - sizes.begin());
    const double size = std::exchange(*longest, 0.0);
    if (largest_distance(size, *std::max_element(sizes.begin(), sizes.end()), metric) > largest)
        fail_for_large_row(row, metric);
}

}  // namespace

void require_range(device::Cpu& cpu, MatrixView<const float> points, Metric metric, const ValueStatistics& statistics) {
    if (metric == Metric::cosine || metric == Metric::correlation || points.rows < 2) return;
    const double value =
        std::max(std::abs(static_cast<double>(statistics.least)), std::abs(static_cast<double>(statistics.most)));
    const double most = value * (metric == Metric::manhattan ? points.cols : std::sqrt(points.cols));
    if (largest_distance(most, most, metric) <= largest) return;

    std::vector<double> sizes(at(points.rows));
    cpu.each(points.rows, [&](Offset r) { sizes[at(r)] = size_of(points.row(static_cast<Index>(r)), metric); }, 64);
    require_range(std::move(sizes), metric);
}

void require_range(device::Cpu& cpu, const SparseView& points, Metric metric) {
    std::vector<double> sizes(at(points.rows));
    cpu.each(
        points.rows, [&](Offset r) { sizes[at(r)] = size_of(points.row(static_cast<Index>(r)).values, metric); }, 64);
    // The square of a finite float32 is finite in double
    const auto bad = std::find_if_not(sizes.begin(), sizes.end(), [](double size) { return std::isfinite(size); });
    if (bad != sizes.end()) fail_for_not_finite(static_cast<Index>(bad - sizes.begin()));
    if (metric != Metric::cosine && metric != Metric::correlation && points.rows > 1)
        require_range(std::move(sizes), metric);
}

}  // namespace dunlin::neighbors
