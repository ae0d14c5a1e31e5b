// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include <dunlin/types.hpp>

#include "math/rng.hpp"

/// Maps made by seed, on which repulsion is tested and timed.
namespace dunlin::made {

/// n x dim uniform coordinates in a square of this width around 0.
inline std::vector<float> scattered(Index n, int dim, float width, std::uint64_t seed = 1) {
    std::vector<float> y(static_cast<std::size_t>(n) * static_cast<std::size_t>(dim));
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] = width * static_cast<float>(math::random_uniform(seed, i) - 0.5);
    }
    return y;
}

/// n x dim normal coordinates of this standard deviation.
inline std::vector<float> cloud(Index n, int dim, double deviation, std::uint64_t seed = 7) {
    std::vector<float> y(static_cast<std::size_t>(n) * static_cast<std::size_t>(dim));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(deviation * math::random_normal(seed, i));
    return y;
}

/// Seven clusters of different density, as in a finished map: n x dim coordinates.
inline std::vector<float> clusters(Index n, int dim) {
    std::vector<float> y;
    for (Index i = 0; i < n; ++i) {
        for (int d = 0; d < dim; ++d) {
            const auto item = static_cast<std::uint64_t>(i), draw = static_cast<std::uint64_t>(d);
            const double center = 60 * math::random_uniform(1, item % 7, draw);
            y.push_back(
                static_cast<float>(center + static_cast<double>(1 + i % 7) * math::random_normal(2, item, draw)));
        }
    }
    return y;
}

/// Clusters of many sizes with dense cores and long tails, and every 97th point uniformly distributed; width `span`.
inline Map clusters(Index n, int dim, double span) {
    Map map{dim, std::vector<float>(static_cast<std::size_t>(n) * static_cast<std::size_t>(dim))};
    for (Index i = 0; i < n; ++i) {
        const auto item = static_cast<std::uint64_t>(i);
        const std::uint64_t cluster = math::random_below(20, 1, item);
        for (int d = 0; d < dim; ++d) {
            const auto draw = static_cast<std::uint64_t>(d);
            const double anywhere = math::random_uniform(2, item, draw);
            const double center = 0.1 + 0.8 * math::random_uniform(3, cluster, draw);
            const double off = math::random_normal(4, item, draw) * (0.005 + 0.02 * math::random_uniform(5, cluster));
            const double at = i % 97 == 0 ? anywhere : std::clamp(center + off, 0.0, 1.0);
            map.coordinates[static_cast<std::size_t>(i * dim + d)] = static_cast<float>(span * at);
        }
    }
    if (n > 0) map.coordinates[0] = 0;
    if (n > 97) map.coordinates[static_cast<std::size_t>(97 * dim)] = static_cast<float>(span);
    return map;
}

// Maps on which trees are difficult

/// Forty places with this many further copies of each.
inline std::vector<float> copies_of_places(int dim, int copies) {
    std::vector<float> y = clusters(40, dim);
    const std::vector<float> places = y;
    for (int copy = 0; copy < copies; ++copy) y.insert(y.end(), places.begin(), places.end());
    return y;
}

/// A million points of a plane, all but a thousand of them in one place.
inline std::vector<float> cloud_of_copies() {
    std::vector<float> y(2000000, 1.5F);
    for (std::size_t i = 0; i < 2000; ++i) y[i] = static_cast<float>(i % 37);
    return y;
}

/// Clusters with one coordinate of one point at `far`.
inline std::vector<float> with_outlier(int dim, float far) {
    std::vector<float> y = clusters(3000, dim);
    y[1] = far;
    return y;
}

/// In 3-D.
inline std::vector<float> line() {
    std::vector<float> y;
    for (int i = 0; i < 2000; ++i)
        y.insert(y.end(), {0.01F * static_cast<float>(i), 3, -0.02F * static_cast<float>(i)});
    return y;
}

/// Nine arms of decreasing density from a dense center, in the plane.
inline std::vector<float> star_map() {
    std::vector<float> y;
    for (int i = 0; i < 20000; ++i) {
        const double along = 100 * std::pow(math::random_uniform(3, static_cast<std::uint64_t>(i)), 6);
        const double angle = 2 * std::numbers::pi / 9 * (i % 9);
        y.push_back(static_cast<float>(along * std::cos(angle)));
        y.push_back(static_cast<float>(along * std::sin(angle)));
    }
    return y;
}

/// Clusters in the plane, a millionth as wide: a first map.
inline std::vector<float> dust() {
    std::vector<float> y = clusters(2000, 2);
    for (float& v : y) v *= 1e-6F;
    return y;
}

// Maps of benchmarks

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

inline bool is_finite(const Map& map) {
    return std::all_of(map.coordinates.begin(), map.coordinates.end(), [](float y) { return std::isfinite(y); });
}

/// Squared distance of two rows, in double.
inline double distance2(MatrixView<const float> rows, Index i, Index j) {
    double sum = 0;
    for (Index c = 0; c < rows.cols; ++c) {
        const double delta = static_cast<double>(rows(i, c)) - static_cast<double>(rows(j, c));
        sum += delta * delta;
    }
    return sum;
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
