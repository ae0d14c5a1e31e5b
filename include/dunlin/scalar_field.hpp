// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin {

/// Values at the nodes of a regular grid of 2 or 3 dimensions: node (x, y, z) lies at origin + spacing * (x, y, z).
/// NaN: not defined there.
struct ScalarField {
    int dim = 2;
    std::array<Index, 3> nodes{0, 0, 1};  ///< along x, y, z; nodes[2] is 1 in 2-D
    std::array<double, 3> origin{};       ///< coordinates of node (0, 0, 0)
    double spacing = 1;
    std::vector<float> values;  ///< node (x, y, z) is number x + nodes[0] (y + nodes[1] z)

    [[nodiscard]] Offset size() const { return Offset{nodes[0]} * nodes[1] * nodes[2]; }
    [[nodiscard]] double coordinate(int axis, double node) const {
        return origin[static_cast<std::size_t>(axis)] + spacing * node;
    }
};

}  // namespace dunlin
