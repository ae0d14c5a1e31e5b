// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/neighbors.hpp>

#include <vector>

#include "device/cpu.hpp"

namespace dunlin::distance {

/// The points under a metric: what two rows are apart. Lists are ordered by a key that rises with the distance and is
/// computed in double from the differences themselves, so that equal rows have key 0 and nothing cancels.
/// euclidean: |x - y|^2; manhattan: |x - y|_1; cosine and correlation: |x' - y'|^2 with x' the unit rows, which is
/// twice the distance. A row without direction (math/direction.hpp) is 2 from every
/// other.
/// inner product: -x.y, from the products themselves; what is called a distance is then x.y.
class Space {
public:
    Space(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric);

    [[nodiscard]] MatrixView<const float> points() const { return points_; }
    [[nodiscard]] neighbors::Metric metric() const { return metric_; }
    [[nodiscard]] bool unit_rows() const {
        return metric_ == neighbors::Metric::cosine || metric_ == neighbors::Metric::correlation;
    }

    [[nodiscard]] double key(Index a, Index b) const;
    [[nodiscard]] float distance(double key) const;

    /// The key but for rounding, in float32 where that is quicker. Not for inner products.
    [[nodiscard]] float rough_key(Index a, Index b) const;
    /// A pair whose rough key is greater than this has a greater key than a pair whose rough key is `rough`.
    [[nodiscard]] float rough_reach(float rough) const;

    /// Row r as the metric sees it: less its mean, divided by its length, where these apply.
    void normalized(Index r, double* out) const;

    /// What is taken from row r and what multiplies it then; 0 and 1 where the metric does neither.
    [[nodiscard]] double mean(Index r) const { return mean_.empty() ? 0.0 : mean_[static_cast<std::size_t>(r)]; }
    [[nodiscard]] double scale(Index r) const { return scale_.empty() ? 1.0 : scale_[static_cast<std::size_t>(r)]; }

private:
    MatrixView<const float> points_;
    neighbors::Metric metric_;
    std::vector<double> mean_;   ///< per row, correlation only
    std::vector<double> scale_;  ///< per row: 1 / length; 0: the row has no direction
};

}  // namespace dunlin::distance
