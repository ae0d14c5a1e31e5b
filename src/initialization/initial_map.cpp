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

}  // namespace

Map random_start(Index n, int dim, double deviation, std::uint64_t seed) {
    const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(dim);
    return mixed({0, deviation}, dim, std::vector<float>(size, 0.0F), seed);
}

Map pca_start(device::Cpu& cpu, MatrixView<const float> points, int dim, double deviation, std::uint64_t seed) {
    std::vector<float> axes = principal_coordinates(cpu, points, dim);
    device::Cell<double> squares;
    cpu.sum(
        points.rows,
        [&](Offset i) {
            return static_cast<double>(axes[static_cast<std::size_t>(i * dim)]) *
                   axes[static_cast<std::size_t>(i * dim)];
        },
        squares);
    return mixed(NoisyCoordinate::of(squares.value, points.rows, deviation), dim, std::move(axes), seed);
}

}  // namespace dunlin::initialization
