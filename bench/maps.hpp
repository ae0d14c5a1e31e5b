// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include <dunlin/types.hpp>

#include "math/rng.hpp"

/// Maps made by seed, on which benchmarks time repulsion.
namespace dunlin::made {

/// Twelve or sixty discs (balls in 3-D) of uniform density in a square of width 1, similar to a finished map.
struct DiscShape {
    std::uint64_t count;
    double radius, margin, room;  ///< centers are from `margin` on, within `room`
};
constexpr DiscShape twelve_discs{12, 0.12, 0, 0.75}, sixty_discs{60, 0.07, 0.07, 0.86};

inline Map discs(Index n, int dim, double width, const DiscShape& shape) {
    Map map{dim, {}};
    for (Index i = 0; i < n; ++i) {
        const auto item = static_cast<std::uint64_t>(i), disc = item % shape.count;
        double direction[3], length = 0;
        for (int d = 0; d < dim; ++d) {
            direction[d] = math::random_normal(6, item, static_cast<std::uint64_t>(d));
            length += direction[d] * direction[d];
        }
        const double radius = shape.radius * std::pow(math::random_uniform(5, item), 1.0 / dim) / std::sqrt(length);
        for (int d = 0; d < dim; ++d) {
            const double center =
                shape.margin + shape.room * math::random_uniform(9, disc, static_cast<std::uint64_t>(d));
            map.coordinates.push_back(static_cast<float>(width * (center + radius * direction[d])));
        }
    }
    return map;
}

/// The width of the widest axis.
inline double width_of(MatrixView<const float> map) {
    double widest = 0;
    for (Index d = 0; d < map.cols; ++d) {
        float low = map(0, d), high = low;
        for (Index i = 0; i < map.rows; ++i) {
            low = std::min(low, map(i, d));
            high = std::max(high, map(i, d));
        }
        widest = std::max(widest, static_cast<double>(high) - static_cast<double>(low));
    }
    return widest;
}

inline Map scaled(Map map, double width) {
    const double factor = width / width_of(map.view());
    for (float& value : map.coordinates) value = static_cast<float>(static_cast<double>(value) * factor);
    return map;
}

}  // namespace dunlin::made
