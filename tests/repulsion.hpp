// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "forces/exact/reference.hpp"
#include "forces/law.hpp"
#include "math/rng.hpp"

/// Shared by the tests of repulsion: maps, reference forces, and errors against them.
namespace dunlin::forces::testing_repulsion {

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

struct Forces {
    std::vector<float> rows;
    double mass = 0;
    bool operator==(const Forces&) const = default;
};

struct Truth {
    std::vector<double> rows;
    double mass = 0;
};

inline Truth by_formula(const Map& map) {
    const std::vector<double> y(map.coordinates.begin(), map.coordinates.end());
    Truth out{std::vector<double>(y.size())};
    out.mass = repel_exact_reference<StudentT, double>({y.data(), map.size(), map.dim},
                                                       {out.rows.data(), map.size(), map.dim});
    return out;
}

double length(const auto* row, int dim) {
    double sum = 0;
    for (int d = 0; d < dim; ++d) sum += static_cast<double>(row[d]) * static_cast<double>(row[d]);
    return std::sqrt(sum);
}

/// Relative errors of all forces, in ascending order.
inline std::vector<double> errors(const Map& map, const Forces& found, const Truth& truth) {
    std::vector<double> all;
    for (Index i = 0; i < map.size(); ++i) {
        const auto at = static_cast<std::size_t>(i * map.dim);
        double off[3] = {};
        for (int d = 0; d < map.dim; ++d) {
            off[d] = static_cast<double>(found.rows[at + static_cast<std::size_t>(d)]) -
                     truth.rows[at + static_cast<std::size_t>(d)];
        }
        all.push_back(length(off, map.dim) / length(truth.rows.data() + at, map.dim));
    }
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace dunlin::forces::testing_repulsion
