#include "graph/simplify.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace dunlin::graph {

namespace {

std::size_t at(Offset i) { return static_cast<std::size_t>(i); }

/// The other end of an edge, without and with a weight.
struct Bare {
    Index target;
    static Bare of(Index target, std::span<const float>, std::size_t) { return {target}; }
    [[nodiscard]] float weight() const { return 1; }
    bool operator<(const Bare& other) const { return target < other.target; }
};

struct Weighted {
    Index target;
    float value;
    static Weighted of(Index target, std::span<const float> weights, std::size_t e) { return {target, weights[e]}; }
    [[nodiscard]] float weight() const { return value; }
    /// The largest weight first.
    bool operator<(const Weighted& other) const {
        return target != other.target ? target < other.target : value > other.value;
    }
};

/// Rows of `ends`, in which edges may still be double; row v is [offsets[v], offsets[v + 1]).
template <class End>
struct Rows {
    std::vector<Offset> offsets;
    std::vector<End> ends;
};

std::vector<Offset> row_offsets(Index vertices, std::span<const Edge> edges) {
    std::vector<Offset> offsets(at(vertices) + 1, 0);
    for (const Edge& edge : edges) {
        if (edge.source == edge.target) continue;
        ++offsets[at(edge.source) + 1];
        ++offsets[at(edge.target) + 1];
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    return offsets;
}

/// Each stripe of rows is filled by one thread that walks all edges in order: the walk is sequential and cheap, the
/// scattered writes are what is shared out.
template <class End>
Rows<End> both_directions(device::Cpu& cpu, Index vertices, std::span<const Edge> edges,
                          std::span<const float> weights) {
    Rows<End> rows{row_offsets(vertices, edges), {}};
    rows.ends.resize(at(rows.offsets.back()));
    std::vector<Offset> next(rows.offsets.begin(), rows.offsets.end() - 1);
    const Index stripe = std::max(1, (vertices + cpu.threads() - 1) / cpu.threads());
    cpu.blocks(vertices, stripe, [&](Offset begin, Offset end, int) {
        const auto put = [&](Index from, Index to, std::size_t e) {
            if (from >= begin && from < end) rows.ends[at(next[at(from)]++)] = End::of(to, weights, e);
        };
        for (std::size_t e = 0; e < edges.size(); ++e) {
            if (edges[e].source == edges[e].target) continue;
            put(edges[e].source, edges[e].target, e);
            put(edges[e].target, edges[e].source, e);
        }
    });
    return rows;
}

/// Sorts every row and moves its different targets to its front; returns the offsets of the graph that they make.
template <class End>
std::vector<Offset> merge_rows(device::Cpu& cpu, Rows<End>& rows) {
    std::vector<Offset> offsets(rows.offsets.size(), 0);
    cpu.each(static_cast<Offset>(offsets.size()) - 1, [&](Offset v) {
        const auto begin = rows.ends.begin() + rows.offsets[at(v)], end = rows.ends.begin() + rows.offsets[at(v) + 1];
        if (!std::is_sorted(begin, end)) std::sort(begin, end);
        offsets[at(v) + 1] = std::unique(begin, end, [](End a, End b) { return a.target == b.target; }) - begin;
    });
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    return offsets;
}

template <class End>
Graph simple_graph(device::Cpu& cpu, Index vertices, std::span<const Edge> edges, std::span<const float> weights) {
    Rows<End> rows = both_directions<End>(cpu, vertices, edges, weights);
    Graph graph;
    graph.offsets = merge_rows(cpu, rows);
    graph.targets.resize(at(graph.edges()));
    graph.weights.resize(at(graph.edges()));
    cpu.each(vertices, [&](Offset v) {
        const End* from = rows.ends.data() + rows.offsets[at(v)];
        for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e, ++from) {
            graph.targets[at(e)] = from->target;
            graph.weights[at(e)] = from->weight();
        }
    });
    return graph;
}

}  // namespace

Simple simplify(device::Cpu& cpu, Index vertices, std::span<const Edge> edges, std::span<const float> weights) {
    Simple simple;
    simple.graph = weights.empty() ? simple_graph<Bare>(cpu, vertices, edges, weights)
                                   : simple_graph<Weighted>(cpu, vertices, edges, weights);
    simple.self_loops = std::count_if(edges.begin(), edges.end(), [](Edge e) { return e.source == e.target; });
    simple.multi_edges = static_cast<Offset>(edges.size()) - simple.self_loops - simple.graph.edges() / 2;
    return simple;
}

}  // namespace dunlin::graph
