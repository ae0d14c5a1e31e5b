// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <dunlin/types.hpp>

#include "graph/simplify.hpp"
#include "math/rng.hpp"

/// Graphs for tests and benchmarks: undirected and simple, each edge in both directions, targets ascending, weights 1
/// unless said otherwise. Random ones are drawn by seed.
namespace dunlin::made {

struct Edge {
    Index from, to;
    float weight = 1;
};

/// Loops are left out; of several edges between two vertices the one of the largest weight counts.
inline Graph graph_of(Index n, const std::vector<Edge>& edges) {
    std::vector<graph::Edge> ends;
    std::vector<float> weights;
    for (const Edge& e : edges) {
        ends.push_back({e.from, e.to});
        weights.push_back(e.weight);
    }
    device::Cpu cpu;
    return graph::simplify(cpu, n, ends, weights).graph;
}

inline Graph path(Index n) {
    std::vector<Edge> edges;
    for (Index v = 1; v < n; ++v) edges.push_back({v - 1, v});
    return graph_of(n, edges);
}

inline Graph ring(Index n) {
    std::vector<Edge> edges;
    for (Index v = 0; v < n; ++v) edges.push_back({v, (v + 1) % n});
    return graph_of(n, edges);
}

/// Edges between vertex 0 and each of the n - 1 others.
inline Graph star(Index n, float weight = 1) {
    std::vector<Edge> edges;
    for (Index v = 1; v < n; ++v) edges.push_back({0, v, weight});
    return graph_of(n, edges);
}

inline Graph complete(Index n) {
    std::vector<Edge> edges;
    for (Index a = 0; a < n; ++a) {
        for (Index b = 0; b < a; ++b) edges.push_back({b, a});
    }
    return graph_of(n, edges);
}

/// A square grid of width x height vertices, row by row.
inline Graph lattice(Index width, Index height, float weight = 1) {
    Graph graph;
    for (Index v = 0; v < width * height; ++v) {
        if (v >= width) graph.targets.push_back(v - width);
        if (v % width > 0) graph.targets.push_back(v - 1);
        if (v % width + 1 < width) graph.targets.push_back(v + 1);
        if (v + width < width * height) graph.targets.push_back(v + width);
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    graph.weights.assign(graph.targets.size(), weight);
    return graph;
}

/// The parent of v is (v - 1) / 2.
inline Graph binary_tree(Index n) {
    std::vector<Edge> edges;
    for (Index v = 1; v < n; ++v) edges.push_back({(v - 1) / 2, v});
    return graph_of(n, edges);
}

/// As affinities: directed, every vertex with up to `degree` edges to others drawn by seed, which may coincide; weights
/// of five sizes sum to 1. No vertex v with v % 17 = 3 has any.
inline Graph some_graph(Index n, Index degree, std::uint64_t seed = 2) {
    Graph graph;
    for (Index i = 0; i < n; ++i) {
        for (Index e = 0; i % 17 != 3 && e < std::min(degree, n - 1); ++e) {
            const auto other = math::random_below(static_cast<std::uint64_t>(n), seed, static_cast<std::uint64_t>(i),
                                                  static_cast<std::uint64_t>(e));
            graph.targets.push_back(static_cast<Index>(other));
            graph.weights.push_back(static_cast<float>(e % 5 + 1));
        }
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    double sum = 0;
    for (const float weight : graph.weights) sum += static_cast<double>(weight);
    for (float& weight : graph.weights) weight = static_cast<float>(static_cast<double>(weight) / sum);
    return graph;
}

// Random graphs of benchmarks, with exactly the wanted numbers of vertices and edges

namespace graphs {

constexpr std::uint64_t seed = 7;

inline Edge edge(Index a, Index b) { return {std::min(a, b), std::max(a, b)}; }

inline Index below(Offset bound, std::uint64_t stream, Offset item) {
    return static_cast<Index>(
        math::random_below(static_cast<std::uint64_t>(bound), seed + stream, static_cast<std::uint64_t>(item)));
}

/// Edges whose smaller end comes first.
inline void make_distinct(std::vector<Edge>& edges) {
    const auto ends = [](const Edge& e) { return std::pair(e.from, e.to); };
    std::sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) { return ends(a) < ends(b); });
    const auto same = [&](const Edge& a, const Edge& b) { return ends(a) == ends(b); };
    edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());
}

/// Adds the edges draw(item) until there are `count` distinct ones.
template <class Draw>
void draw_until(std::vector<Edge>& edges, Offset count, const Draw& draw) {
    make_distinct(edges);
    for (Offset item = 0; static_cast<Offset>(edges.size()) < count;) {
        if (item > 100 * count) throw std::runtime_error("so many different edges are not to be drawn");
        for (Offset missing = count - static_cast<Offset>(edges.size()); missing > 0; --missing, ++item) {
            const Edge drawn = draw(item);
            if (drawn.from != drawn.to) edges.push_back(drawn);
        }
        make_distinct(edges);
    }
}

}  // namespace graphs

