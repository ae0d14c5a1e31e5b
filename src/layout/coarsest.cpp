// SPDX-License-Identifier: Apache-2.0
#include "layout/coarsest.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>

#include "graph/paths.hpp"
#include "layout/hierarchy.hpp"
#include "layout/pivots.hpp"
#include "layout/prolongation.hpp"
#include "layout/sparse_stress.hpp"
#include "math/at.hpp"
#include "numerics/blas.hpp"
#include "stress/classical_scaling.hpp"
#include "stress/farthest_first.hpp"

namespace dunlin::layout {

namespace {

constexpr int first_steps = 100;     // of majorization
constexpr Index small_matrix = 128;  // up to this size all eigenvectors cost less than block Krylov iteration
constexpr float infinity = std::numeric_limits<float>::infinity();

/// Fills a row of n distances for each source.
void measure(graph::Paths& paths, std::span<const Index> sources, Index n, float* rows) {
    std::fill_n(rows, at(Offset{n} * std::ssize(sources)), infinity);
    for (Offset k = 0; k < std::ssize(sources); ++k) rows[k * n + sources[at(k)]] = 0;
    paths.run(sources, [&](int k, Index v, double length) { rows[Offset{k} * n + v] = static_cast<float>(length); });
}

/// All vertices as pivots, with weights d^-2.
Pivots<device::Cpu> all_pairs(const std::vector<float>& distances, Index n) {
    Pivots<device::Cpu> all{n, std::vector<Index>(at(n)), distances, std::vector<float>(distances.size())};
    std::iota(all.vertices.begin(), all.vertices.end(), 0);
    std::transform(distances.begin(), distances.end(), all.weights.begin(), [](float d) { return pivot_weight(d, 1); });
    return all;
}

std::vector<float> map_over_all_pairs(device::Cpu& cpu, const graph::Level& level, int dim, std::uint64_t seed) {
    const Index n = level.graph->size();
    const std::vector<float> distances = all_distances(cpu, level);
    std::vector<float> map = classical_scaling(cpu, distances, n, dim, seed).coordinates;
    reduce_stress(cpu, level, all_pairs(distances, n), first_steps, dim, map);
    return map;
}

/// a v, column-major; a: n x n, symmetric; v: n x width.
std::vector<double> product(device::Cpu& cpu, const std::vector<double>& a, Index n, const std::vector<double>& v,
                            Index width) {
    constexpr Index rows = 64;
    std::vector<double> result(v.size());
    cpu.blocks(n, rows, [&](Offset begin, Offset end, int) {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<int>(end - begin), width, n, 1.0,
                    a.data() + begin * n, n, v.data(), n, 0.0, result.data() + begin, n);
    });
    return result;
}

}  // namespace

std::vector<float> all_distances(device::Cpu& cpu, const graph::Level& level) {
    const Index n = level.graph->size();
    std::vector<float> distances(at(Offset{n} * n));
    std::vector<Index> sources(at(n));
    std::iota(sources.begin(), sources.end(), 0);
    std::vector<graph::Paths> paths(at(cpu.threads()), graph::Paths(*level.graph, level.lengths));
    cpu.blocks(n, graph::Paths::max_sources, [&](Offset begin, Offset end, int worker) {
        measure(paths[at(worker)], std::span(sources).subspan(at(begin), at(end - begin)), n,
                distances.data() + begin * n);
    });
    return distances;
}

Map classical_scaling(device::Cpu& cpu, const std::vector<float>& distances, Index n, int dim, std::uint64_t seed) {
    Map map{dim, {}};
    if (n <= small_matrix) {
        map.coordinates = stress::classical_scaling(distances, n, dim);
    } else {
        std::vector<double> squares(distances.size());
        std::transform(distances.begin(), distances.end(), squares.begin(), [](double d) { return d * d; });
        const auto times = [&](const std::vector<double>& v, Index width) {
            return product(cpu, squares, n, v, width);
        };
        map.coordinates = stress::classical_scaling_by_krylov(times, n, dim);
    }
    cpu.each(static_cast<Offset>(map.coordinates.size()), Jitter{map.coordinates.data(), seed + 7});
    return map;
}

Pivots<device::Cpu> farthest_pivots(device::Cpu& cpu, const graph::Level& level, Index most) {
    const Index n = level.graph->size();
    Pivots<device::Cpu> pivots;
    pivots.count = std::min(n, most);
    if (n == 0) return pivots;
    pivots.distances.resize(at(Offset{n} * pivots.count));
    graph::Paths paths(*level.graph, level.lengths);
    std::vector<float> row(at(n));
    measure(paths, std::array{Index{0}}, n, row.data());
    const auto first = static_cast<Index>(std::max_element(row.begin(), row.end()) - row.begin());
    const auto distances_from = [&](Index pivot, Offset k) {
        measure(paths, {&pivot, 1}, n, row.data());
        for (Offset v = 0; v < n; ++v) pivots.distances[at(v * pivots.count + k)] = row[at(v)];
    };
    pivots.vertices = stress::farthest_first(cpu, n, pivots.count, first, pivots.distances.data(), distances_from);
    set_pivot_weights(cpu, n, pivots);
    return pivots;
}

CoarsestLayout place_coarsest(device::Cpu& cpu, const graph::Level& level, int dim, std::uint64_t seed) {
    const auto hierarchy = build_hierarchy(cpu, level, seed, coarsest);
    const std::size_t top = hierarchy.coarsest();
    std::vector<float> map = map_over_all_pairs(cpu, hierarchy.level(top), dim, seed);
    Pivots<device::Cpu> pivots;
    for (std::size_t l = top; l-- > 0;) {
        map = prolongated(cpu, hierarchy.level(l), hierarchy.steps[l], map, dim, seed + (top - l));
        pivots = farthest_pivots(cpu, hierarchy.level(l), max_pivots);
        reduce_stress(cpu, hierarchy.level(l), pivots, max_steps, dim, map);
    }
    if (top == 0) pivots = farthest_pivots(cpu, level, max_pivots);
    return {{dim, std::move(map)}, std::move(pivots.vertices), std::move(pivots.distances)};
}

}  // namespace dunlin::layout
