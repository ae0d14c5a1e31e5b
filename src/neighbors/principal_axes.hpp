// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::neighbors {

/// Orthonormal axes: a full basis, or the leading principal components of a sample, then rotated at random so that all
/// coordinates have about the same spread and one quantization step suits them. Projection must not increase distances
/// by more than a known factor; the quality of the axes affects the speed, never the result.
class PrincipalAxes {
public:
    /// sample: transformed rows (ItemTransform). count: number of axes.
    PrincipalAxes(MatrixView<const float> sample, Index count);

    [[nodiscard]] Index cols() const { return cols_; }
    [[nodiscard]] Index count() const { return count_; }

    /// cols x count, row-major.
    [[nodiscard]] const std::vector<float>& values() const { return axes_; }

    /// |projected difference| <= stretch() * |difference|
    [[nodiscard]] double stretch() const { return stretch_; }

    /// Bound of the rounding error of a projected row of this norm.
    [[nodiscard]] double error(double norm) const { return rounding_ * norm; }

    /// out (rows x count) = in (rows x cols, transformed rows) projected on the axes.
    void project(const float* in, Index rows, float* out) const;

private:
    /// axes (cols x count): leading principal directions, before rounding to float32.
    void find_principal(MatrixView<const float> sample, double* axes);
    void store(const double* axes);

    Index cols_, count_;
    std::vector<float> axes_;  ///< cols x count
    double stretch_ = 1;
    double rounding_ = 0;
};

}  // namespace dunlin::neighbors
