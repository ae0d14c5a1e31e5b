// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/kmeans.hpp>

#include <gtest/gtest.h>

#include "math/rng.hpp"

/// Test data of k-means.
namespace dunlin::kmeans {

/// n rows around `blobs` normal centers of standard deviation 4, with normal noise of standard deviation 1.
inline std::vector<float> blobs_of(Index n, Index cols, Index blobs, std::uint64_t seed = 1, float offset = 0) {
    std::vector<float> values;
    for (Index r = 0; r < n; ++r) {
        for (Index c = 0; c < cols; ++c) {
            const auto item =
                static_cast<std::uint64_t>(r) * static_cast<std::uint64_t>(cols) + static_cast<std::uint64_t>(c);
            const double center =
                4 * math::random_normal(seed + 1, static_cast<std::uint64_t>(r % blobs), static_cast<std::uint64_t>(c));
            values.push_back(static_cast<float>(center + math::random_normal(seed, item)) + offset);
        }
    }
    return values;
}

inline MatrixView<const float> view(const std::vector<float>& values, Index cols) {
    return {values.data(), static_cast<Index>(values.size() / static_cast<std::size_t>(cols)), cols};
}

inline std::vector<float> first_rows(const std::vector<float>& values, Index count, Index cols) {
    return {values.begin(), values.begin() + Offset{count} * cols};
}

inline std::vector<float> values_of(const Matrix& matrix) {
    return {matrix.view().data, matrix.view().data + matrix.view().size()};
}

}  // namespace dunlin::kmeans
