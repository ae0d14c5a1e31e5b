// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/sparse.hpp>
#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::initialization {

/// Principal component scores of `points` (n x d): n x components, centered, the axis of largest variance first. The
/// loading of largest magnitude of each axis (the first of equals) is positive, so that the signs do not depend on the
/// solver. Missing components (d or n too small) are zero.
std::vector<float> principal_coordinates(device::Cpu& cpu, MatrixView<const float> points, int components);
/// Principal component scores of sparse rows. Centers them by a correction of their products, so that they stay sparse.
std::vector<float> principal_coordinates(device::Cpu& cpu, const SparseView& points, int components);

/// Coordinates of as many principal components, and one more, whose correlations are about those of the points: n x
/// (components + 1). The correlation of two rows is the cosine of the rows less their own means, of length 1. Principal
/// components of these rows that keep the origin keep cosines best; and as correlation subtracts the mean over a row's
/// coordinates, which depends on the signs of the axes, they are turned into the plane where that mean is 0.
std::vector<float> correlation_coordinates(device::Cpu& cpu, MatrixView<const float> points, int components);

/// What data are reduced for.
enum class Likeness { distance, correlation };

/// The linear map to principal component scores, for rows that are not among the points.
struct PrincipalProjection {
    Index cols = 0;
    int components = 0;
    std::vector<double> means;  ///< of the columns
    std::vector<double> axes;   ///< [column][component], the signs as above
    Likeness likeness = Likeness::distance;

    [[nodiscard]] int width() const { return components + (likeness == Likeness::correlation ? 1 : 0); }
    /// Scores of all rows, or their correlation_coordinates. Those of a row depend on no other row.
    [[nodiscard]] std::vector<float> of(device::Cpu& cpu, MatrixView<const float> rows) const;
};
PrincipalProjection principal_projection(device::Cpu& cpu, MatrixView<const float> points, int components,
                                         Likeness likeness = Likeness::distance);

}  // namespace dunlin::initialization
