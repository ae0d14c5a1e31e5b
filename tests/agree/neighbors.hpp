// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "agree/agree.hpp"
#include "cases/neighbors.hpp"

/// What the tests of the exact search and of the search by cells share.
namespace dunlin::neighbors {

inline Data whole_numbers(Index rows, Index cols, int values) {
    return make(rows, cols,
                [=](Index r, Index c) { return std::floor(uniform(4, r, c) * static_cast<float>(values)); });
}

/// Equal offsets and ids, and distances equal up to rounding.
inline void expect_same(const Graph& found, const Graph& expected) {
    ASSERT_EQ(found.offsets, expected.offsets);
    ASSERT_EQ(found.targets.size(), expected.targets.size());
    Offset other_ids = 0, other_weights = 0, first = -1;
    for (std::size_t e = 0; e < found.targets.size(); ++e) {
        const bool far = std::abs(found.weights[e] - expected.weights[e]) >
                         static_cast<float>(cases::distance_rounding) * std::abs(expected.weights[e]) + 1e-13F;
        other_ids += found.targets[e] != expected.targets[e] ? 1 : 0;
        other_weights += far ? 1 : 0;
        if (first < 0 && (far || found.targets[e] != expected.targets[e])) first = static_cast<Offset>(e);
    }
    EXPECT_EQ(other_ids, 0) << "of " << found.targets.size();
    EXPECT_EQ(other_weights, 0) << "of " << found.targets.size();
    if (first >= 0) {
        const auto e = static_cast<std::size_t>(first);
        ADD_FAILURE() << "first at edge " << e << ": " << found.targets[e] << " at " << found.weights[e]
                      << ", expected " << expected.targets[e] << " at " << expected.weights[e];
    }
}

}  // namespace dunlin::neighbors
