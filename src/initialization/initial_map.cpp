// SPDX-License-Identifier: Apache-2.0
#include "initialization/initial_map.hpp"

#include "initialization/noisy_coordinate.hpp"
#include "initialization/pca.hpp"

namespace dunlin::initialization {

namespace {

Map mixed(const NoisyCoordinate& blend, int dim, std::vector<float> coordinates, std::uint64_t seed) {
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        coordinates[i] = blend.at(seed, static_cast<Offset>(i), coordinates[i]);
    }
    return {dim, std::move(coordinates)};
}

/// The map from the first principal coordinates of n points.
Map start_at(device::Cpu& cpu, std::vector<float> axes, Index n, int dim, double deviation, std::uint64_t seed) {
    device::Cell<double> squares;
    cpu.sum(
        n,
        [&](Offset i) {
            return static_cast<double>(axes[static_cast<std::size_t>(i * dim)]) *
                   axes[static_cast<std::size_t>(i * dim)];
        },
        squares);
    return mixed(NoisyCoordinate::of(squares.value, n, deviation), dim, std::move(axes), seed);
}

}  // namespace

Map random_start(Index n, int dim, double deviation, std::uint64_t seed) {
    const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(dim);
    return mixed({0, deviation}, dim, std::vector<float>(size, 0.0F), seed);
}

Map pca_start(device::Cpu& cpu, MatrixView<const float> points, int dim, double deviation, std::uint64_t seed) {
    return start_at(cpu, principal_coordinates(cpu, points, dim), points.rows, dim, deviation, seed);
}

Map pca_start(device::Cpu& cpu, const SparseView& points, int dim, double deviation, std::uint64_t seed) {
    return start_at(cpu, principal_coordinates(cpu, points, dim), points.rows, dim, deviation, seed);
}

}  // namespace dunlin::initialization