/// Every pair of vertices has the same probability.
inline Graph random_graph(Index n, Offset edge_count) {
    std::vector<Edge> edges;
    graphs::draw_until(edges, edge_count,
                       [&](Offset item) { return graphs::edge(graphs::below(n, 1, item), graphs::below(n, 2, item)); });
    return graph_of(n, edges);
}

/// Connected; degrees fall off as a power law: vertices attach to an end of an edge drawn from those before (Barabasi
/// and Albert 1999), further edges join any vertex to an end so drawn. edge_count >= n - 1.
inline Graph power_law_graph(Index n, Offset edge_count) {
    std::vector<Index> ends;  // of the tree that the first n - 1 edges make
    std::vector<Edge> edges;
    for (Index i = 1; i < n; ++i) {
        const Index to = ends.empty() ? 0 : ends[static_cast<std::size_t>(graphs::below(2 * (Offset{i} - 1), 3, i))];
        edges.push_back(graphs::edge(i, to));
        ends.push_back(i);
        ends.push_back(to);
    }
    graphs::draw_until(edges, edge_count, [&](Offset item) {
        const Index to = ends[static_cast<std::size_t>(graphs::below(static_cast<Offset>(ends.size()), 4, item))];
        return graphs::edge(graphs::below(n, 5, item), to);
    });
    return graph_of(n, edges);
}

/// Connected; a random subset of a square grid of streets: a spanning tree and further streets up to edge_count. n - 1
/// <= edge_count <= the grid's edges.
inline Graph road_graph(Index n, Offset edge_count) {
    Index width = 1;
    while (Offset{width} * width < n) ++width;
    std::vector<Edge> streets;
    for (Index i = 0; i < n; ++i) {
        if ((i + 1) % width != 0 && i + 1 < n) streets.push_back({i, i + 1});
        if (Offset{i} + width < n) streets.push_back({i, i + width});
    }
    for (std::size_t i = streets.size(); i > 1; --i) {
        const auto other = static_cast<std::size_t>(graphs::below(static_cast<Offset>(i), 6, static_cast<Offset>(i)));
        std::swap(streets[i - 1], streets[other]);
    }
    // Kruskal: keeps every street that joins two components, then the first of the others
    std::vector<Index> parent(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) parent[static_cast<std::size_t>(i)] = i;
    const auto root = [&](Index i) {
        while (parent[static_cast<std::size_t>(i)] != i) {
            auto& up = parent[static_cast<std::size_t>(i)];
            up = parent[static_cast<std::size_t>(up)];
            i = up;
        }
        return i;
    };
    std::vector<Edge> kept;
    Offset spare = edge_count - (Offset{n} - 1);
    for (const auto& street : streets) {
        const Index a = root(street.from), b = root(street.to);
        if (a == b && spare-- <= 0) continue;
        if (a != b) parent[static_cast<std::size_t>(a)] = b;
        kept.push_back(street);
    }
    return graph_of(n, kept);
}

}  // namespace dunlin::made
