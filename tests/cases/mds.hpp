// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/mds.hpp>

namespace dunlin::mds {

/// `side` x `side` points of a square grid, as two of eight coordinates.
inline Dissimilarities grid(Index side) {
    std::vector<float> x(static_cast<std::size_t>(side * side * 8), 0.0F);
    for (Index i = 0; i < side * side; ++i) {
        x[static_cast<std::size_t>(i * 8)] = static_cast<float>(i % side) / static_cast<float>(side);
        x[static_cast<std::size_t>(i * 8 + 2)] = static_cast<float>(i / side) / static_cast<float>(side);
    }
    return Dissimilarities::of_points(Matrix(side * side, 8, std::move(x)));
}

}  // namespace dunlin::mds
