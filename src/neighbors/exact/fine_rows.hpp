// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/quantized_rows.hpp"

namespace dunlin::neighbors {

/// All columns in bytes, for pairs whose few coordinates along the axes could not part them. Rows are in the order of
/// the leaves, so that those of a leaf lie together.
class FineRows {
public:
    FineRows(device::Cpu& cpu, const ItemTransform& transform, const ValueStatistics& statistics,
             std::span<const Index> order);

    /// True if the squares below are the squared distances themselves.
    [[nodiscard]] bool exact() const { return error_ == 0; }

    /// The row as the other side of the products.
    void load(Index place, std::int8_t* out) const;
    [[nodiscard]] Index dims() const { return quantized_.dims; }

    /// Squared distances in steps from the loaded row at `place` to those at first + columns[i].
    void squares(Index place, const std::int8_t* row, Index first, std::span<const std::uint16_t> columns,
                 std::int64_t* out) const;

    /// No neighbor nearer than this distance has more squares.
    [[nodiscard]] double most_squares(Index place, double distance) const;

private:
    QuantizedRows<std::uint8_t> quantized_;
    std::vector<std::int32_t> sums_, squares_;  ///< per row, of its bytes less 128
    float error_ = 0;                           ///< the largest
};

}  // namespace dunlin::neighbors
