// SPDX-License-Identifier: Apache-2.0
#include "layout/random_pivots.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "graph/paths.hpp"
#include "math/at.hpp"
#include "math/permutation.hpp"
#include "math/vec.hpp"
#include "stress/scaled_stress.hpp"

namespace dunlin::layout {

Pivots<device::Cpu> random_pivots(device::Cpu& cpu, const graph::Level& level, Index most, std::uint64_t seed) {
    const Graph& graph = *level.graph;
    const Index n = graph.size(), count = std::min(n, most);
    Pivots<device::Cpu> pivots{count, {}, std::vector<float>(at(Offset{n} * count)), {}};
    pivots.weights.resize(pivots.distances.size());
    const auto order = math::Permutation::of(n, seed, ~std::uint64_t{1});
    for (Index p = 0; p < count; ++p) pivots.vertices.push_back(order(p));

    const double share = static_cast<double>(n) / count;
    const auto place = [&](Offset v, Offset p) { return at(v * count + p); };
    std::vector<graph::Paths> paths(at(cpu.threads()), graph::Paths(graph, level.lengths));
    cpu.blocks(count, graph::Paths::max_sources, [&](Offset begin, Offset end, int worker) {
        const auto sources = std::span(pivots.vertices).subspan(at(begin), at(end - begin));
        paths[at(worker)].run(sources, [&](int k, Index v, double length) {
            pivots.distances[place(v, begin + k)] = static_cast<float>(length);
            pivots.weights[place(v, begin + k)] = static_cast<float>(stress::inverse_square(length, share));
        });
        for (Offset p = begin; p < end; ++p) {
            const Index source = pivots.vertices[at(p)];
            for (Offset e = graph.offsets[at(source)]; e < graph.offsets[at(source) + 1]; ++e)
                pivots.weights[place(graph.targets[at(e)], p)] = 0;
        }
    });
    return pivots;
}

Fit fit_of(device::Cpu& cpu, const Pivots<device::Cpu>& pivots, const std::vector<float>& map, int dim) {
    const Offset n = std::ssize(map) / dim;
    device::Cell<math::Vec<double, 3>> sums;  // over pairs: 1, q = distance in the map / along edges, and q^2
    cpu.sum(
        n,
        [&](Offset v) {
            math::Vec<double, 3> sum;
            for (Offset p = 0; p < pivots.count; ++p) {
                const auto along = static_cast<double>(pivots.distances[at(v * pivots.count + p)]);
                if (!(along > 0)) continue;
                double r2 = 0;
                for (Offset c = 0; c < dim; ++c) {
                    const float apart = map[at(v * dim + c)] - map[at(Offset{pivots.vertices[at(p)]} * dim + c)];
                    r2 += static_cast<double>(apart) * static_cast<double>(apart);
                }
                const double q = std::sqrt(r2) / along;
                sum += math::Vec<double, 3>{{1, q, q * q}};
            }
            return sum;
        },
        sums, 64);
    const auto [count, q, squares] = sums.value.at;
    if (!(squares > 0)) return {};
    return {stress::scaled_stress(count, q, squares), q / squares};
}

}  // namespace dunlin::layout
