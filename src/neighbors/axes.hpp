#pragma once

#include "neighbors/frame.hpp"

namespace dunlin::neighbors {

/// A few orthonormal directions along which the items of a frame spread most, found on a sample. They only have to be
/// short enough not to stretch a distance; how well they fit decides speed, never the result.
class Axes {
public:
    Axes(const Frame& frame, Index count);

    [[nodiscard]] Index count() const { return count_; }

    /// |projected difference| <= stretch() * |difference|
    [[nodiscard]] double stretch() const { return stretch_; }

    /// Rounding of a projected row of this length.
    [[nodiscard]] double error(double norm) const { return rounding_ * norm; }

    /// out (rows x count) = in (rows x cols of the frame) along the axes.
    void project(const float* in, Index rows, float* out) const;

private:
    Index cols_, count_;
    std::vector<float> axes_;  ///< cols x count
    double stretch_ = 1;
    double rounding_ = 0;
};

}  // namespace dunlin::neighbors
