// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/neighbors.hpp>
#include <dunlin/sparse.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "device/cpu.hpp"
#include "distance/measure.hpp"
#include "math/direction.hpp"

namespace dunlin::distance {

/// Points, and perhaps queries, under a metric. Candidate lists are ordered by a key that increases with the distance
/// and is computed in double from the differences of values, so that equal rows have key 0 and there is no
/// cancellation. euclidean: |x - y|^2; manhattan: |x - y|_1; cosine and correlation: |x' - y'|^2 with x' the unit rows,
/// which is twice the distance. The key of a zero vector (math/direction.hpp) and any other row is 2. inner product:
/// -x.y; the reported distance is x.y. Metrics of terms: the distance.
class Space {
public:
    /// queries: more rows with as many columns, numbered after the points.
    Space(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric,
          MatrixView<const float> queries = {});
    /// Sparse rows: only their key, distance, mean and scale.
    Space(device::Cpu& cpu, const SparseView& points, neighbors::Metric metric);

    /// Without values if the rows are sparse.
    [[nodiscard]] MatrixView<const float> points() const { return points_; }
    [[nodiscard]] const std::optional<SparseView>& sparse() const { return sparse_; }
    [[nodiscard]] bool has_queries() const { return queries_.rows > 0; }
    [[nodiscard]] Index rows() const { return points_.rows + queries_.rows; }
    [[nodiscard]] Index cols() const { return points_.cols; }
    [[nodiscard]] std::span<const float> row(Index r) const {
        return r < points_.rows ? points_.row(r) : queries_.row(r - points_.rows);
    }
    [[nodiscard]] neighbors::Metric metric() const { return metric_; }
    [[nodiscard]] bool unit_rows() const {
        return metric_ == neighbors::Metric::cosine || metric_ == neighbors::Metric::correlation;
    }

    /// The rows under a metric of terms; null for the others.
    [[nodiscard]] const PairMeasure* measure() const { return measure_.get(); }

    [[nodiscard]] double key(Index a, Index b) const;
    [[nodiscard]] float distance(double key) const;

    /// Approximation of the key, in float32 where that is faster. Not for inner products.
    [[nodiscard]] float rough_key(Index a, Index b) const;
    /// Error bound: a pair whose rough key exceeds the returned value has a greater key than a pair whose rough key is
    /// `rough`.
    [[nodiscard]] float rough_reach(float rough) const;

    /// Row r normalized for the metric: minus its mean and divided by its length, where these apply.
    void normalized(Index r, double* out) const;

    /// Shift and scale of row r: (x - shift) * scale; 0 and 1 if the metric does not normalize.
    [[nodiscard]] double mean(Index r) const { return mean_.empty() ? 0.0 : mean_[static_cast<std::size_t>(r)]; }
    [[nodiscard]] double scale(Index r) const { return scale_.empty() ? 1.0 : scale_[static_cast<std::size_t>(r)]; }
    [[nodiscard]] math::Direction direction(Index r) const { return {mean(r), scale(r)}; }

private:
    /// Sets the means and scales. stored(r): the stored values of row r.
    template <class Stored>
    void find_directions(device::Cpu& cpu, const Stored& stored);

    MatrixView<const float> points_, queries_;
    std::optional<SparseView> sparse_;
    neighbors::Metric metric_;
    std::vector<double> mean_;                    ///< per row, correlation only
    std::vector<double> scale_;                   ///< per row: 1 / length; 0: zero vector
    std::shared_ptr<const PairMeasure> measure_;  ///< metrics of terms
};

}  // namespace dunlin::distance
