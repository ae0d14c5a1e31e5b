// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "forces/exact/exact.hpp"
#include "forces/tree/tree.hpp"
#include "math/rng.hpp"

/// Shared by the tests of exact and tree repulsion: points as plain arrays, and the forces on them.
namespace dunlin::forces::testing_points {

using Points = std::vector<float>;

struct Repulsion {
    std::vector<float> force;
    double mass = 0;
};

inline Index count(const Points& y, int dim) { return static_cast<Index>(y.size() / static_cast<std::size_t>(dim)); }

/// Forces computed by `repel`; NaN for forces that it does not write.
Repulsion repulsion_by(const Points& y, int dim, int threads, const auto& repel) {
    device::Cpu cpu(threads);
    device::Cell<double> mass;
    Repulsion result{Points(y.size(), NAN), 0};
    repel(cpu, MatrixView<const float>{y.data(), count(y, dim), dim},
          MatrixView<float>{result.force.data(), count(y, dim), dim}, mass);
    result.mass = mass.value;
    return result;
}

inline Repulsion exact(const Points& y, int dim, int threads = 2) {
    return repulsion_by(y, dim, threads, [](auto& cpu, auto points, auto force, auto& mass) {
        repel_exact<StudentT>(cpu, points, force, mass);
    });
}

inline Repulsion tree_on_cpu(const Points& y, int dim, float theta, int threads = 2) {
    return repulsion_by(y, dim, threads, [theta](auto& cpu, auto points, auto force, auto& mass) {
        Tree<StudentT>(theta).repel(cpu, points, force, mass);
    });
}

/// Clusters of different density, as in a finished map.
inline Points clusters(Index n, int dim) {
    Points y;
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

/// Root mean square error of the forces, relative to their root mean square.
inline double error(const Repulsion& found, const Repulsion& right) {
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < right.force.size(); ++i) {
        const double f = static_cast<double>(right.force[i]), off = static_cast<double>(found.force[i]) - f;
        difference += off * off;
        size += f * f;
    }
    return size > 0 ? std::sqrt(difference / size) : std::sqrt(difference);
}

}  // namespace dunlin::forces::testing_points
