// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>

#include <dunlin/types.hpp>

namespace dunlin::bench {

/// By name: files number their labels on their own.
inline const std::string& label(const Labels& labels, std::size_t row) {
    return labels.names.at(static_cast<std::size_t>(labels.of.at(row)));
}

/// Share of other rows whose nearest point of the map has another label.
inline double nearest_error(MatrixView<const float> map, const Labels& labels, MatrixView<const float> others,
                            const Labels& other_labels) {
    Index wrong = 0;
    for (Index i = 0; i < others.rows; ++i) {
        float least = std::numeric_limits<float>::infinity();
        std::size_t nearest = 0;
        for (Index j = 0; j < map.rows; ++j) {
            float square = 0;
            for (Index d = 0; d < map.cols; ++d) {
                const float difference = map(j, d) - others(i, d);
                square += difference * difference;
            }
            if (square < least) least = square, nearest = static_cast<std::size_t>(j);
        }
        wrong += label(labels, nearest) != label(other_labels, static_cast<std::size_t>(i)) ? 1 : 0;
    }
    return static_cast<double>(wrong) / others.rows;
}

}  // namespace dunlin::bench
