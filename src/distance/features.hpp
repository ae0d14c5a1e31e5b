// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/neighbors.hpp>

#include "device/cpu.hpp"
#include "math/hd.hpp"

namespace dunlin::distance {

/// A value of a row as a feature. Computed in double: the difference from the row's mean may be one unit in the last
/// place of the value, and 1 / length of a row of denormal numbers exceeds float32.
DUNLIN_HD inline float feature(float x, double shift, double scale) {
    return static_cast<float>((static_cast<double>(x) - shift) * scale);
}

/// Rows transformed for a metric on the fly: value x of row i becomes (x - shift_i) * scale_i, so that
/// - euclidean and manhattan distances are those of the data times a power of two, which keeps squares in range;
/// - cosine and correlation are half the squared Euclidean distance of rows of length 1. A zero vector
///   (math/direction.hpp) is at distance 1 from all other rows and 0 from other zero vectors: it gets the value `mark`
///   in an additional feature.
class Features {
public:
    Features(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric, float mark = 1);
    /// For metrics that scale all rows alike (euclidean, manhattan). largest: the largest magnitude of the points.
    Features(MatrixView<const float> points, neighbors::Metric metric, float largest);

    [[nodiscard]] Index cols() const { return points_.cols + (any_zero_ ? 1 : 0); }
    [[nodiscard]] bool manhattan() const { return manhattan_; }
    [[nodiscard]] bool any_zero_vector() const { return any_zero_; }

    /// Factor by which euclidean and manhattan distances of the data were multiplied.
    [[nodiscard]] float scale() const { return common_scale_; }

    /// Value of a zero vector in the additional last feature.
    [[nodiscard]] float mark() const { return mark_; }

    /// One value per row; empty: shift 0 and the common scale. Scale 0: zero vector.
    [[nodiscard]] std::span<const double> shifts() const { return shift_; }
    [[nodiscard]] std::span<const double> scales() const { return scale_; }

    /// out[(c - begin) * stride] = feature c of row i for c in [begin, end).
    void copy(Index i, Index begin, Index end, float* out, int stride) const;

private:
    void scale_all(device::Cpu& cpu);
    void scale_by(float largest);
    void scale_each(device::Cpu& cpu, bool centered);

    MatrixView<const float> points_;
    bool manhattan_;
    bool any_zero_ = false;
    float common_scale_ = 1, mark_ = 1;
    std::vector<double> shift_, scale_;
};

}  // namespace dunlin::distance
