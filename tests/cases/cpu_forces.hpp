// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "cases/repulsion.hpp"
#include "forces/exact/exact.hpp"
#include "forces/grid/grid.hpp"
#include "forces/tree/tree.hpp"

/// Repulsion by the engines of the CPU, as functions: what tests compare with the reference, and with a GPU.
namespace dunlin::repulsion {

using Points = std::vector<float>;  ///< n x dim

struct Forces {
    std::vector<float> force;  ///< n x dim
    double mass = 0;
    bool operator==(const Forces&) const = default;
};

inline Index count(const Points& y, int dim) { return static_cast<Index>(y.size() / static_cast<std::size_t>(dim)); }
inline MatrixView<const float> view(const Points& y, int dim) { return {y.data(), count(y, dim), dim}; }

/// Forces computed by `repel`; NaN for forces that it does not write.
Forces forces_by(MatrixView<const float> y, int threads, const auto& repel) {
    device::Cpu cpu(threads);
    device::Cell<double> mass;
    Forces result{std::vector<float>(static_cast<std::size_t>(y.size()), NAN), 0};
    repel(cpu, MatrixView<float>{result.force.data(), y.rows, y.cols}, mass);
    result.mass = mass.value;
    return result;
}

template <class Law>
Forces exact_on_cpu(MatrixView<const float> y, int threads = 2, Law law = {}, const float* charges = nullptr,
                    const float* radii = nullptr) {
    return forces_by(y, threads, [&](device::Cpu& cpu, MatrixView<float> force, device::Cell<double>& mass) {
        forces::repel_exact<Law>(cpu, y, force, mass, charges, radii, law);
    });
}

template <class Law>
Forces tree_on_cpu(MatrixView<const float> y, float theta, int threads = 2, Law law = {},
                   const float* charges = nullptr) {
    return forces_by(y, threads, [&](device::Cpu& cpu, MatrixView<float> force, device::Cell<double>& mass) {
        forces::Tree<Law>(theta, law).repel(cpu, y, force, mass, charges);
    });
}

template <class Law>
Forces grid_on_cpu(MatrixView<const float> y, int threads = 2, float spacing = 0, Law law = {}) {
    return forces_by(y, threads, [&](device::Cpu& cpu, MatrixView<float> force, device::Cell<double>& mass) {
        forces::Grid<Law>(spacing, law).repel(cpu, y, force, mass);
    });
}

// By t-SNE's law

inline Forces exact(const Points& y, int dim, int threads = 2) {
    return exact_on_cpu<forces::StudentT>(view(y, dim), threads);
}
inline Forces tree(const Points& y, int dim, float theta, int threads = 2) {
    return tree_on_cpu<forces::StudentT>(view(y, dim), theta, threads);
}
inline Forces grid(const Map& map, int threads = 2, float spacing = 0) {
    return grid_on_cpu<forces::StudentT>(map.view(), threads, spacing);
}

inline double error(const Forces& found, const Forces& right) { return rms_error(found.force, right.force); }

}  // namespace dunlin::repulsion
