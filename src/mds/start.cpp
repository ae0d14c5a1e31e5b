#include "mds/start.hpp"

#include <Eigen/Dense>
#include <cmath>

#include "math/rng.hpp"
#include "mds/shape.hpp"
#include "mds/spectral.hpp"
#include "metrics/sample.hpp"
#include "start/dense.hpp"
#include "start/start.hpp"

namespace dunlin::mds {

namespace {

using Coordinates = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index small_matrix = 1000, pivots = 50;

Map spectral_map(device::Cpu& cpu, const Dissimilarities& items, const Source& source, int dim, std::uint64_t seed) {
    Run run;
    run.seed = seed;
    const bool cheap = items.metric() == neighbors::Metric::euclidean || source.size() <= small_matrix;
    return cheap ? classical(cpu, items, source, dim) : pivot(cpu, source, dim, std::min(pivots, source.size()), run);
}

double extent(const Map& map) {
    double squares = 0;
    for (const float y : map.coordinates) squares += static_cast<double>(y) * static_cast<double>(y);
    return std::sqrt(squares / std::max<double>(1, static_cast<double>(map.coordinates.size())));
}

}  // namespace

void rescale(device::Cpu& cpu, const Source& source, Map& map, std::uint64_t seed) {
    constexpr Index some = 64;
    rescale(cpu, source, map, metrics::rows_to_judge(source.size(), some, some, seed));
}

void rescale(device::Cpu& cpu, const Source& source, Map& map, std::span<const Index> rows) {
    std::vector<StressSums> sums(rows.size());
    meet_all(cpu, source, map.coordinates.data(), map.dim, nullptr, rows,
             [&](std::size_t row, const Meeting& meeting) { sums[row] += stress_sums(meeting); });
    StressSums all;
    for (const StressSums& row : sums) all += row;
    if (!(all.d2 > 0)) return;
    const double scale = 1 - all.d_error / all.d2;
    for (float& y : map.coordinates) y = static_cast<float>(scale * static_cast<double>(y));
}

void shake(Map& map, std::uint64_t seed) {
    const double size = extent(map);
    const Map noise = start::random_start(map.size(), map.dim, size > 0 ? 1e-4 * size : 1.0, seed);
    for (std::size_t k = 0; k < map.coordinates.size(); ++k) map.coordinates[k] += noise.coordinates[k];
}

Map first_map(device::Cpu& cpu, const Dissimilarities& items, const Source& source, int dim, Start start,
              std::uint64_t seed) {
    const bool spectral = start == Start::automatic && source.complete();
    Map map = spectral ? spectral_map(cpu, items, source, dim, seed) : Map{dim, {}};
    if (spectral) {
        shake(map, seed);
    } else {
        map = start::random_start(source.size(), dim, 1.0, seed);
    }
    rescale(cpu, source, map, seed);
    return map;
}

void align(Map& map) {
    const Index n = map.size();
    Coordinates y = Eigen::Map<const Coordinates>(map.coordinates.data(), n, map.dim);
    Eigen::MatrixXd wide = y.cast<double>();
    const Eigen::RowVectorXd mean = wide.colwise().mean();
    wide.rowwise() -= mean;
    const Eigen::MatrixXd spread = wide.transpose() * wide;
    const start::Eigenpairs axes =
        start::leading_eigenpairs({spread.data(), spread.data() + spread.size()}, map.dim, map.dim);
    Eigen::MatrixXd turned = wide * Eigen::Map<const Eigen::MatrixXd>(axes.vectors.data(), map.dim, map.dim);
    start::make_signs_canonical(turned.data(), n, map.dim);
    y = turned.cast<float>();
    std::copy_n(y.data(), y.size(), map.coordinates.begin());
}

}  // namespace dunlin::mds
