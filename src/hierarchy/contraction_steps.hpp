// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hierarchy/merge_tree.hpp"
#include "math/search.hpp"
#include "math/shared_values.hpp"

/// The steps of merge_tree and linkage_of (merge_tree.hpp) as loops over edges, vertices and nodes, for a GPU. Edges
/// are known by their ranks in ascending weight, which for now are all different; node e is what edge e joins.
namespace dunlin::hierarchy {

constexpr int most_levels = 32;  ///< each has at most half as many vertices as the one before

// Contraction. Of a tree, the edges that are the lightest at one of their ends are contracted; the others form the next
// level, a tree with at most half as many vertices.

struct RankEdges {
    const Index* order;
    const Edge* edges;
    Index *a, *b;    ///< by rank
    double* sorted;  ///< weights by rank
    Index* ranks;    ///< 0, 1, ..
    DUNLIN_HD void operator()(Offset r) const {
        const Index e = order[r];
        a[r] = edges[e].a;
        b[r] = edges[e].b;
        sorted[r] = edges[e].weight;
        ranks[r] = static_cast<Index>(r);
    }
};
struct WeightKey {
    const Edge* edges;
    std::uint64_t* keys;
    Index* items;
    DUNLIN_HD void operator()(Offset e) const {
        keys[e] = math::ordered_bits(edges[e].weight);
        items[e] = static_cast<Index>(e);
    }
};
/// 1 where a weight differs from the one before; their sums number the weights.
struct BeginsWeight {
    const double* sorted;
    Index* flags;
    DUNLIN_HD void operator()(Offset r) const { flags[r] = r > 0 && sorted[r] != sorted[r - 1] ? 1 : 0; }
};

/// The edges of a level, by their ends there.
struct LevelEdges {
    const Index* edges;  ///< ranks, ascending
    Index *a, *b;        ///< by rank: the ends at the level at which the edge is contracted, or is now
    Index* lightest;     ///< per vertex
};
struct FindLightest {
    LevelEdges level;
    DUNLIN_HD void operator()(Offset i) const {
        const Index e = level.edges[i];
        math::lower(level.lightest[level.a[e]], e);
        math::lower(level.lightest[level.b[e]], e);
    }
};
/// Along its lightest edge; of two vertices with the same one, the smaller stays.
struct PointAlong {
    LevelEdges level;
    Index* to;
    DUNLIN_HD void operator()(Offset i) const {
        const auto v = static_cast<Index>(i);
        const Index e = level.lightest[v], other = level.a[e] == v ? level.b[e] : level.a[e];
        to[v] = level.lightest[other] == e && v < other ? v : other;
    }
};
/// Until all point to what stays.
struct PointFurther {
    Index* to;
    Index* some_moved;
    DUNLIN_HD void operator()(Offset v) const {
        const Index next = math::seen(to[math::seen(to[v])]);
        if (next == math::seen(to[v])) return;
        math::write(to[v], next);
        math::write(*some_moved, Index{1});
    }
};
struct Stays {
    const Index* to;
    DUNLIN_HD bool operator()(Index v) const { return to[v] == v; }
};
struct NumberThose {
    const Index* those;
    Index* numbers;
    DUNLIN_HD void operator()(Offset i) const { numbers[those[i]] = static_cast<Index>(i); }
};
/// The vertex of the next level.
struct SetAbove {
    const Index* to;
    const Index* numbers;
    Index* above;
    DUNLIN_HD void operator()(Offset v) const { above[v] = numbers[to[v]]; }
};
struct IsNowhereLightest {
    LevelEdges level;
    DUNLIN_HD bool operator()(Index e) const {
        return level.lightest[level.a[e]] != e && level.lightest[level.b[e]] != e;
    }
};
struct LiftEnds {
    const Index* edges;
    const Index* above;
    Index *a, *b;
    DUNLIN_HD void operator()(Offset i) const {
        const Index e = edges[i];
        a[e] = above[a[e]];
        b[e] = above[b[e]];
    }
};
struct SetLevel {
    const Index* edges;
    std::uint8_t* levels;
    std::uint8_t level;
    DUNLIN_HD void operator()(Offset i) const { levels[edges[i]] = level; }
};

/// All levels. Those of the vertices are one after the other.
struct Levels {
    int count = 0;                   ///< levels with edges
    Index begin[most_levels + 1]{};  ///< of each level's vertices in `lightest` and `above`
    Index edges = 0;
    const Index *lightest, *above;
    const Index *a, *b;
    const std::uint8_t* of_edge;  ///< the level at which it is contracted

