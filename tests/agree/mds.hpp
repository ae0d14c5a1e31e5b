// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/error.hpp>
#include <dunlin/mds.hpp>

#include <cmath>

#include "agree.hpp"
#include "mds/input/device_source.cuh"
#include "mds/input/source.hpp"

/// Test data of the scaling tests.
namespace dunlin::mds {

/// A size small enough for racecheck of every kernel, and more than two tiles of 64.
inline Index small(Index n) { return agree::only_small() ? std::min<Index>(n, 130) : n; }
inline std::vector<Index> either(const std::vector<Index>& all, const std::vector<Index>& small_ones) {
    return agree::only_small() ? small_ones : all;
}

inline Dissimilarities points(Index n, Index cols, neighbors::Metric metric = neighbors::Metric::euclidean) {
    std::vector<float> x = agree::scattered(n, cols, 4, 3);
    if (n > 5) std::fill_n(x.begin() + cols, cols, 0.0F);                   // a zero row
    if (n > 5) std::copy_n(x.begin(), cols, x.begin() + 2 * Offset{cols});  // two equal rows
    return Dissimilarities::of_points(Matrix(n, cols, std::move(x)), {.metric = metric});
}

/// Distances in 4-D, some of them missing.
inline Dissimilarities matrix(Index n, bool complete) {
    constexpr float missing = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> x = agree::scattered(n, 4, 2, 5);
    std::vector<float> delta(static_cast<std::size_t>(Offset{n} * n), 0.0F);
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) {
            double d2 = 0;
            for (std::size_t c = 0; c < 4; ++c)
                d2 += std::pow(x[static_cast<std::size_t>(i) * 4 + c] - x[static_cast<std::size_t>(j) * 4 + c], 2);
            const bool known = complete || (i * 7 + j * j) % 11 != 0;
            delta[static_cast<std::size_t>(Offset{i} * n + j)] = known ? static_cast<float>(std::sqrt(d2)) : missing;
            delta[static_cast<std::size_t>(Offset{j} * n + i)] = delta[static_cast<std::size_t>(Offset{i} * n + j)];
        }
    }
    return Dissimilarities::of_matrix(Matrix(n, n, std::move(delta)));
}

/// Integer weights, a third of them 0.
inline Matrix some_weights(Index n) {
    std::vector<float> w;
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) w.push_back(static_cast<float>((i + j) % 3));
    }
    return {n, n, std::move(w)};
}

/// Root mean square of the differences, in units of that of `expected`. Where two items nearly coincide, a step
/// amplifies the rounding of their direction.
inline double mean_error(const std::vector<float>& found, const std::vector<float>& expected) {
    double errors = 0, squares = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
        errors += std::pow(static_cast<double>(found[k]) - static_cast<double>(expected[k]), 2);
        squares += std::pow(static_cast<double>(expected[k]), 2);
    }
    return std::sqrt(errors / squares);
}

/// Share of coordinates that differ by more than a thousandth of the root mean square of the expected ones. If two
/// dissimilarities are equal up to rounding, an item may keep another partner and move differently.
inline double share_elsewhere(const std::vector<float>& found, const std::vector<float>& expected) {
    double squares = 0;
    Offset elsewhere = 0;
    for (const float y : expected) squares += static_cast<double>(y) * static_cast<double>(y);
    const double little = 1e-3 * std::sqrt(squares / static_cast<double>(expected.size()));
    for (std::size_t k = 0; k < found.size(); ++k)
        elsewhere += std::abs(static_cast<double>(found[k]) - static_cast<double>(expected[k])) <= little ? 0 : 1;
    return static_cast<double>(elsewhere) / static_cast<double>(std::max<std::size_t>(1, found.size()));
}

/// The same items on both devices, and a map of them.
struct BothItems {
    BothItems(const Dissimilarities& items, int dim, const Matrix* weights = nullptr)
        : source(cpu, items, weights),
          on_device(cuda, items, weights),
          map{dim, agree::scattered(items.size(), dim, 3, 7)} {}

    device::Cpu cpu;
    device::Cuda cuda{Run{}};
    Source source;
    DeviceSource on_device;
    Map map;
};

inline double stress_of(const Dissimilarities& items, const Map& map) {
    return stress(items, map, {}, {.device = Device::cuda}).normalized_stress.value;
}

}  // namespace dunlin::mds
