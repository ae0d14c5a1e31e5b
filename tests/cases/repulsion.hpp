// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "forces/law.hpp"

/// The reference of repulsion, for tests and benchmarks: a force law summed over all pairs in double; and errors
/// against it. Columns and several independent sums let the compiler vectorize.
namespace dunlin::repulsion {

constexpr std::size_t lanes = 16;

/// Points as one array a coordinate, with unused ones 0, padded to whole lanes.
struct Columns {
    std::array<std::vector<double>, 3> of;
    std::vector<double> charges;
    Index n = 0;
    std::size_t padded = 0;

    template <class Real>
    explicit Columns(MatrixView<const Real> y, std::span<const float> charge = {})
        : n(y.rows), padded((static_cast<std::size_t>(n) + lanes - 1) / lanes * lanes) {
        for (std::size_t c = 0; c < 3; ++c) {
            const bool used = c < static_cast<std::size_t>(y.cols);
            of[c].assign(padded, 0);
            for (Index i = 0; i < n; ++i)
                of[c][static_cast<std::size_t>(i)] = used ? double{y(i, static_cast<Index>(c))} : 0;
        }
        charges.assign(charge.begin(), charge.end());
        charges.resize(padded, charge.empty() ? 1 : 0);
    }
};

struct Sums {
    std::array<double, 3> force{};
    double mass = 0;
};

/// Force on point i, and its part of the normalizer.
template <class Law>
Sums sums_at(const Columns& y, Index i, Law law = {}) {
    const auto self = static_cast<std::size_t>(i);
    const std::array<double, 3> here = {y.of[0][self], y.of[1][self], y.of[2][self]};
    std::array<double, lanes> fx{}, fy{}, fz{}, mass{};
    const auto add = [&](std::size_t other, std::size_t lane) {
        const double a = here[0] - y.of[0][other], b = here[1] - y.of[1][other], c = here[2] - y.of[2][other];
        const double r2 = a * a + b * b + c * c;
        const double strength = law.strength(r2) * (Law::charged ? y.charges[other] : 1);
        mass[lane] += law.mass(r2);
        fx[lane] += strength * a;
        fy[lane] += strength * b;
        fz[lane] += strength * c;
    };
    const auto rows = static_cast<std::size_t>(y.n);
    for (std::size_t begin = 0; begin < y.padded; begin += lanes) {
        if ((begin <= self && self < begin + lanes) || begin + lanes > rows) {
            for (std::size_t l = 0; l < lanes && begin + l < rows; ++l) {
                if (begin + l != self) add(begin + l, l);
            }
        } else {
            for (std::size_t l = 0; l < lanes; ++l) add(begin + l, l);
        }
    }
    Sums sums;
    for (std::size_t l = 0; l < lanes; ++l) {
        sums.force[0] += fx[l];
        sums.force[1] += fy[l];
        sums.force[2] += fz[l];
        sums.mass += mass[l];
    }
    return sums;
}

struct Truth {
    std::vector<double> force;  ///< n x dim
    double mass = 0;
};

template <class Law = forces::StudentT, class Real>
Truth by_formula(MatrixView<const Real> y, Law law = {}, std::span<const float> charges = {}) {
    const Columns columns(y, charges);
    Truth truth{std::vector<double>(static_cast<std::size_t>(y.size())), 0};
    device::Cpu cpu;
    device::Cell<double> mass;
    const auto row = [&](Offset i) {
        const Sums sums = sums_at<Law>(columns, static_cast<Index>(i), law);
        std::copy_n(sums.force.begin(), y.cols, truth.force.begin() + i * y.cols);
        return sums.mass;
    };
    cpu.sum(y.rows, row, mass, 64);
    truth.mass = mass.value;
    return truth;
}

inline Truth by_formula(const Map& map) { return by_formula(map.view()); }

// Errors

inline double length(const auto* row, int dim) {
    double sum = 0;
    for (int d = 0; d < dim; ++d) sum += static_cast<double>(row[d]) * static_cast<double>(row[d]);
    return std::sqrt(sum);
}

/// |found - right| / |right| of one force.
inline double relative_error(const float* found, const double* right, int dim) {
    double off[3] = {};
    for (int d = 0; d < dim; ++d) off[d] = static_cast<double>(found[d]) - right[d];
    return length(off, dim) / std::max(length(right, dim), 1e-150);
}

/// Relative errors of all forces, in ascending order.
inline std::vector<double> errors(std::span<const float> found, const Truth& truth, int dim) {
    std::vector<double> all;
    for (std::size_t at = 0; at < truth.force.size(); at += static_cast<std::size_t>(dim))
        all.push_back(relative_error(&found[at], &truth.force[at], dim));
    std::sort(all.begin(), all.end());
    return all;
}

/// The same at up to `sample` evenly spaced points, for maps of which all pairs would take too long.
template <class Law = forces::StudentT>
std::vector<double> sampled_errors(device::Cpu& cpu, MatrixView<const float> y, std::span<const float> found,
                                   Index sample = 5000) {
    const Columns columns(y);
    const Index count = std::min(y.rows, sample);
    std::vector<double> all(static_cast<std::size_t>(count));
    const auto row = [&](Offset s) {
        const auto i = static_cast<Index>(s * y.rows / count);
        const Sums right = sums_at<Law>(columns, i);
        all[static_cast<std::size_t>(s)] = relative_error(&found[static_cast<std::size_t>(Offset{i} * y.cols)],
                                                          right.force.data(), static_cast<int>(y.cols));
    };
    cpu.each(count, row, 16);
    std::sort(all.begin(), all.end());
    return all;
}

/// The normalizer alone.
template <class Law = forces::StudentT>
double normalizer(device::Cpu& cpu, MatrixView<const float> y) {
    const Columns columns(y);
    device::Cell<double> mass;
    cpu.sum(y.rows, [&](Offset i) { return sums_at<Law>(columns, static_cast<Index>(i)).mass; }, mass, 64);
    return mass.value;
}

/// Root mean square error of forces, relative to their root mean square; absolute if all are 0.
inline double rms_error(std::span<const float> found, std::span<const float> right) {
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        const double f = static_cast<double>(right[i]), off = static_cast<double>(found[i]) - f;
        difference += off * off;
        size += f * f;
    }
    return size > 0 ? std::sqrt(difference / size) : std::sqrt(difference);
}

/// Of ascending values; for q = 0.5 of an even number of them the upper of the two in the middle.
inline double quantile(const std::vector<double>& values, double q) {
    return values[std::min(values.size() - 1, static_cast<std::size_t>(q * static_cast<double>(values.size())))];
}

}  // namespace dunlin::repulsion
