// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/sparse.hpp>

#include "math/rng.hpp"

/// Sparse rows for tests.
namespace dunlin {

/// The numbers of dense rows that are not 0.
inline SparseMatrix sparse_of(MatrixView<const float> points) {
    SparseMatrix matrix{points.rows, points.cols, {0}, {}, {}};
    for (Index r = 0; r < points.rows; ++r) {
        for (Index c = 0; c < points.cols; ++c) {
            if (points(r, c) == 0) continue;
            matrix.columns.push_back(c);
            matrix.values.push_back(points(r, c));
        }
        matrix.offsets.push_back(static_cast<Offset>(matrix.columns.size()));
    }
    return matrix;
}

/// Like word counts: column c is nonzero in about one row of c / 3 + 2.
inline Matrix word_counts(Index rows, Index cols, std::uint64_t seed = 11) {
    std::vector<float> values;
    for (Index r = 0; r < rows; ++r) {
        const auto row = static_cast<std::uint64_t>(r);
        for (Index c = 0; c < cols; ++c) {
            const auto column = static_cast<std::uint64_t>(c);
            const bool some = math::random_below(column / 3 + 2, seed, row, column) == 0;
            values.push_back(some ? static_cast<float>(1 + math::random_below(9, seed + 1, row, column)) : 0.0F);
        }
    }
    return {rows, cols, std::move(values)};
}

}  // namespace dunlin
