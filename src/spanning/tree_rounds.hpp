// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hierarchy/merge_tree.hpp"
#include "math/shared_values.hpp"
#include "spanning/leaf_tree.hpp"

/// The steps of Boruvka's rounds (rounds.hpp) as loops over places, components and nodes, for a GPU. A component is
/// named after the least place in it.
namespace dunlin::spanning {

constexpr Index no_component = -1;  ///< of a node: it has several

struct Exit {
    double weight;
    Index to;  ///< -1: there is none
};

/// The arrays of a run.
template <Norm norm, Index Cols>
struct RoundArrays {
    LeafTree<Cols> tree;
    double scale;
    Index width;         ///< of lists
    Index* listed;       ///< entry i of place p: i * points + p; by weight
    double* core;        ///< keys
    double* floor;       ///< exits that are neither listed nor found weigh at least this
    std::uint8_t* next;  ///< the first listed exit that leaves the component of a place
    double* found_weight;
    Index* found_to;       ///< by a search; -1: none
    Index* component;      ///< per place
    Index* parent;         ///< per component: another one that it has joined, or itself
    Index* sizes;          ///< per component
    std::uint64_t* least;  ///< per component: ordered bits of the weight of its least known exit
    std::uint64_t* edge;   ///< per component: the ends of an exit of this weight
    Index* node_component;
    double* node_core;  ///< least of the node's points
    Index largest;      ///< component that searches no exit

    [[nodiscard]] DUNLIN_HD double weight(Index p, Index q) const {
        const double key = scale * key_between<norm>(tree.places[p], tree.places[q]);
        const double cores = core[p] > core[q] ? core[p] : core[q];
        return cores > key ? cores : key;
    }
    [[nodiscard]] DUNLIN_HD Exit listed_exit(Index p) const {
        if (next[p] >= width) return {INFINITY, -1};
        const Index q = listed[Offset{next[p]} * tree.points + p];
        return {weight(p, q), q};
    }
    [[nodiscard]] DUNLIN_HD double least_exit(Index of) const { return math::of_ordered_bits(math::seen(least[of])); }
    [[nodiscard]] DUNLIN_HD Index root(Index of) const {
        for (Index above = math::seen(parent[of]); above != of; above = math::seen(parent[of])) {
            const Index next_above = math::seen(parent[above]);
            if (next_above != above) math::write(parent[of], next_above);
            of = next_above;
        }
        return of;
    }
    /// True if they were apart.
    [[nodiscard]] DUNLIN_HD bool unite(Index a, Index b) const {
        for (a = root(a), b = root(b); a != b; a = root(a), b = root(b)) {
            const Index larger = a > b ? a : b, smaller = a > b ? b : a;
            if (math::replace(parent[larger], larger, smaller)) return true;
        }
        return false;
    }
};

/// The nearest places of each, and its core distance.
template <Norm norm, Index Cols, int Capacity>
struct FindNearest {
    RoundArrays<norm, Cols> arrays;
    Index k;      ///< of core distances
    Index count;  ///< of nearest places: at least k - 1, and arrays.width
    Index first;  ///< place of item 0

