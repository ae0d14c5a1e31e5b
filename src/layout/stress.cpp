#include "layout/stress.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "graph/paths.hpp"
#include "layout/stress_rows.hpp"
#include "math/rng.hpp"

namespace dunlin::layout {

namespace {

constexpr int turns = 50;  // of the power method
constexpr float infinity = std::numeric_limits<float>::infinity();

std::size_t at(Offset i) { return static_cast<std::size_t>(i); }

/// distances[pivot] is a column of n.
using Columns = std::vector<std::vector<float>>;

void measure(graph::Paths& paths, std::span<const Index> sources, Index n, std::vector<float>* columns) {
    for (std::size_t k = 0; k < sources.size(); ++k) {
        columns[k].assign(at(n), infinity);
        columns[k][at(sources[k])] = 0;
    }
    paths.run(sources, [&](int k, Index v, double length) { columns[k][at(v)] = static_cast<float>(length); });
}

/// From all `vertices`.
Columns from_all(device::Cpu& cpu, const graph::Level& level, std::span<const Index> vertices) {
    Columns columns(vertices.size());
    std::vector<graph::Paths> paths(at(cpu.threads()), graph::Paths(*level.graph, level.lengths));
    cpu.blocks(std::ssize(vertices), graph::Paths::most_sources, [&](Offset begin, Offset end, int worker) {
        measure(paths[at(worker)], vertices.subspan(at(begin), at(end - begin)), level.graph->size(),
                &columns[at(begin)]);
    });
    return columns;
}

/// The first pivot is the one farthest from vertex 0; every other is the farthest from those before it.
Columns from_farthest(const graph::Level& level, Index most, std::vector<Index>& vertices) {
    graph::Paths paths(*level.graph, level.lengths);
    Columns columns;
    std::vector<float> nearest;
    const auto measure_from = [&](Index source, std::vector<float>& column) {
        measure(paths, {&source, 1}, level.graph->size(), &column);
    };
    measure_from(0, nearest);
    while (static_cast<Index>(vertices.size()) < most) {
        const auto farthest = static_cast<Index>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
        vertices.push_back(farthest);
        measure_from(farthest, columns.emplace_back());
        if (vertices.size() == 1) nearest = columns.back();
        for (std::size_t v = 0; v < nearest.size(); ++v) nearest[v] = std::min(nearest[v], columns.back()[v]);
    }
    return columns;
}

/// The distances from each pivot to the vertices nearer to it than to any other, ascending.
Columns regions_of(const Columns& columns) {
    Columns regions(columns.size());
    for (std::size_t v = 0; v < columns[0].size(); ++v) {
        std::size_t nearest = 0;
        for (std::size_t p = 1; p < columns.size(); ++p) {
            if (columns[p][v] < columns[nearest][v]) nearest = p;
        }
        regions[nearest].push_back(columns[nearest][v]);
    }
    for (auto& region : regions) std::sort(region.begin(), region.end());
    return regions;
}

float weight_of(float distance, const std::vector<float>& region) {
    if (!(distance > 0)) return 0;
    const auto served = std::upper_bound(region.begin(), region.end(), distance / 2) - region.begin();
    return static_cast<float>(std::max<std::ptrdiff_t>(served, 1)) / (distance * distance);
}

/// Classical scaling (Torgerson 1952): the leading eigenvectors of the doubly centred -d^2 / 2, by the power method,
/// each times the root of its eigenvalue.
class ClassicalScaling {
public:
    ClassicalScaling(device::Cpu& cpu, const std::vector<float>& distances, Index n)
        : cpu_(cpu), distances_(distances), n_(n), row_mean_(at(n)) {
        cpu_.each(
            n,
            [&](Offset i) {
                double sum = 0;
                for (Offset j = 0; j < n; ++j) sum += square(i, j);
                row_mean_[at(i)] = sum / n;
            },
            16);
        for (const double mean : row_mean_) mean_ += mean / n;
    }

    Map place(int dim, std::uint64_t seed) {
        Map map{dim, std::vector<float>(at(Offset{n_} * dim))};
        for (int c = 0; c < dim; ++c) {
            const std::vector<double> axis = leading(seed + static_cast<std::uint64_t>(c));
            for (Index i = 0; i < n_; ++i) map.coordinates[at(Offset{i} * dim + c)] = static_cast<float>(axis[at(i)]);
            found_.push_back(axis);
        }
        return map;
    }

private:
    [[nodiscard]] double square(Offset i, Offset j) const {
        const auto d = static_cast<double>(distances_[at(i * n_ + j)]);
        return d * d;
    }

    /// The next eigenvector, of length the root of its eigenvalue.
    std::vector<double> leading(std::uint64_t seed) {
        std::vector<double> x(at(n_));
        for (Index i = 0; i < n_; ++i) x[at(i)] = math::random_uniform(seed, static_cast<std::uint64_t>(i)) - 0.5;
        double value = 0;
        for (int turn = 0; turn < turns; ++turn) {
            normalize(x);
            x = product(x);
            value = length(x);
        }
        normalize(x);
        for (double& v : x) v *= std::sqrt(value);
        return x;
    }

