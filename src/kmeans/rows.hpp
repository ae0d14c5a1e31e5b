// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <dunlin/kmeans.hpp>

#include "device/cpu.hpp"

namespace dunlin::kmeans {

/// The rows to cluster and their weights; for cosine at() scales rows to length 1.
struct Rows {
    MatrixView<const float> points;
    std::span<const float> weights = {};
    Metric metric = Metric::euclidean;

    [[nodiscard]] Index count() const { return points.rows; }
    [[nodiscard]] Index cols() const { return points.cols; }
    [[nodiscard]] double weight(Offset row) const {
        return weights.empty() ? 1.0 : static_cast<double>(weights[static_cast<std::size_t>(row)]);
    }
    /// Pointer to the weights of the rows from this one on; null: all are 1.
    [[nodiscard]] const float* weights_from(Offset row) const {
        return weights.empty() ? nullptr : weights.data() + row;
    }
    /// Pointer to the contiguous rows [begin, end): in place, or a copy in `scratch` for cosine.
    const float* at(Offset begin, Offset end, std::vector<float>& scratch) const;
};

/// Scales a row to length 1; a zero row stays unchanged.
void to_unit_length(float* row, Index cols);

/// Rows that a worker processes at a time: a multiple of tile_rows that depends on the columns only.
Offset grain_of(Index cols);

/// Scales by which numbers become integers, and statistics of the data. A row of weight 2 counts as two.
struct Scales {
    std::vector<double> columns;  ///< powers of two, formulas.hpp
    double weights = 1;
    std::vector<double> means, most;  ///< per column; most: the largest magnitude, rows of weight 0 included
    double variance = 0;              ///< mean variance of a column
};

/// The scale for adding weights as integers.
double weight_scale(device::Cpu& cpu, const Rows& rows);

/// Reads every number once. Throws Error{bad_input} for NaN, infinity, magnitudes above 1e15 (with row and column) and
/// weights that are negative, not finite, all zero, or not as many as rows.
Scales measure(device::Cpu& cpu, const Rows& rows);

/// Throws Error{bad_input} if the largest magnitude is so small that squared distances vanish in float32.
void require_not_tiny(const Scales& scales);
void require_not_tiny(double most, std::string_view what);

}  // namespace dunlin::kmeans