    DUNLIN_HD void operator()(Offset i) const {
        const LeafTree<Cols>& tree = arrays.tree;
        const Index p = first + static_cast<Index>(i);
        const Coordinates<Cols> point = tree.places[p];
        NearestPlaces<Capacity> nearest(count);
        const auto scan = [&](Index begin, Index end) {
            for (Index q = begin; q < end; ++q) {
                if (q != p) nearest.offer(key_between<norm>(point, tree.places[q]), q);
            }
        };
        // Those beside it on the curve at first, for a limit
        const Index own = tree.leaf_of(p), before = own > 0 ? own - 1 : own,
                    after = own + 1 < tree.leaves() ? own + 1 : own;
        scan(tree.begin(before), tree.begin(after + 1));
        walk<norm>(
            tree, point, [&](Index, double key) { return key < nearest.limit(); },
            [&](Index leaf) {
                if (leaf < before || leaf > after) scan(tree.begin(leaf), tree.begin(leaf + 1));
            });
        keep(p, nearest);
    }

private:
    DUNLIN_HD void keep(Index p, const NearestPlaces<Capacity>& nearest) const {
        const int unused = Capacity - count;
        double core = 0, reach = INFINITY;
#if defined(__CUDA_ARCH__)
#pragma unroll(Capacity <= 16 ? Capacity : 1)
#endif
        for (int e = 0; e < Capacity; ++e) {
            const int entry = e - unused;
            if (entry < 0) continue;
            if (entry < arrays.width) arrays.listed[Offset{entry} * arrays.tree.points + p] = nearest.place(e);
            if (entry == k - 2) core = nearest.key(e);
            if (entry == arrays.width - 1 && arrays.width < arrays.tree.points - 1) reach = nearest.key(e);
        }
        arrays.core[p] = core;
        const double far = arrays.scale * reach;
        arrays.floor[p] = core > far ? core : far;
    }
};

constexpr Index most_listed = 16;

/// Puts the list of each place in order by weight. Sets what a run begins with.
template <Norm norm, Index Cols>
struct BeginPlace {
    RoundArrays<norm, Cols> arrays;

    DUNLIN_HD void operator()(Offset i) const {
        const auto p = static_cast<Index>(i);
        double weights[most_listed];
        Index to[most_listed];
        for (Index e = 0; e < arrays.width; ++e) {
            const Index q = arrays.listed[Offset{e} * arrays.tree.points + p];
            const double weight = arrays.weight(p, q);
            Index place = e;
            for (; place > 0 && weight < weights[place - 1]; --place) {
                weights[place] = weights[place - 1];
                to[place] = to[place - 1];
            }
            weights[place] = weight;
            to[place] = q;
        }
        for (Index e = 0; e < arrays.width; ++e) arrays.listed[Offset{e} * arrays.tree.points + p] = to[e];
        arrays.next[p] = 0;
        arrays.found_to[p] = -1;
        arrays.component[p] = arrays.parent[p] = p;
        arrays.sizes[p] = 1;
    }
};

/// Boxes and cores of leaves.
template <Norm norm, Index Cols>
struct FillLeafBox {
    LeafTree<Cols> tree;
    CoordinateBox<Cols>* boxes;

    DUNLIN_HD void operator()(Offset i) const {
        const auto leaf = static_cast<Index>(i);
        CoordinateBox<Cols> box{tree.places[tree.begin(leaf)], tree.places[tree.begin(leaf)]};
        for (Index p = tree.begin(leaf) + 1; p < tree.begin(leaf + 1); ++p) {
            for (Index c = 0; c < Cols; ++c) {
                const float x = tree.places[p].of[c];
                box.low.of[c] = x < box.low.of[c] ? x : box.low.of[c];
                box.high.of[c] = x > box.high.of[c] ? x : box.high.of[c];
            }
        }
        boxes[tree.leaves() + leaf] = box;
    }
};
template <Index Cols>
struct JoinBoxes {
    CoordinateBox<Cols>* boxes;
    Index first;  ///< node of a level

