// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/neighbors.hpp>

#include "device/cpu.hpp"
#include "math/hd.hpp"

namespace dunlin::distance {

/// A value of a row as a feature. In double, since what is left of a value less its row's mean may be a unit in the
/// value's last place, and 1 over the length of a row of denormal numbers no float32.
DUNLIN_HD inline float feature(float x, double shift, double scale) {
    return static_cast<float>((static_cast<double>(x) - shift) * scale);
}

/// Rows as every metric wants them, made on the fly: a value x of row i reads (x - shift_i) * scale_i, so that
/// - euclidean and manhattan distances are those of the data times one power of two, which keeps squares in range;
/// - cosine and correlation are half the squared Euclidean distance, rows being of length 1. A row without direction
///   (math/direction.hpp) is at distance 1 from all others and 0 from its like: it gets a 1 in a feature of its own, or
///   another mark.
class Features {
public:
    Features(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric, float mark = 1);

    [[nodiscard]] Index cols() const { return points_.cols + (any_zero_ ? 1 : 0); }
    [[nodiscard]] bool manhattan() const { return manhattan_; }

    /// What the data's euclidean and manhattan distances were multiplied by.
    [[nodiscard]] float scale() const { return common_scale_; }

    /// Of a row without direction, in a feature behind the others.
    [[nodiscard]] float mark() const { return mark_; }

    /// One a row; empty: 0, and the common scale, for all. Scale 0: a row without direction.
    [[nodiscard]] std::span<const double> shifts() const { return shift_; }
    [[nodiscard]] std::span<const double> scales() const { return scale_; }

    /// out[(c - begin) * stride] = feature c of row i for c in [begin, end).
    void copy(Index i, Index begin, Index end, float* out, int stride) const;

private:
    void scale_all(device::Cpu& cpu);
    void scale_each(device::Cpu& cpu, bool centered);

    MatrixView<const float> points_;
    bool manhattan_;
    bool any_zero_ = false;
    float common_scale_ = 1, mark_;
    std::vector<double> shift_, scale_;
};

}  // namespace dunlin::distance
