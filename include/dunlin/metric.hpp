// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace dunlin::neighbors {

/// What a distance of two rows is, in the order of the table below.
enum class Metric {
    euclidean,
    cosine,
    manhattan,
    correlation,
    inner_product,
    chebyshev,
    canberra,
    braycurtis,
    hamming,
    jaccard,
    dice,
    hellinger,
    haversine
};

/// Which values a metric compares.
enum class Takes { numbers, amounts, truths, places };

/// One row for each metric.
struct MetricRow {
    std::string_view name, definition;
    Takes takes = Takes::numbers;
    bool is_by_terms = true;  ///< computed pair by pair on a CPU (distance/measure.hpp); not: kernels of its own
};

/// 0/0 is 0. truths: a value counts as true if it is not 0. inner-product: the largest are nearest; it is no distance,
/// a row may be nearer to others than to its own copy, and only the search accepts it.
constexpr std::array<MetricRow, 13> metric_table = {{
    {"euclidean", "|x - y|", Takes::numbers, false},
    {"cosine", "1 - x.y / (|x||y|), 1 if one row is zero, 0 between two zero rows", Takes::numbers, false},
    {"manhattan", "sum |x_c - y_c|", Takes::numbers, false},
    {"correlation", "cosine after each row's mean is subtracted", Takes::numbers, false},
    {"inner-product", "x.y, the largest are nearest", Takes::numbers, false},
    {"chebyshev", "max |x_c - y_c|"},
    {"canberra", "sum |x_c - y_c| / (|x_c| + |y_c|)"},
    {"braycurtis", "sum |x_c - y_c| / sum |x_c + y_c|"},
    {"hamming", "share of columns where x_c != y_c"},
    {"jaccard", "columns where one of two is true / where any is (Tanimoto)", Takes::truths},
    {"dice", "columns where one of two is true / number of true values of both", Takes::truths},
    {"hellinger", "sqrt(1 - sum sqrt(x_c y_c) / sqrt(sum x sum y)), 1 if one row is zero", Takes::amounts},
    {"haversine", "angle on the sphere, of latitude and longitude in radians", Takes::places},
}};

constexpr std::array<std::string_view, metric_table.size()> names(Metric) {
    std::array<std::string_view, metric_table.size()> all{};
    for (std::size_t m = 0; m < all.size(); ++m) all[m] = metric_table[m].name;
    return all;
}

constexpr const MetricRow& row_of(Metric metric) { return metric_table[static_cast<std::size_t>(metric)]; }

}  // namespace dunlin::neighbors