    /// B x less what earlier axes explain.
    std::vector<double> product(const std::vector<double>& x) {
        std::vector<double> y(x.size());
        cpu_.each(
            n_,
            [&](Offset i) {
                double sum = 0;
                for (Offset j = 0; j < n_; ++j) {
                    sum -= 0.5 * (square(i, j) - row_mean_[at(i)] - row_mean_[at(j)] + mean_) * x[at(j)];
                }
                y[at(i)] = sum;
            },
            16);
        for (const auto& axis : found_) {
            double along = 0;
            for (std::size_t i = 0; i < x.size(); ++i) along += axis[i] * x[i];
            for (std::size_t i = 0; i < x.size(); ++i) y[i] -= along * axis[i];
        }
        return y;
    }

    static double length(const std::vector<double>& x) {
        double sum = 0;
        for (const double v : x) sum += v * v;
        return std::sqrt(sum);
    }
    static void normalize(std::vector<double>& x) {
        const double norm = std::max(length(x), 1e-300);
        for (double& v : x) v /= norm;
    }

    device::Cpu& cpu_;
    const std::vector<float>& distances_;
    Offset n_;
    std::vector<double> row_mean_;
    double mean_ = 0;
    std::vector<std::vector<double>> found_;
};

/// A step of one vertex to where it would like to be best if the others stayed.
class Majorization {
public:
    Majorization(const graph::Level& level, const Pivots& pivots, const Map& map)
        : level_(level), pivots_(pivots), map_(map), dim_(at(map.dim)) {
        for (std::size_t d = 0; d < dim_; ++d) {
            for (const Index p : pivots.vertices) pivot_at_[d].push_back(map.coordinates[at(p) * dim_ + d]);
        }
    }

    void move(Offset i, float* to) const {
        const auto k = static_cast<Offset>(pivots_.vertices.size());
        StressRow row{
            pivots_.distances.data() + i * k, pivots_.weights.data() + i * k, {}, {}, static_cast<Index>(k), map_.dim};
        for (std::size_t d = 0; d < dim_; ++d) {
            row.at[d] = pivot_at_[d].data();
            row.from[d] = map_.coordinates[at(i) * dim_ + d];
        }
        StressSums sums;
        stress_row(row, sums);
        if (k < level_.graph->size()) add_neighbours(i, row.from, sums);
        for (std::size_t d = 0; d < dim_; ++d) to[d] = sums.weight > 0 ? sums.place[d] / sums.weight : row.from[d];
    }

private:
    void add_neighbours(Offset i, const std::array<float, 3>& from, StressSums& sums) const {
        for (Offset e = level_.graph->offsets[at(i)]; e < level_.graph->offsets[at(i) + 1]; ++e) {
            const float length = level_.length(e), weight = 1 / (length * length);
            std::array<float, 3> other{};
            for (std::size_t d = 0; d < dim_; ++d)
                other[d] = map_.coordinates[at(level_.graph->targets[at(e)]) * dim_ + d];
            StressRow row{&length, &weight, {&other[0], &other[1], &other[2]}, from, 1, map_.dim};
            stress_row(row, sums);
        }
    }

    graph::Level level_;
    const Pivots& pivots_;
    const Map& map_;
    std::size_t dim_;
    std::array<std::vector<float>, 3> pivot_at_;
};

}  // namespace

Pivots pivots_of(device::Cpu& cpu, const graph::Level& level, Index most) {
    const Index n = level.graph->size();
    Pivots pivots;
    Columns columns, regions;
    if (n <= most) {
        pivots.vertices.resize(at(n));
        std::iota(pivots.vertices.begin(), pivots.vertices.end(), 0);
        columns = from_all(cpu, level, pivots.vertices);
    } else {
        columns = from_farthest(level, most, pivots.vertices);
        regions = regions_of(columns);
    }
    const auto k = static_cast<Offset>(columns.size());
    const std::vector<float> itself{0};
    pivots.distances.resize(at(n * k));
    pivots.weights.resize(at(n * k));
    cpu.each(
        n,
        [&](Offset i) {
            for (Offset p = 0; p < k; ++p) {
                const float distance = columns[at(p)][at(i)];
                pivots.distances[at(i * k + p)] = distance;
                pivots.weights[at(i * k + p)] = weight_of(distance, regions.empty() ? itself : regions[at(p)]);
            }
        },
        64);
    return pivots;
}

Map classical_scaling(device::Cpu& cpu, const Pivots& pivots, int dim, std::uint64_t seed) {
    const auto n = static_cast<Index>(pivots.vertices.size());
    Map map = ClassicalScaling(cpu, pivots.distances, n).place(dim, seed);
    // Vertices that no distance tells apart must not begin in one place
    for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
        map.coordinates[i] += static_cast<float>(0.01 * (math::random_uniform(seed + 7, i) - 0.5));
    }
    return map;
}

void lower_stress(device::Cpu& cpu, const graph::Level& level, const Pivots& pivots, int steps, Map& map) {
    Map next = map;
    for (int step = 0; step < steps; ++step) {
        const Majorization majorization(level, pivots, map);
        cpu.each(map.size(), [&](Offset i) { majorization.move(i, next.coordinates.data() + i * map.dim); }, 64);
        map.coordinates.swap(next.coordinates);
    }
}

}  // namespace dunlin::layout