    DUNLIN_HD void operator()(Offset i) const {
        const Index node = first + static_cast<Index>(i);
        CoordinateBox<Cols> box = boxes[Offset{2} * node];
        const CoordinateBox<Cols>& other = boxes[Offset{2} * node + 1];
        for (Index c = 0; c < Cols; ++c) {
            box.low.of[c] = other.low.of[c] < box.low.of[c] ? other.low.of[c] : box.low.of[c];
            box.high.of[c] = other.high.of[c] > box.high.of[c] ? other.high.of[c] : box.high.of[c];
        }
        boxes[node] = box;
    }
};
template <Norm norm, Index Cols>
struct FillLeafCore {
    RoundArrays<norm, Cols> arrays;
    DUNLIN_HD void operator()(Offset i) const {
        const auto leaf = static_cast<Index>(i);
        double least = INFINITY;
        for (Index p = arrays.tree.begin(leaf); p < arrays.tree.begin(leaf + 1); ++p)
            least = arrays.core[p] < least ? arrays.core[p] : least;
        arrays.node_core[arrays.tree.leaves() + leaf] = least;
    }
};
struct JoinCores {
    double* cores;
    Index first;
    DUNLIN_HD void operator()(Offset i) const {
        const Index node = first + static_cast<Index>(i);
        cores[node] = cores[Offset{2} * node] < cores[Offset{2} * node + 1] ? cores[Offset{2} * node]
                                                                            : cores[Offset{2} * node + 1];
    }
};

/// The component of all points of a node, or no_component.
template <Norm norm, Index Cols>
struct FillLeafComponent {
    RoundArrays<norm, Cols> arrays;
    DUNLIN_HD void operator()(Offset i) const {
        const auto leaf = static_cast<Index>(i);
        const Index begin = arrays.tree.begin(leaf);
        Index all = arrays.component[begin];
        for (Index p = begin + 1; p < arrays.tree.begin(leaf + 1); ++p) {
            if (arrays.component[p] != all) all = no_component;
        }
        arrays.node_component[arrays.tree.leaves() + leaf] = all;
    }
};
struct JoinComponents {
    Index* components;
    Index first;
    DUNLIN_HD void operator()(Offset i) const {
        const Index node = first + static_cast<Index>(i);
        const Index left = components[Offset{2} * node];
        components[node] = left == components[Offset{2} * node + 1] ? left : no_component;
    }
};

constexpr std::uint64_t no_edge = ~std::uint64_t{0};

struct ForgetLeast {
    const Index* components;
    std::uint64_t *least, *edge;
    DUNLIN_HD void operator()(Offset i) const {
        least[components[i]] = math::ordered_bits(INFINITY);
        edge[components[i]] = no_edge;
    }
};

/// The least exit of each component that is known without a search.
template <Norm norm, Index Cols>
struct TakeListed {
    RoundArrays<norm, Cols> arrays;
    DUNLIN_HD void operator()(Offset i) const {
        const auto p = static_cast<Index>(i);
        const Index mine = arrays.component[p];
        if (mine == arrays.largest) return;
        std::uint8_t next = arrays.next[p];
        while (next < arrays.width && arrays.component[arrays.listed[Offset{next} * arrays.tree.points + p]] == mine)
            ++next;
        arrays.next[p] = next;
        if (next < arrays.width) math::lower(arrays.least[mine], math::ordered_bits(arrays.listed_exit(p).weight));
        if (arrays.found_to[p] < 0) return;
        if (arrays.component[arrays.found_to[p]] == mine) {
            arrays.found_to[p] = -1;
        } else {
            math::lower(arrays.least[mine], math::ordered_bits(arrays.found_weight[p]));
        }
    }
};

/// Whether exits of a place that are not known may be the least.
template <Norm norm, Index Cols>
struct NeedsSearch {
    RoundArrays<norm, Cols> arrays;
    DUNLIN_HD bool operator()(Index p) const {
        const Index mine = arrays.component[p];
        return mine != arrays.largest && arrays.floor[p] < arrays.least_exit(mine);
    }
};

template <Norm norm, Index Cols>
struct SearchExit {
    RoundArrays<norm, Cols> arrays;
    const Index* places;

