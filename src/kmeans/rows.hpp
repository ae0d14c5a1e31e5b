// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/kmeans.hpp>

#include "device/cpu.hpp"

namespace dunlin::kmeans {

/// What is clustered: rows as they are, or scaled to length 1 on the way (cosine), and their weights.
struct Rows {
    MatrixView<const float> points;
    std::span<const float> weights = {};
    Metric metric = Metric::euclidean;

    [[nodiscard]] Index count() const { return points.rows; }
    [[nodiscard]] Index cols() const { return points.cols; }
    [[nodiscard]] double weight(Offset row) const {
        return weights.empty() ? 1.0 : static_cast<double>(weights[static_cast<std::size_t>(row)]);
    }
    /// Rows [begin, end), one after another: where they lie, or in `scratch`.
    const float* at(Offset begin, Offset end, std::vector<float>& scratch) const;
};

/// Scales a row to length 1; zeros stay zeros.
void to_unit_length(float* row, Index cols);

/// Rows that a worker takes at a time: a multiple of a tile, by the columns alone.
Offset grain_of(Index cols);

/// How numbers become integers that can be added, and how far the data spread. A row of weight 2 counts as two.
struct Scales {
    std::vector<double> columns;  ///< powers of two, formulas.hpp
    double weights = 1;
    std::vector<double> means, most;  ///< of each column; the largest magnitude, of rows without weight too
    double variance = 0;              ///< of a column, on average
};

/// The scale by which weights are added as integers.
double weight_scale(device::Cpu& cpu, const Rows& rows);

/// Looks at every number once. Throws Error{bad_input} for NaN, infinity, numbers beyond 1e15 (with row and column) and
/// weights that are negative, not finite, not as many as rows, or all zero.
Scales measure(device::Cpu& cpu, const Rows& rows);

}  // namespace dunlin::kmeans
