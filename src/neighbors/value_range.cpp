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
        if (metric == Metric::chebyshev) {
            sum = std::max(sum, std::abs(v));
        } else {
            sum += metric == Metric::manhattan ? std::abs(v) : v * v;
        }
    }
    return metric == Metric::manhattan || metric == Metric::chebyshev ? sum : std::sqrt(sum);
}

/// Bound of the distance of two rows with these norms, or of their inner product.
double largest_distance(double size, double next, Metric metric) {
    return metric == Metric::inner_product ? size * next : size + next;
}

/// Bound of the norms of rows with these statistics.
double largest_size(const ValueStatistics& statistics, Index cols, Metric metric) {
    const double value =
        std::max(std::abs(static_cast<double>(statistics.least)), std::abs(static_cast<double>(statistics.most)));
    if (metric == Metric::chebyshev) return value;
    return value * (metric == Metric::manhattan ? cols : std::sqrt(cols));
}

std::vector<double> sizes_of(device::Cpu& cpu, MatrixView<const float> rows, Metric metric) {
    std::vector<double> sizes(at(rows.rows));
    cpu.each(rows.rows, [&](Offset r) { sizes[at(r)] = size_of(rows.row(static_cast<Index>(r)), metric); }, 64);
    return sizes;
}

/// Distances of any finite rows are in range. braycurtis: its search looks at each list.
bool bounded(Metric metric) {
    return metric == Metric::cosine || metric == Metric::correlation ||
           (row_of(metric).is_by_terms && metric != Metric::chebyshev);
}

}  // namespace

void require_range(device::Cpu& cpu, MatrixView<const float> points, Metric metric, const ValueStatistics& statistics) {
    if (bounded(metric) || points.rows < 2) return;
    const double most = largest_size(statistics, points.cols, metric);
    if (largest_distance(most, most, metric) <= largest) return;

    require_range(sizes_of(cpu, points, metric), metric);
}

void require_range(std::vector<double> sizes, Metric metric) {
    if (sizes.size() < 2) return;
    const auto longest = std::max_element(sizes.begin(), sizes.end());
    const auto row = static_cast<Index>(longest - sizes.begin());
    const double size = std::exchange(*longest, 0.0);
    if (largest_distance(size, *std::max_element(sizes.begin(), sizes.end()), metric) > largest)
        fail_for_large_row(row, metric);
}

void require_range(device::Cpu& cpu, const SparseView& points, Metric metric) {
    std::vector<double> sizes(at(points.rows));
    cpu.each(
        points.rows, [&](Offset r) { sizes[at(r)] = size_of(points.row(static_cast<Index>(r)).values, metric); }, 64);
    // The square of a finite float32 is finite in double
    const auto bad = std::find_if_not(sizes.begin(), sizes.end(), [](double size) { return std::isfinite(size); });
    if (bad != sizes.end()) fail_for_not_finite(static_cast<Index>(bad - sizes.begin()));
    if (!bounded(metric)) require_range(std::move(sizes), metric);
}

void require_range_of_queries(device::Cpu& cpu, MatrixView<const float> points, MatrixView<const float> queries,
                              Metric metric, const ValueStatistics& statistics) {
    const ValueStatistics own = collect_statistics(cpu, queries, RowKind::query);
    if (bounded(metric) || queries.rows == 0) return;
    if (largest_distance(largest_size(own, queries.cols, metric), largest_size(statistics, points.cols, metric),
                         metric) <= largest) {
        return;
    }

    const std::vector<double> of_points = sizes_of(cpu, points, metric), of_queries = sizes_of(cpu, queries, metric);
    const auto point = std::max_element(of_points.begin(), of_points.end());
    const auto query = std::max_element(of_queries.begin(), of_queries.end());
    if (largest_distance(*query, *point, metric) <= largest) return;
    if (*query < *point) fail_for_large_row(static_cast<Index>(point - of_points.begin()), metric);
    fail_for_large_row(static_cast<Index>(query - of_queries.begin()), metric, RowKind::query);
}

}  // namespace dunlin::neighbors
