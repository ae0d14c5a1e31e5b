// SPDX-License-Identifier: Apache-2.0
#include "layout/summit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "graph/paths.hpp"
#include "layout/hierarchy.hpp"
#include "layout/pivots.hpp"
#include "layout/prolongation.hpp"
#include "layout/stress.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"

namespace dunlin::layout {

namespace {

constexpr int turns = 50;         // of the power method
constexpr int first_steps = 100;  // of majorization
constexpr float infinity = std::numeric_limits<float>::infinity();

/// Rows of n distances, one a source.
void measure(graph::Paths& paths, std::span<const Index> sources, Index n, float* rows) {
    std::fill_n(rows, at(Offset{n} * std::ssize(sources)), infinity);
    for (Offset k = 0; k < std::ssize(sources); ++k) rows[k * n + sources[at(k)]] = 0;
    paths.run(sources, [&](int k, Index v, double length) { rows[Offset{k} * n + v] = static_cast<float>(length); });
}

/// Classical scaling (Torgerson 1952): the leading eigenvectors of the doubly centered -d^2 / 2, by the power method,
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
        Map map{dim, std::vector<float>(at(n_ * dim))};
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

/// All pairs, each vertex standing for itself.
Pivots<device::Cpu> everyone(const std::vector<float>& distances, Index n) {
    Pivots<device::Cpu> all{n, std::vector<Index>(at(n)), distances, std::vector<float>(distances.size())};
    std::iota(all.vertices.begin(), all.vertices.end(), 0);
    std::transform(distances.begin(), distances.end(), all.weights.begin(), [](float d) { return pivot_weight(d, 1); });
    return all;
}

std::vector<float> map_over_all_pairs(device::Cpu& cpu, const graph::Level& level, int dim, std::uint64_t seed) {
    const Index n = level.graph->size();
    const std::vector<float> distances = all_distances(cpu, level);
    std::vector<float> map = classical_scaling(cpu, distances, n, dim, seed).coordinates;
    lower_stress(cpu, level, everyone(distances, n), first_steps, dim, map);
    return map;
}

}  // namespace

std::vector<float> all_distances(device::Cpu& cpu, const graph::Level& level) {
    const Index n = level.graph->size();
    std::vector<float> distances(at(Offset{n} * n));
    std::vector<Index> everyone(at(n));
    std::iota(everyone.begin(), everyone.end(), 0);
    std::vector<graph::Paths> paths(at(cpu.threads()), graph::Paths(*level.graph, level.lengths));
    cpu.blocks(n, graph::Paths::most_sources, [&](Offset begin, Offset end, int worker) {
        measure(paths[at(worker)], std::span(everyone).subspan(at(begin), at(end - begin)), n,
                distances.data() + begin * n);
    });
    return distances;
}

Map classical_scaling(device::Cpu& cpu, const std::vector<float>& distances, Index n, int dim, std::uint64_t seed) {
    Map map = ClassicalScaling(cpu, distances, n).place(dim, seed);
    cpu.each(static_cast<Offset>(map.coordinates.size()), Jitter{map.coordinates.data(), seed + 7});
    return map;
}

Pivots<device::Cpu> farthest_pivots(device::Cpu& cpu, const graph::Level& level, Index most) {
    const Offset n = level.graph->size();
    Pivots<device::Cpu> pivots;
    pivots.count = static_cast<Index>(std::min<Offset>(n, most));
    std::vector<float> rows(at(n * pivots.count)), nearest(at(n));  // of the pivots; at first, of vertex 0
    graph::Paths paths(*level.graph, level.lengths);
    const auto measure_from = [&](Index source, float* row) { measure(paths, {&source, 1}, level.graph->size(), row); };
    if (n > 0) measure_from(0, nearest.data());
    for (Offset p = 0; p < pivots.count; ++p) {
        const auto farthest = static_cast<Index>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
        const auto row = std::span(rows).subspan(at(p * n), at(n));
        measure_from(farthest, row.data());
        if (p == 0) std::fill(nearest.begin(), nearest.end(), infinity);
        for (std::size_t v = 0; v < row.size(); ++v) nearest[v] = std::min(nearest[v], row[v]);
        nearest[at(farthest)] = -1;  // not again, though others be as near
        pivots.vertices.push_back(farthest);
    }
    pivots.distances.resize(rows.size());
    each_pair(cpu, level.graph->size(), pivots.count,
              [&](Offset v, Offset p) { pivots.distances[at(v * pivots.count + p)] = rows[at(p * n + v)]; });
    weigh(cpu, level.graph->size(), pivots);
    return pivots;
}

Summit summit_of(device::Cpu& cpu, const graph::Level& level, int dim, std::uint64_t seed) {
    const auto hierarchy = build_hierarchy(cpu, level, seed, coarsest);
    const std::size_t top = hierarchy.coarsest();
    std::vector<float> map = map_over_all_pairs(cpu, hierarchy.level(top), dim, seed);
    Pivots<device::Cpu> pivots;
    for (std::size_t l = top; l-- > 0;) {
        map = prolongated(cpu, hierarchy.level(l), hierarchy.steps[l], map, dim, seed + (top - l));
        pivots = farthest_pivots(cpu, hierarchy.level(l), most_pivots);
        lower_stress(cpu, hierarchy.level(l), pivots, most_steps, dim, map);
    }
    if (top == 0) pivots = farthest_pivots(cpu, level, most_pivots);
    return {{dim, std::move(map)}, std::move(pivots.vertices), std::move(pivots.distances)};
}

}  // namespace dunlin::layout
