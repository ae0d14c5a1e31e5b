// SPDX-License-Identifier: Apache-2.0
#include "graph/relabel.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>

#include "math/at.hpp"

namespace dunlin::graph {

namespace {

/// Offsets and targets of a graph whose vertex v is vertex order[v] of `graph`, for both kinds of rows. Calls
/// move(from, count, to) for the edges of each row.
template <class Rows, class Move>
void relabel_rows(device::Cpu& cpu, const Graph& graph, std::span<const Index> order, Rows& result, const Move& move) {
    using Place = typename decltype(result.offsets)::value_type;
    const Index n = graph.size();
    std::vector<Index> number(at(n));  // new index of each old vertex
    result.offsets.assign(at(n) + 1, 0);
    cpu.each(n, [&](Offset v) {
        const auto old = at(order[at(v)]);
        number[old] = static_cast<Index>(v);
        result.offsets[at(v) + 1] = static_cast<Place>(graph.offsets[old + 1] - graph.offsets[old]);
    });
    std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
    cpu.blocks(n, 1024, [&](Offset begin, Offset end, int) {
        for (Offset v = begin; v < end; ++v) {
            const Offset from = graph.offsets[at(order[at(v)])], to = result.offsets[at(v)];
            const Offset count = result.offsets[at(v) + 1] - to;
            for (Offset e = 0; e < count; ++e) result.targets[at(to + e)] = number[at(graph.targets[at(from + e)])];
            move(from, count, to);
        }
    });
}

}  // namespace

Graph relabel(device::Cpu& cpu, const Graph& graph, std::span<const Index> order) {
    Graph result;
    result.targets.resize(at(graph.edges()));
    result.weights.resize(at(graph.edges()));
    relabel_rows(cpu, graph, order, result, [&](Offset from, Offset count, Offset to) {
        std::copy_n(graph.weights.begin() + from, count, result.weights.begin() + to);
    });
    return result;
}

double bits_of_gaps(device::Cpu& cpu, const Graph& graph, std::span<const Index> number) {
    device::Cell<double> total;
    cpu.sum(
        graph.size(),
        [&](Offset v) {
            Offset bits = 0;
            for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e) {
                const Index gap = std::abs(number[at(v)] - number[at(graph.targets[at(e)])]);
                bits += std::bit_width(static_cast<std::uint32_t>(gap));
            }
            return static_cast<double>(bits);
        },
        total);
    return total.value;
}

CompactRows relabel_compact(device::Cpu& cpu, const Graph& graph, std::span<const Index> order) {
    CompactRows result;
    result.targets.resize(at(graph.edges()) + CompactRows::padding);
    relabel_rows(cpu, graph, order, result, [](Offset, Offset, Offset) {});
    return result;
}

}  // namespace dunlin::graph
