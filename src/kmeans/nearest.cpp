#include "kmeans/nearest.hpp"

#include <limits>

#include "kmeans/formulas.hpp"

namespace dunlin::kmeans {

double squared_distance(const float* x, const float* y, Index cols) {
    double sum = 0;
    for (Index c = 0; c < cols; ++c) sum = add_square(sum, x[c], y[c]);
    return sum;
}

Index nearest_in_double(const float* point, Index cols, const float* centroids, Index k) {
    double best = std::numeric_limits<double>::infinity();
    Index label = 0;
    for (Index c = 0; c < k; ++c) {
        const double distance = squared_distance(point, centroids + Offset{c} * cols, cols);
        if (distance < best) best = distance, label = c;
    }
    return label;
}

}  // namespace dunlin::kmeans
