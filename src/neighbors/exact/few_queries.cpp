// SPDX-License-Identifier: Apache-2.0
#include "neighbors/exact/few_queries.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "distance/space.hpp"
#include "math/at.hpp"
#include "neighbors/checks.hpp"
#include "neighbors/top_k.hpp"
#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

Graph search_few(device::Cpu& cpu, MatrixView<const float> points, MatrixView<const float> queries, Index k,
                 Metric metric) {
    constexpr Offset grain = 1024;
    check_search(points.rows, k);
    check_queries(points, queries);
    const Index degree = std::min(k, points.rows);
    Graph graph;
    graph.offsets.resize(at(queries.rows + 1));
    for (Index q = 0; q <= queries.rows; ++q) graph.offsets[at(q)] = Offset{q} * degree;
    graph.targets.resize(at(graph.edges()));
    graph.weights.resize(at(graph.edges()));
    if (queries.rows == 0) return graph;
    collect_statistics(cpu, queries, RowKind::query);
    const distance::Space space(cpu, points, metric, queries);
    std::vector<std::vector<Candidate>> parts(at((points.rows + grain - 1) / grain));
    for (Index q = 0; q < queries.rows; ++q) {
        cpu.blocks(points.rows, grain, [&](Offset begin, Offset end, int) {
            TopK best(static_cast<Index>(std::min<Offset>(degree, end - begin)));
            for (auto row = static_cast<Index>(begin); row < end; ++row) {
                best.offer({space.key(points.rows + q, row), row});
            }
            const auto sorted = best.sorted();
            parts[at(begin / grain)].assign(sorted.begin(), sorted.end());
        });
        std::vector<Candidate> all;
        for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
        std::sort(all.begin(), all.end());
        for (Index j = 0; j < degree; ++j) {
            const Candidate& next = all[at(j)];
            const float distance = space.distance(next.key);
            if (!std::isfinite(distance)) fail_for_large_row(q, metric, RowKind::query);
            graph.targets[at(graph.offsets[at(q)] + j)] = next.row;
            graph.weights[at(graph.offsets[at(q)] + j)] = distance;
        }
    }
    return graph;
}

}  // namespace dunlin::neighbors
