// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hierarchy/condense.hpp"
#include "hierarchy/contraction_steps.hpp"

/// The steps of condense() as loops over nodes and points, for a GPU. A big node has at least as many points as a
/// cluster; a head is the first node of a cluster, from the root downward.
namespace dunlin::hierarchy {

struct BigNodes {
    TreeArrays tree;
    Index nodes, least;   ///< least: points of a cluster
    Index* big_children;  ///< of big nodes: how many of their children are big

    [[nodiscard]] DUNLIN_HD bool is_root(Index v) const { return v == nodes - 1; }
    [[nodiscard]] DUNLIN_HD bool is_big(Index v) const { return is_root(v) || tree.size[v] >= least; }
    [[nodiscard]] DUNLIN_HD bool is_head(Index v) const {
        return is_root(v) || (is_big(v) && big_children[tree.parent[v]] > 1);
    }
    /// The level at which a cluster is born.
    [[nodiscard]] DUNLIN_HD double birth(Index head) const {
        return is_root(head) ? INFINITY : tree.level[tree.parent[head]];
    }
};
struct CountBigChildren {
    BigNodes all;
    DUNLIN_HD void operator()(Offset i) const {
        const auto v = static_cast<Index>(i);
        if (!all.is_root(v) && all.is_big(v)) math::add(all.big_children[all.tree.parent[v]], 1);
    }
};
/// big: the lowest big node at or above. head: that of the cluster of a big node.
struct PointUp {
    BigNodes all;
    Index *big, *head;
    DUNLIN_HD void operator()(Offset i) const {
        const auto v = static_cast<Index>(i);
        const bool is_big = all.is_big(v);
        big[v] = is_big ? v : all.tree.parent[v];
        head[v] = !is_big || all.is_head(v) ? v : all.tree.parent[v];
    }
};
struct IsHead {
    BigNodes all;
    DUNLIN_HD bool operator()(Index v) const { return all.is_head(v); }
};
struct IsBig {
    BigNodes all;
    DUNLIN_HD bool operator()(Index v) const { return all.is_big(v); }
};

/// What the host must know of a cluster to number it.
struct Head {
    Index parent;  ///< among the heads; -1: the root
    Index size, least;
    double birth;
};
struct DescribeHead {
    BigNodes all;
    const Index* heads;
    const Index* head;
    const Index* numbers;  ///< of heads
    Head* to;
    DUNLIN_HD void operator()(Offset i) const {
        const Index v = heads[i];
        const Index parent = all.is_root(v) ? -1 : numbers[head[all.tree.parent[v]]];
        to[i] = {parent, all.tree.size[v], all.tree.least[v], all.birth(v)};
    }
};

/// Big nodes cluster by cluster, each from its head downward.
struct ClusterKey {
    const Index* big_nodes;
    const Index* head;
    const Index* numbers;
    std::uint64_t* keys;
    Index* items;
    DUNLIN_HD void operator()(Offset i) const {
        const Index v = big_nodes[i];
        keys[i] = static_cast<std::uint64_t>(numbers[head[v]]) << 32 | (0xffffffffU - static_cast<std::uint32_t>(v));
        items[i] = v;
    }
};
struct SetTerm {
    BigNodes all;
    const Index* items;
    const Index* head;
    Index count;
    double* terms;
    DUNLIN_HD void operator()(Offset i) const {
        const Index v = items[i], own = head[v];
        const bool goes_on = i + 1 < count && head[items[i + 1]] == own;
        const Index leaving = all.tree.size[v] - (goes_on ? all.tree.size[items[i + 1]] : 0);
        terms[i] = stability_term(leaving, all.tree.level[v], all.birth(own));
    }
};
/// Of each cluster: the first of its big nodes, and the level of its last.
struct SetEnds {
    const Index* items;
    const Index* head;
    const Index* numbers;
    const double* levels;
    Index count;
    Index* begins;
    double* deaths;
    DUNLIN_HD void operator()(Offset i) const {
        const Index own = head[items[i]], number = numbers[own];
        if (own == items[i]) begins[number] = static_cast<Index>(i);
        if (i + 1 == count || head[items[i + 1]] != own) deaths[number] = levels[items[i]];
    }
};
struct SetGroupOfPoint {
    TreeArrays tree;
    const Index *big, *head, *numbers;
    const Index* groups;  ///< of heads
    Index* home;
    double* leaves_at;
    DUNLIN_HD void operator()(Offset p) const {
        const Index v = big[tree.home[p]];
        home[p] = groups[numbers[head[v]]];
        leaves_at[p] = tree.level[v];
    }
};

}  // namespace dunlin::hierarchy
