// SPDX-License-Identifier: Apache-2.0
#include "kmeans/nearest.hpp"

#include "kmeans/formulas.hpp"

namespace dunlin::kmeans {

double squared_distance(const float* x, const float* y, Index cols) { return squared_distance_of(x, y, cols); }

Index nearest_in_double(const float* point, Index cols, const float* centroids, Index k) {
    return nearest_of(point, cols, centroids, k);
}

}  // namespace dunlin::kmeans
