// SPDX-License-Identifier: Apache-2.0
#include "kmeans/sparse_input.hpp"

#include <algorithm>
#include <cmath>

#include "kmeans/formulas.hpp"
#include "kmeans/nearest.hpp"
#include "math/at.hpp"

namespace dunlin::kmeans {

void CentroidColumns::set(const std::vector<float>& centroids, Index cols) {
    cols_ = cols;
    centroids_ = centroids.data();
    const std::size_t count = centroids.size() / at(cols);
    by_column_.resize(centroids.size());
    squares_.assign(count, 0);
    for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t c = 0; c < at(cols); ++c) {
            const float value = centroids[k * at(cols) + c];
            by_column_[c * count + k] = value;
            squares_[k] = add_square(squares_[k], value, 0);
        }
    }
    most_ = *std::max_element(squares_.begin(), squares_.end());
}

// |x - c|^2 is the sum of (x - c)^2 over the stored columns, and of c^2 over the others: |c|^2 less its part in the
// stored columns. If x equals c, both parts are exactly 0, because the sums of c^2 have the same terms in one order.

void CentroidColumns::find_distances(SparseRow x, std::vector<double>& out) const {
    const std::size_t count = squares_.size();
    out.assign(2 * count, 0);
    double *const near = out.data(), *const inside = near + count;
    for (std::size_t e = 0; e < x.columns.size(); ++e) {
        const float* c = by_column_.data() + at(x.columns[e]) * count;
        for (std::size_t k = 0; k < count; ++k) {
            near[k] = add_square(near[k], x.values[e], c[k]);
            inside[k] = add_square(inside[k], c[k], 0);
        }
    }
    for (std::size_t k = 0; k < count; ++k) near[k] += std::max(0.0, squares_[k] - inside[k]);
    out.resize(count);
}

double CentroidColumns::distance(SparseRow x, Index k) const {
    const float* c = centroids_ + Offset{k} * cols_;
    double near = 0, inside = 0;
    for (std::size_t e = 0; e < x.columns.size(); ++e) {
        near = add_square(near, x.values[e], c[x.columns[e]]);
        inside = add_square(inside, c[x.columns[e]], 0);
    }
    return near + std::max(0.0, squares_[at(k)] - inside);
}

Index CentroidColumns::nearest(SparseRow x, Scratch& scratch) const {
    find_distances(x, scratch.distances);
    const auto best = std::min_element(scratch.distances.begin(), scratch.distances.end());
    double square = 0;
    for (const float value : x.values) square = add_square(square, value, 0);
    // The rounding of two distances here and of two by definition
    const double limit = *best + (cols_ + 16.0) * 0x1p-49 * (square + most_);
    const auto close = std::count_if(scratch.distances.begin(), scratch.distances.end(),
                                     [limit](double distance) { return distance <= limit; });
    return close == 1 ? static_cast<Index>(best - scratch.distances.begin()) : nearest_by_definition(x, limit, scratch);
}

Index CentroidColumns::nearest_by_definition(SparseRow x, double limit, Scratch& scratch) const {
    scratch.row.resize(at(cols_));
    for (std::size_t e = 0; e < x.columns.size(); ++e) scratch.row[at(x.columns[e])] = x.values[e];
    double least = 0;
    Index label = -1;
    for (Index k = 0; k < clusters(); ++k) {
        if (scratch.distances[at(k)] > limit) continue;
        const double distance = squared_distance(scratch.row.data(), centroids_ + Offset{k} * cols_, cols_);
        if (label < 0 || distance < least) least = distance, label = k;
    }
    for (const Index column : x.columns) scratch.row[at(column)] = 0;
    return label;
}

}  // namespace dunlin::kmeans