    DUNLIN_HD void operator()(Offset i) const {
        const Index p = places[i];
        const LeafTree<Cols>& tree = arrays.tree;
        const Coordinates<Cols> point = tree.places[p];
        const Index mine = arrays.component[p];
        const double core = arrays.core[p];
        double limit = arrays.least_exit(mine);
        Exit best{INFINITY, -1};
        walk<norm>(
            tree, point,
            [&](Index node, double key) {
                return arrays.scale * key < limit && core < limit && arrays.node_core[node] < limit &&
                       arrays.node_component[node] != mine;
            },
            [&](Index leaf) {
                for (Index q = tree.begin(leaf); q < tree.begin(leaf + 1); ++q) {
                    if (!(arrays.scale * key_between<norm>(point, tree.places[q]) < limit)) continue;
                    if (arrays.component[q] == mine) continue;
                    const double weight = arrays.weight(p, q);
                    if (!(weight < limit)) continue;
                    limit = weight;
                    best = {weight, q};
                    math::lower(arrays.least[mine], math::ordered_bits(weight));
                }
                const double least = arrays.least_exit(mine);
                limit = least < limit ? least : limit;
            });
        if (best.to >= 0) {
            arrays.found_weight[p] = best.weight;
            arrays.found_to[p] = best.to;
        }
        arrays.floor[p] = arrays.floor[p] > limit ? arrays.floor[p] : limit;
    }
};

/// Each component takes an exit of its least weight, of several any: a run's edges may differ, their weights do not.
template <Norm norm, Index Cols>
struct TakeExit {
    RoundArrays<norm, Cols> arrays;
    DUNLIN_HD void operator()(Offset i) const {
        const auto p = static_cast<Index>(i);
        const Index mine = arrays.component[p];
        if (mine == arrays.largest) return;
        const double least = arrays.least_exit(mine);
        Exit exit{arrays.found_weight[p], arrays.found_to[p]};
        if (exit.to < 0 || exit.weight != least) exit = arrays.listed_exit(p);
        if (exit.to < 0 || exit.weight != least) return;
        math::write(arrays.edge[mine], static_cast<std::uint64_t>(p) << 32 | static_cast<std::uint64_t>(exit.to));
    }
};

/// Joins each component along its exit. Edges are those that join two components.
template <Norm norm, Index Cols>
struct JoinComponentsAlong {
    RoundArrays<norm, Cols> arrays;
    const Index* components;
    const Index* order;  ///< the point at a place
    hierarchy::Edge* edges;
    Index* edge_count;

    DUNLIN_HD void operator()(Offset i) const {
        const Index c = components[i];
        if (c == arrays.largest) return;
        const std::uint64_t exit = arrays.edge[c];
        if (exit == no_edge) return;  // all weights are infinite
        const auto p = static_cast<Index>(exit >> 32), q = static_cast<Index>(exit & 0xffffffffU);
        if (!arrays.unite(arrays.component[p], arrays.component[q])) return;
        edges[math::add(*edge_count, 1)] = {arrays.least_exit(c), order[p], order[q]};
    }
};
template <Norm norm, Index Cols>
struct AddSize {
    RoundArrays<norm, Cols> arrays;
    const Index* components;
    DUNLIN_HD void operator()(Offset i) const {
        const Index c = components[i], root = arrays.root(c);
        if (root != c) math::add(arrays.sizes[root], arrays.sizes[c]);
    }
};
template <Norm norm, Index Cols>
struct Relabel {
    RoundArrays<norm, Cols> arrays;
    DUNLIN_HD void operator()(Offset p) const { arrays.component[p] = arrays.root(arrays.component[p]); }
};
template <Norm norm, Index Cols>
struct IsRoot {
    RoundArrays<norm, Cols> arrays;
    DUNLIN_HD bool operator()(Index c) const { return arrays.parent[c] == c; }
};
/// Size and name of the largest component, of equal ones that of the least name.
struct FindLargest {
    const Index* components;
    const Index* sizes;
    std::uint64_t* largest;
    DUNLIN_HD void operator()(Offset i) const {
        const Index c = components[i];
        math::raise(*largest,
                    static_cast<std::uint64_t>(sizes[c]) << 32 | (0xffffffffU - static_cast<std::uint32_t>(c)));
    }
};

}  // namespace dunlin::spanning
