// SPDX-License-Identifier: Apache-2.0
#include "kmeans/products.hpp"

#include <algorithm>
#include <cmath>

namespace dunlin::kmeans {

void CenteredCentroids::set(const std::vector<float>& all) {
    const std::size_t cols = center.size(), count = all.size() / cols;
    padded = static_cast<Index>((count + abreast - 1) / abreast * abreast);
    centroids.assign(static_cast<std::size_t>(padded) * cols, 0);
    half_squares.assign(static_cast<std::size_t>(padded), 1e37F);
    double longest = 0;
    for (std::size_t k = 0; k < count; ++k) {
        double squares = 0;
        for (std::size_t c = 0; c < cols; ++c) {
            const float moved = all[k * cols + c] - center[c];
            centroids[k * cols + c] = moved;
            squares += static_cast<double>(moved) * static_cast<double>(moved);
        }
        half_squares[k] = static_cast<float>(squares / 2);
        longest = std::max(longest, squares);
    }
    most = static_cast<float>(std::sqrt(longest) * (1 + 1e-6));
}

}  // namespace dunlin::kmeans
