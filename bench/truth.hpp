// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <dunlin/types.hpp>

#include "device/clones.hpp"
#include "device/cpu.hpp"

/// Reference of repulsion for benchmarks: sums over all pairs in double, with separate columns and several independent
/// sums, so that the compiler vectorizes.
namespace dunlin::truth {

constexpr Index largest_sample = 5000;  ///< rows; larger maps are sampled at this many evenly spaced rows

constexpr std::size_t lanes = 16;

struct Columns {
    std::array<std::vector<double>, 3> of;  // padded with points so far away that they add nothing
    Index n = 0;
    std::size_t padded = 0;

    explicit Columns(MatrixView<const float> y)
        : n(y.rows), padded((static_cast<std::size_t>(n) + lanes - 1) / lanes * lanes) {
        for (std::size_t c = 0; c < 3; ++c) {
            const bool used = c < static_cast<std::size_t>(y.cols);
            of[c].assign(padded, used ? 1e150 : 0);
            for (Index i = 0; i < n; ++i)
                of[c][static_cast<std::size_t>(i)] = used ? double{y(i, static_cast<Index>(c))} : 0;
        }
    }
};

struct Sums {
    std::array<double, 3> force{};
    double mass = 0;
};

DUNLIN_CLONES inline Sums at(const Columns& y, Index i) {
    const auto self = static_cast<std::size_t>(i);
    const std::array<double, 3> here = {y.of[0][self], y.of[1][self], y.of[2][self]};
    std::array<double, lanes> fx{}, fy{}, fz{}, mass{};
    for (std::size_t begin = 0; begin < y.padded; begin += lanes) {
        for (std::size_t l = 0; l < lanes; ++l) {
            const double a = here[0] - y.of[0][begin + l];
            const double b = here[1] - y.of[1][begin + l];
            const double c = here[2] - y.of[2][begin + l];
            const double q = 1 / (1 + a * a + b * b + c * c);
            mass[l] += q;
            fx[l] += q * q * a;
            fy[l] += q * q * b;
            fz[l] += q * q * c;
        }
    }
    Sums sums;
    for (std::size_t l = 0; l < lanes; ++l) {
        sums.force[0] += fx[l];
        sums.force[1] += fy[l];
        sums.force[2] += fz[l];
        sums.mass += mass[l];
    }
    sums.mass -= 1;  // the point itself
    return sums;
}

inline std::vector<Index> sampled_rows(Index n) {
    const Index count = std::min(n, largest_sample);
    std::vector<Index> rows;
    for (Index s = 0; s < count; ++s) rows.push_back(static_cast<Index>(Offset{s} * n / count));
    return rows;
}

/// |F - E| / |E| at the sampled rows, ascending, E being the true repulsion by Student-t similarities.
inline std::vector<double> relative_errors(device::Cpu& cpu, MatrixView<const float> y,
                                           const std::vector<float>& force) {
    const Columns columns(y);
    const std::vector<Index> rows = sampled_rows(y.rows);
    std::vector<double> errors(rows.size());
    cpu.each(
        static_cast<Offset>(rows.size()),
        [&](Offset s) {
            const Index i = rows[static_cast<std::size_t>(s)];
            const Sums truth = at(columns, i);
            double off2 = 0;
            double size2 = 0;
            for (Index c = 0; c < y.cols; ++c) {
                const double off = double{force[static_cast<std::size_t>(Offset{i} * y.cols + c)]} -
                                   truth.force[static_cast<std::size_t>(c)];
                off2 += off * off;
                size2 += truth.force[static_cast<std::size_t>(c)] * truth.force[static_cast<std::size_t>(c)];
            }
            errors[static_cast<std::size_t>(s)] = std::sqrt(off2 / std::max(size2, 1e-300));
        },
        16);
    std::sort(errors.begin(), errors.end());
    return errors;
}

inline double exact_mass(device::Cpu& cpu, MatrixView<const float> y) {
    const Columns columns(y);
    device::Cell<double> mass;
    cpu.sum(y.rows, [&](Offset i) { return at(columns, static_cast<Index>(i)).mass; }, mass, 64);
    return mass.value;
}

}  // namespace dunlin::truth
