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
/// The same of sparse rows, which are centered by a correction of their products and stay sparse.
std::vector<float> principal_coordinates(device::Cpu& cpu, const SparseView& points, int components);

/// The linear map to principal component scores, for rows that are not among the points.
struct PrincipalProjection {
    Index cols = 0;
    int components = 0;
    std::vector<double> means;  ///< of the columns
    std::vector<double> axes;   ///< [column][component], the signs as above

    /// Scores of all rows. Those of a row depend on no other row.
    [[nodiscard]] std::vector<float> of(device::Cpu& cpu, MatrixView<const float> rows) const;
};
PrincipalProjection principal_projection(device::Cpu& cpu, MatrixView<const float> points, int components);

}  // namespace dunlin::initialization
