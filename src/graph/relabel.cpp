// SPDX-License-Identifier: Apache-2.0
#include "graph/relabel.hpp"

#include <algorithm>
#include <numeric>

#include "math/at.hpp"

namespace dunlin::graph {

Graph relabel(device::Cpu& cpu, const Graph& graph, std::span<const Index> order) {
    const Index n = graph.size();
    std::vector<Index> number(at(n));  // new index of each old vertex
    Graph result;
    result.offsets.assign(at(n) + 1, 0);
    cpu.each(n, [&](Offset v) {
        const auto old = at(order[at(v)]);
        number[old] = static_cast<Index>(v);
        result.offsets[at(v) + 1] = graph.offsets[old + 1] - graph.offsets[old];
    });
    std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
    result.targets.resize(at(graph.edges()));
    result.weights.resize(at(graph.edges()));
    cpu.blocks(n, 1024, [&](Offset begin, Offset end, int) {
        for (Offset v = begin; v < end; ++v) {
            const Offset from = graph.offsets[at(order[at(v)])], to = result.offsets[at(v)];
            const Offset count = result.offsets[at(v) + 1] - to;
            for (Offset e = 0; e < count; ++e) result.targets[at(to + e)] = number[at(graph.targets[at(from + e)])];
            std::copy_n(graph.weights.begin() + from, count, result.weights.begin() + to);
        }
    });
    return result;
}

}  // namespace dunlin::graph
