// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "neighbors/principal_axes.hpp"
#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// The distance is an L2 norm of the difference (its square is a sum of squares) or an L1 norm.
enum class Norm { l2, l1 };

/// Items, and queries that are no items, in a few coarse coordinates that give lower bounds of distances (a VA-file;
/// Weber, Schek and Blott 1998). For two of them, a and b,
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

/// The transformed rows in float32, without quantization: for low dimensions. Row r is group order[r].
QuantizedRows<float> transform_to_floats(device::Cpu& cpu, const ItemTransform& transform,
                                         std::span<const Index> order);

/// The coordinates that become bytes, in steps, with zero at 128: columns of the transformed rows, or projections on
/// `axes`. The step is the 90th percentile of the items' largest coordinates divided by 127. If the points are integers
/// within a range of 255 and need neither axes nor unit rows, the coordinates are their values minus the least, in
/// steps of 1. The grid follows from the items alone.
class ByteGrid {
public:
    static constexpr int zero = 128;  ///< byte of coordinate 0, and of padding

    ByteGrid(const ItemTransform& transform, const ValueStatistics& statistics, const PrincipalAxes* axes = nullptr);

    [[nodiscard]] Index dims() const { return axes_ ? axes_->count() : transform_.cols(); }
    /// Coarse distances are at most this times the metric's (QuantizedRows).
    [[nodiscard]] double scale() const;

    /// Buffers for a few rows.
    struct Batch {
        std::vector<float> rows, coordinates, errors;
    };

    /// Computes batch.coordinates of the groups (each dims() numbers), and batch.errors, the bounds of their rounding.
    void locate(std::span<const Index> groups, Batch& batch) const;
    /// A coordinate in steps, with zero at 128 (or the value minus the least).
    [[nodiscard]] double in_steps(float coordinate) const;
    /// Writes the bytes of one row: its coordinates rounded, and clamped, which never increases a distance. Returns the
    /// error; 0 if the bytes are the coordinates.
    float quantize(std::span<const float> coordinates, float error, std::uint8_t* out) const;

private:
    [[nodiscard]] double choose_step() const;

    const ItemTransform& transform_;
    const PrincipalAxes* axes_;
    Norm norm_;
    bool whole_;  ///< values minus the least, as they are
    double least_, step_ = 1;
};

/// The rows in bytes. dims is a multiple of `cell`, padded by 128. Row r is group order[r].
QuantizedRows<std::uint8_t> quantize_to_bytes(device::Cpu& cpu, const ByteGrid& grid, std::span<const Index> order,
                                              Index cell);

}  // namespace dunlin::neighbors
