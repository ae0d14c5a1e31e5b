// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::neighbors {

/// Orthonormal axes: as many as there are columns, or those few that span the directions in which the items spread
/// most, found on a sample; then turned at random among themselves, so that all extend about as far and a byte suits
/// each. They only have to stretch no distance (or by a known factor): how well they fit decides speed, not results.
class PrincipalAxes {
public:
    /// sample: rows of the transform.
    PrincipalAxes(MatrixView<const float> sample, Index count);

    [[nodiscard]] Index count() const { return count_; }

    /// cols x count.
    [[nodiscard]] const std::vector<float>& values() const { return axes_; }

    /// |projected difference| <= stretch() * |difference|
    [[nodiscard]] double stretch() const { return stretch_; }

    /// Rounding of a projected row of this length.
    [[nodiscard]] double error(double norm) const { return rounding_ * norm; }

    /// out (rows x count) = in (rows x cols of the transform) along the axes.
    void project(const float* in, Index rows, float* out) const;

private:
    /// axes (cols x count): the directions of largest spread, before they are rounded.
    void find_principal(MatrixView<const float> sample, double* axes);
    void store(const double* axes);

    Index cols_, count_;
    std::vector<float> axes_;  ///< cols x count
    double stretch_ = 1;
    double rounding_ = 0;
};

}  // namespace dunlin::neighbors
