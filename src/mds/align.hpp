// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "device/ranks.hpp"
#include "initialization/dense.hpp"
#include "math/hd.hpp"
#include "mds/configuration.hpp"
#include "progress/cancel.hpp"

namespace dunlin::mds {

struct Coordinate {
    const float* y;
    int dim, axis;
    DUNLIN_HD double operator()(Offset i) const { return static_cast<double>(y[i * dim + axis]); }
};

struct CovarianceTerm {
    const float* y;
    int dim, a, b;
    double mean_a, mean_b;
    DUNLIN_HD double operator()(Offset i) const {
        return (static_cast<double>(y[i * dim + a]) - mean_a) * (static_cast<double>(y[i * dim + b]) - mean_b);
    }
};

/// to[i, c] = sum over a of (y[i, a] - mean[a]) axes[c, a].
struct RotateCoordinate {
    const float* y;
    const double *mean, *axes;
    float* to;
    int dim;
    DUNLIN_HD void operator()(Offset k) const {
        const Offset i = k / dim, c = k % dim;
        double sum = 0;
        for (int a = 0; a < dim; ++a) sum += (static_cast<double>(y[i * dim + a]) - mean[a]) * axes[c * dim + a];
        to[k] = static_cast<float>(sum);
    }
};

/// Centers the map and rotates it to its principal axes, the longest first.
template <class Exec>
void rotate_to_principal_axes(Exec& exec, Configuration<Exec>& configuration) {
    const int dim = configuration.dim;
    const auto size = static_cast<std::size_t>(dim);
    typename Exec::template Cell<double> cell;
    const auto sum = [&](const auto& term) {
        exec.sum(configuration.n, term, cell);
        return exec.read(cell);
    };
    std::vector<double> mean(size), spread(size * size);
    for (int c = 0; c < dim; ++c)
        mean[static_cast<std::size_t>(c)] =
            sum(Coordinate{configuration.y.data(), dim, c}) / std::max(configuration.n, 1);
    for (int a = 0; a < dim; ++a) {
        for (int b = a; b < dim; ++b) {
            const CovarianceTerm term{configuration.y.data(),           dim, a, b, mean[static_cast<std::size_t>(a)],
                                      mean[static_cast<std::size_t>(b)]};
            spread[static_cast<std::size_t>(Offset{a} * dim + b)] = sum(term);
            spread[static_cast<std::size_t>(Offset{b} * dim + a)] =
                spread[static_cast<std::size_t>(Offset{a} * dim + b)];
        }
    }
    const initialization::Eigenpairs axes = initialization::leading_eigenpairs(spread, dim, dim);
    typename Exec::template Buffer<double> center, axis_vectors;
    exec.upload(center, std::span<const double>(mean));
    exec.upload(axis_vectors, std::span<const double>(axes.vectors));
    exec.each(Offset{configuration.n} * dim, RotateCoordinate{configuration.y.data(), center.data(),
                                                              axis_vectors.data(), configuration.force.data(), dim});
    configuration.y.swap(configuration.force);
}

/// Reduction: the value of largest magnitude; of equal magnitudes, the positive one.
struct Extreme {
    double value = 0;
    DUNLIN_HD Extreme& operator+=(const Extreme& other) {
        const double here = value < 0 ? -value : value, there = other.value < 0 ? -other.value : other.value;
        if (there > here || (there == here && other.value > 0)) value = other.value;
        return *this;
    }
};

struct ExtremeCoordinate {
    Coordinate coordinate;
    DUNLIN_HD Extreme operator()(Offset i) const { return {coordinate(i)}; }
};

struct NegateCoordinate {
    float* y;
    int dim, axis;
    DUNLIN_HD void operator()(Offset i) const { y[i * dim + axis] = -y[i * dim + axis]; }
};

/// Flips axes so that the coordinate of largest magnitude of each is positive.
template <class Exec>
void make_signs_canonical(Exec& exec, Configuration<Exec>& configuration) {
    typename Exec::template Cell<Extreme> largest;
    for (int c = 0; c < configuration.dim; ++c) {
        exec.sum(configuration.n, ExtremeCoordinate{{configuration.y.data(), configuration.dim, c}}, largest);
        if (exec.read(largest).value < 0)
            exec.each(configuration.n, NegateCoordinate{configuration.y.data(), configuration.dim, c});
    }
}

/// The map, centered, in its principal axes (the longest first), with canonical signs; on all ranks that of the first.
template <class Exec>
Map aligned(Exec& exec, Configuration<Exec> configuration) {
    const progress::Uncancellable whole;  // also for cancelled runs
    rotate_to_principal_axes(exec, configuration);
    make_signs_canonical(exec, configuration);
    device::broadcast(exec, configuration.y.data(), configuration.y.size());
    return {configuration.dim, exec.host(configuration.y)};
}

}  // namespace dunlin::mds
