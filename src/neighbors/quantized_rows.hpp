// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "neighbors/principal_axes.hpp"
#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// The distance is an L2 norm of the difference (its square is a sum of squares) or an L1 norm.
enum class Norm { l2, l1 };

/// Items in a few coarse coordinates that give lower bounds of distances (a VA-file; Weber, Schek and Blott 1998). For
/// items a and b
///     coarse distance <= scale * distance + error_a + error_b,
/// where distance is |x - y| (of unit rows, for cosine and correlation) or |x - y|_1, and the coarse distance is the
/// same norm of the coordinates. A pair whose coarse distance exceeds the bound of the k-th neighbor so far is pruned,
/// and the search stays exact.
template <class Value>
struct QuantizedRows {
    Index dims = 0;
    double scale = 1;
    std::vector<Value> values;  ///< items x dims
    std::vector<float> errors;  ///< per row

    [[nodiscard]] const Value* row(Index r) const { return values.data() + Offset{r} * dims; }
};

/// The transformed rows in float32, without quantization: for low dimensions. Row r is item order[r].
QuantizedRows<float> transform_to_floats(device::Cpu& cpu, const ItemTransform& transform,
                                         std::span<const Index> order);

/// Bytes with zero at 128: columns of the transformed rows, or projections on `axes`. The step is the 90th percentile
/// of the rows' largest coordinates divided by 127; clamping what lies outside never increases a distance. dims is a
/// multiple of `cell`, padded by 128. Row r is item order[r]. Integers within a range of 255 are stored exactly, with
/// error 0.
QuantizedRows<std::uint8_t> quantize_to_bytes(device::Cpu& cpu, const ItemTransform& transform,
                                              const ValueStatistics& statistics, std::span<const Index> order,
                                              Index cell, const PrincipalAxes* axes = nullptr);

}  // namespace dunlin::neighbors
