// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/quantized_rows.hpp"

namespace dunlin::neighbors {

/// Second, finer quantization: all columns in bytes, for pairs that the projected coordinates do not exclude. Rows are
/// in the order of the leaves, so that the rows of a leaf are contiguous; queries that are no items follow.
class FineRows {
public:
    /// order: of the items.
    FineRows(device::Cpu& cpu, const ItemTransform& transform, const ValueStatistics& statistics,
             std::span<const Index> order);

    /// True if squares() gives exact squared distances from the row at `place`.
    [[nodiscard]] bool exact(Index place) const {
        return error_ == 0 && quantized_.errors[static_cast<std::size_t>(place)] == 0;
    }

    /// Writes the row in the form that squares() takes for a query.
    void load(Index place, std::int8_t* out) const;
    [[nodiscard]] Index dims() const { return quantized_.dims; }

    /// Squared distances, in steps, from the loaded row at `place` to those at first + columns[i].
    void squares(Index place, const std::int8_t* row, Index first, std::span<const std::uint16_t> columns,
                 std::int64_t* out) const;

    /// Upper bound of squares() for rows within this distance.
    [[nodiscard]] double most_squares(Index place, double distance) const;

private:
    QuantizedRows<std::uint8_t> quantized_;
    std::vector<std::int32_t> sums_, squares_;  ///< per row: sum and sum of squares of (byte - 128)
    float error_ = 0;                           ///< the largest of all items
};

}  // namespace dunlin::neighbors
