// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/checks.hpp"
#include "neighbors/distinct_rows.hpp"

namespace dunlin::neighbors {

/// Statistics of all values.
struct ValueStatistics {
    float least = 0, most = 0;
    bool whole = false;  ///< all values are integers

    /// Differences of values fit in a byte, so that quantization to bytes is exact.
    [[nodiscard]] bool bytes() const { return whole && most - least <= 255; }
};

/// Reads every value. Throws Error{bad_input} with the first row that holds NaN or infinity.
ValueStatistics collect_statistics(device::Cpu& cpu, MatrixView<const float> rows, RowKind kind = RowKind::point);

/// The items, and the queries that equal none, as the metric compares them (unit rows for cosine and correlation),
/// centered and scaled to a size near 1, in float32: the input of quantization. Distances between transformed rows are
/// `scale` times those of the metric, up to a rounding of at most error(norm) per row. Center and scale follow from the
/// items alone.
class ItemTransform {
public:
    ItemTransform(const distance::Space& space, const DistinctRows& items);

    [[nodiscard]] Index items() const { return items_.size(); }
    [[nodiscard]] Index groups() const { return items_.groups(); }
    [[nodiscard]] bool is_item(Index group) const { return items_.is_item(group); }
    [[nodiscard]] Index cols() const { return space_.cols(); }
    [[nodiscard]] const distance::Space& space() const { return space_; }
    [[nodiscard]] Index row_of(Index group) const { return items_.first(group); }
    [[nodiscard]] Index item_of(Index row) const { return items_.group_of[static_cast<std::size_t>(row)]; }
    /// Number of points that equal this item, itself included.
    [[nodiscard]] Index copies(Index item) const { return static_cast<Index>(items_.of(item).size()); }
    [[nodiscard]] Index points() const { return space_.points().rows; }
    [[nodiscard]] double scale() const { return scale_; }
    /// norm: |.|, or the sum of magnitudes under manhattan.
    [[nodiscard]] double error(double norm) const { return 1e-7 * norm + noise_; }

    void row(Index group, float* out) const;

    /// Items at equal steps through all.
    [[nodiscard]] const std::vector<Index>& sample() const { return sample_; }

    /// The transformed rows of up to `most` items at equal steps through all.
    [[nodiscard]] Matrix sample_rows(Index most) const;

private:
    void find_center();

    const distance::Space& space_;
    const DistinctRows& items_;
    std::vector<Index> sample_;
    std::vector<double> center_;  ///< per column
    double scale_ = 1;
    double noise_ = 0;
};

}  // namespace dunlin::neighbors
