#include "start/start.hpp"

#include <cmath>

#include "math/rng.hpp"
#include "start/pca.hpp"

namespace dunlin::start {

Map random_start(Index n, int dim, double deviation, std::uint64_t seed) {
    Map map{dim, std::vector<float>(static_cast<std::size_t>(n) * static_cast<std::size_t>(dim))};
    for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
        map.coordinates[i] = static_cast<float>(deviation * math::random_normal(seed, i));
    }
    return map;
}

Map pca_start(device::Cpu& cpu, MatrixView<const float> points, int dim, double deviation, std::uint64_t seed) {
    Map map = random_start(points.rows, dim, 0.01 * deviation, seed);
    const std::vector<float> axes = principal_coordinates(cpu, points, dim);
    device::Cell<double> squares;
    cpu.sum(
        points.rows,
        [&](Offset i) {
            return static_cast<double>(axes[static_cast<std::size_t>(i * dim)]) *
                   axes[static_cast<std::size_t>(i * dim)];
        },
        squares);
    if (!(squares.value > 0)) return random_start(points.rows, dim, deviation, seed);
    const double scale = deviation / std::sqrt(squares.value / points.rows);
    for (std::size_t i = 0; i < axes.size(); ++i) map.coordinates[i] += static_cast<float>(scale * axes[i]);
    return map;
}

}  // namespace dunlin::start
