// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::forces {

/// Bounding box of points in up to three dimensions. Axes beyond the dimension of the points are empty (least =
/// infinity, most = -infinity), as are all axes of a box without points.
struct BoundingBox {
    std::array<float, 3> least, most;

    /// Lengths along the first `dim` axes; 0 for the others.
    [[nodiscard]] std::array<double, 3> extent(int dim) const {
        std::array<double, 3> e{};
        for (std::size_t d = 0; d < static_cast<std::size_t>(dim); ++d) {
            e[d] = static_cast<double>(most[d]) - static_cast<double>(least[d]);
        }
        return e;
    }
    /// The axis along which the box is longest; the first of equal ones.
    [[nodiscard]] std::size_t longest() const {
        std::size_t axis = 0;
        for (std::size_t d = 1; d < 3; ++d) {
            if (most[d] - least[d] > most[axis] - least[axis]) axis = d;
        }
        return axis;
    }
};

/// Bounding box of the rows of y (n x 2 or n x 3).
BoundingBox box_of(device::Cpu& cpu, MatrixView<const float> y);

}  // namespace dunlin::forces
