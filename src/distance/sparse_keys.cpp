// SPDX-License-Identifier: Apache-2.0
#include "distance/sparse_keys.hpp"

#include <cmath>

namespace dunlin::distance {

namespace {

using neighbors::Metric;

/// Calls take(value of x, value of y) for the columns that are stored in x or y, with 0 for a number that is not
/// stored. Returns the number of these columns.
template <class Take>
std::size_t each_stored(SparseRow x, SparseRow y, const Take& take) {
    std::size_t i = 0, j = 0, count = 0;
    for (; i < x.columns.size() || j < y.columns.size(); ++count) {
        const bool take_x = j == y.columns.size() || (i < x.columns.size() && x.columns[i] <= y.columns[j]);
        const bool take_y = i == x.columns.size() || (j < y.columns.size() && y.columns[j] <= x.columns[i]);
        take(take_x ? static_cast<double>(x.values[i]) : 0.0, take_y ? static_cast<double>(y.values[j]) : 0.0);
        i += take_x ? 1 : 0;
        j += take_y ? 1 : 0;
    }
    return count;
}

double inner_product(SparseRow x, SparseRow y) {
    double sum = 0;
    std::size_t j = 0;
    for (std::size_t i = 0; i < x.columns.size(); ++i) {
        while (j < y.columns.size() && y.columns[j] < x.columns[i]) ++j;
        if (j == y.columns.size()) break;
        if (y.columns[j] == x.columns[i]) sum += static_cast<double>(x.values[i]) * static_cast<double>(y.values[j]);
    }
    return sum;
}

double absolute_difference(SparseRow x, SparseRow y) {
    double sum = 0;
    each_stored(x, y, [&](double a, double b) { sum += std::abs(a - b); });
    return sum;
}

/// sum (x_c - y_c)^2 over all columns, with x_c = (value - mean) * scale
double squared_difference(Index cols, SparseRow x, math::Direction of_x, SparseRow y, math::Direction of_y) {
    double sum = 0;
    const std::size_t stored = each_stored(x, y, [&](double a, double b) {
        const double difference = (a - of_x.mean) * of_x.scale - (b - of_y.mean) * of_y.scale;
        sum += difference * difference;
    });
    const double apart = of_x.mean * of_x.scale - of_y.mean * of_y.scale;
    return sum + static_cast<double>(static_cast<std::size_t>(cols) - stored) * apart * apart;
}

}  // namespace

double sparse_key(Metric metric, Index cols, SparseRow x, math::Direction of_x, SparseRow y, math::Direction of_y) {
    if (metric == Metric::inner_product) return 0.0 - inner_product(x, y);  // no -0
    if (metric == Metric::manhattan) return absolute_difference(x, y);
    if (of_x.scale == 0 || of_y.scale == 0) return of_x.scale == of_y.scale ? 0.0 : 2.0;
    return squared_difference(cols, x, of_x, y, of_y);
}

}  // namespace dunlin::distance