    /// Number of the chain: of an edge and the side on which it is, or the last number.
    [[nodiscard]] DUNLIN_HD std::uint32_t chain(Index edge, bool is_at_b) const {
        return 2 * static_cast<std::uint32_t>(edge) + (is_at_b ? 1 : 0);
    }
    [[nodiscard]] DUNLIN_HD std::uint32_t last_chain() const { return 2 * static_cast<std::uint32_t>(edges); }
};

// Chains. The edges between an edge and the next heavier one of a higher level are a path to the root. The key of a
// chain has the level of the edge at its end in the upper bits, so that chains come after those that hang below them.

struct SetChain {
    Levels levels;
    int level_shift;
    std::uint64_t* keys;
    Index* items;
    DUNLIN_HD void operator()(Offset i) const {
        const auto e = static_cast<Index>(i);
        int level = levels.of_edge[e];
        Index vertex = levels.above[levels.begin[level] + levels.a[e]];
        std::uint32_t chain = levels.last_chain();
        for (++level; level < levels.count; ++level) {
            const Index end = levels.lightest[levels.begin[level] + vertex];
            if (end > e) {
                chain = levels.chain(end, levels.a[end] != vertex);
                break;
            }
            vertex = levels.above[levels.begin[level] + vertex];
        }
        keys[i] = static_cast<std::uint64_t>(level) << level_shift | chain;
        items[i] = e;
    }
};
/// Parents of nodes, -1: the root. items: in the order of chains.
struct SetParent {
    const std::uint64_t* keys;
    const Index* items;
    Levels levels;
    Index* parent;
    DUNLIN_HD void operator()(Offset i) const {
        const bool is_last = i + 1 == levels.edges || keys[i + 1] != keys[i];
        const auto chain = static_cast<std::uint32_t>(keys[i]);
        parent[items[i]] = !is_last ? items[i + 1] : chain == levels.last_chain() ? -1 : static_cast<Index>(chain / 2);
    }
};
/// Sizes and least points, at first of what hangs below a node beside its chain: points.
struct NodeMembers {
    Index *sizes, *least;
};
struct AddPoint {
    NodeMembers members;
    const Index* lightest;  ///< per point
    DUNLIN_HD void operator()(Offset p) const {
        const Index e = lightest[p];
        math::add(members.sizes[e], 1);
        math::lower(members.least[e], static_cast<Index>(p));
    }
};
struct GatherMembers {
    NodeMembers from, to;
    const Index* items;
    DUNLIN_HD void operator()(Offset i) const {
        to.sizes[i] = from.sizes[items[i]];
        to.least[i] = from.least[items[i]];
    }
};
/// After the scan of a chain: the members of its nodes, and of the node at its end.
struct ScatterMembers {
    NodeMembers from, to;
    const Index* items;
    const std::uint64_t* keys;
    Index count;
    std::uint32_t last_chain;
    DUNLIN_HD void operator()(Offset i) const {
        to.sizes[items[i]] = from.sizes[i];
        to.least[items[i]] = from.least[i];
        const auto chain = static_cast<std::uint32_t>(keys[i]);
        if ((i + 1 < count && keys[i + 1] == keys[i]) || chain == last_chain) return;
        math::add(to.sizes[chain / 2], from.sizes[i]);
        math::lower(to.least[chain / 2], from.least[i]);
    }
};
struct Sum {
    DUNLIN_HD Index operator()(Index a, Index b) const { return a + b; }
};
struct Lesser {
    DUNLIN_HD Index operator()(Index a, Index b) const { return a < b ? a : b; }
};
/// The first of ascending keys whose upper bits are at least `level`.
struct FindLevel {
    const std::uint64_t* keys;
    Index count;
    int level_shift;
    Index* begins;
    DUNLIN_HD void operator()(Offset level) const {
        begins[level] = static_cast<Index>(math::first_at_least(keys, count, level_shift, level));
    }
};

// Nodes. Those of equal weight on a path are one: the highest.

struct PointToEqual {
    const Index* parent;
    const Index* weight_number;
    Index* to;
    DUNLIN_HD void operator()(Offset e) const {
        const Index above = parent[e];
        to[e] = above >= 0 && weight_number[above] == weight_number[e] ? above : static_cast<Index>(e);
    }
};
struct CopyIndex {
    const Index* from;
    Index* to;
    DUNLIN_HD void operator()(Offset i) const { to[i] = from[i]; }
};
struct NodeKey {
    const Index* nodes;
    const Index* weight_number;
    const Index* least;
    std::uint64_t* keys;
    DUNLIN_HD void operator()(Offset i) const {
        const Index e = nodes[i];
        keys[i] = static_cast<std::uint64_t>(weight_number[e]) << 32 | static_cast<std::uint64_t>(least[e]);
    }
};
/// The arrays of a MergeTree.
struct TreeArrays {
    const double* level;
    const Index *parent, *size, *least, *home;
};
struct SetNode {
    const Index* nodes;  ///< in their final order
    const Index* numbers;
    const Index* to;
    const Index* parent;
    const double* weights;
    NodeMembers members;
    double* levels;
    Index *parents, *sizes, *least;
    DUNLIN_HD void operator()(Offset i) const {
        const Index e = nodes[i];
        levels[i] = weights[e];
        parents[i] = parent[e] >= 0 ? numbers[to[parent[e]]] : -1;
        sizes[i] = members.sizes[e];
        least[i] = members.least[e];
    }
};
struct SetHome {
    const Index* lightest;
    const Index* to;
    const Index* numbers;
    Index* home;
    DUNLIN_HD void operator()(Offset p) const { home[p] = numbers[to[lightest[p]]]; }
};

// Linkage. Entries are the children of nodes, node after node, those of one by their least points: a point p is p, a
// node v is points + v.

struct ChildKey {
    TreeArrays tree;
    Index points;
    std::uint64_t* keys;
    Index* items;
    DUNLIN_HD void operator()(Offset i) const {
        const bool is_point = i < points;
        const Index v = static_cast<Index>(i - points);
        const Index parent = is_point ? tree.home[i] : tree.parent[v];
        const Index least = is_point ? static_cast<Index>(i) : tree.least[v];
        keys[i] = static_cast<std::uint64_t>(parent) << 32 | static_cast<std::uint64_t>(least);
        items[i] = static_cast<Index>(i);
    }
};
struct ChildSize {
    const std::uint64_t* keys;
    const Index* items;
    TreeArrays tree;
    Index points;
    Index *nodes, *sizes;
    Index* begins;  ///< per node: its first entry
    DUNLIN_HD void operator()(Offset i) const {
        const auto node = static_cast<Index>(keys[i] >> 32);
        nodes[i] = node;
        sizes[i] = items[i] < points ? 1 : tree.size[items[i] - points];
        if (i == 0 || static_cast<Index>(keys[i - 1] >> 32) != node) begins[node] = static_cast<Index>(i);
    }
};
/// Each entry but a node's first is a merge with what is there of the node.
struct SetMerge {
    const Index* nodes;
    const Index* items;
    const Index* sizes;  ///< with those of the node's entries before
    const Index* begins;
    const double* levels;
    Index points, entries, node_count;
    Merge* merges;

    /// Of a set in SciPy's order: a point, or the last merge of a node.
    [[nodiscard]] DUNLIN_HD Offset number_of(Index item) const {
        if (item < points) return item;
        const Index v = item - points;
        const Index end = v + 1 < node_count ? begins[v + 1] : entries;
        return Offset{points} + end - v - 2;
    }
    DUNLIN_HD void operator()(Offset i) const {
        const Index node = nodes[i];
        if (begins[node] == i) return;
        const Offset merge = i - node - 1;
        const Offset before = begins[node] == i - 1 ? number_of(items[i - 1]) : points + merge - 1;
        const Offset other = number_of(items[i]);
        merges[merge] = {before < other ? before : other, before < other ? other : before, levels[node], sizes[i]};
    }
};

}  // namespace dunlin::hierarchy
