// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "neighbors/principal_axes.hpp"
#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// How differences add up to a distance.
enum class Norm { l2, l1 };

/// Every item in a few coarse coordinates, in which distances are never too long: for items a and b
///     sketch distance <= scale * distance + error_a + error_b,
/// where distance is |x - y| (of the unit rows, for cosine and correlation) or |x - y|_1, and the sketch distance is
/// the same of the coordinates. So a pair whose sketch distance is longer than that of a known k-th neighbor need not
/// be looked at: the search stays exact.
template <class Value>
struct QuantizedRows {
    Index dims = 0;
    double scale = 1;
    std::vector<Value> values;  ///< items x dims
    std::vector<float> errors;  ///< per row

    [[nodiscard]] const Value* row(Index r) const { return values.data() + Offset{r} * dims; }
};

/// The rows of the transform themselves, in float32: for few columns. Row r is item order[r].
QuantizedRows<float> transform_to_floats(device::Cpu& cpu, const ItemTransform& transform,
                                         std::span<const Index> order);

/// Bytes, middle at 128: each coordinate of the transform, or along `axes`, in steps that suit nine rows in ten; what
/// lies outside is clamped, which brings no two rows apart. dims is a multiple of `cell`; what is left over holds 128.
/// Row r is item order[r]. Integers that differ by at most 255 are their own bytes, and all errors are 0.
QuantizedRows<std::uint8_t> quantize_to_bytes(device::Cpu& cpu, const ItemTransform& transform,
                                              const ValueStatistics& statistics, std::span<const Index> order,
                                              Index cell, const PrincipalAxes* axes = nullptr);

}  // namespace dunlin::neighbors
