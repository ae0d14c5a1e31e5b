#pragma once

#include <vector>

#include <dunlin/neighbors.hpp>

#include "device/cpu.hpp"

namespace dunlin::metrics {

/// Rows as every metric wants them, made on the fly: a value x of row i reads (x - shift_i) * scale_i, so that
/// - euclidean and manhattan distances are those of the data times one power of two, which keeps squares in range;
/// - cosine and correlation are half the squared Euclidean distance, rows being of length 1. A row of length 0 is at
///   distance 1 from all others and 0 from its like: it gets a 1 in a feature of its own.
class Features {
public:
    Features(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric);

    [[nodiscard]] Index cols() const { return points_.cols + (any_zero_ ? 1 : 0); }
    [[nodiscard]] bool manhattan() const { return manhattan_; }

    /// What the data's euclidean and manhattan distances were multiplied by.
    [[nodiscard]] float scale() const { return common_scale_; }

    /// out[(c - begin) * stride] = feature c of row i for c in [begin, end).
    void copy(Index i, Index begin, Index end, float* out, int stride) const;

private:
    void scale_all(device::Cpu& cpu);
    void scale_each(device::Cpu& cpu, bool centred);

    MatrixView<const float> points_;
    bool manhattan_;
    bool any_zero_ = false;
    float common_scale_ = 1;
    std::vector<float> shift_, scale_;  // per row; empty: none and the common one. scale 0: a row of length 0
};

}  // namespace dunlin::metrics
