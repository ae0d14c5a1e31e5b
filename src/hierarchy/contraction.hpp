// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "hierarchy/contraction_steps.hpp"
#include "hierarchy/merge_tree.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::hierarchy {

/// Makes each of `count` items point to what stays at the end of its path.
template <class Exec>
void follow_paths(Exec& exec, Index count, Index* to) {
    typename Exec::template Cell<Index> some_moved;
    do {
        exec.set(some_moved, Index{0});
        exec.each(count, PointFurther{to, exec.address(some_moved)});
    } while (exec.read(some_moved) != 0);
}

/// merge_tree() and linkage_of() of a spanning tree of at least two points, with finite weights, by contraction of
/// edges (PANDORA: Sao, Prokopenko and Lebrun-Grandie 2024): loops over all edges, for a GPU. An executor has, besides
/// its members, the functions of numerics/selection.cuh.
template <class Exec>
class Contraction {
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;

public:
    Contraction(Exec& exec, Index points) : exec_(exec), n_(points), m_(points - 1) {}

    /// points - 1 edges.
    void run(const Buffer<Edge>& edges) {
        rank_edges(edges);
        contract();
        progress::cancellation_point();
        make_chains();
        progress::cancellation_point();
        make_nodes();
    }

    /// What run() has made, in the executor's memory.
    [[nodiscard]] TreeArrays arrays() const {
        return {tree_level_.data(), tree_parent_.data(), tree_size_.data(), tree_least_.data(), tree_home_.data()};
    }
    [[nodiscard]] Index nodes() const { return nodes_; }

    [[nodiscard]] MergeTree tree() {
        return {exec_.host(tree_level_), exec_.host(tree_parent_), exec_.host(tree_size_), exec_.host(tree_least_),
                exec_.host(tree_home_)};
    }

    Buffer<Merge> linkage() {
        const Index entries = n_ + nodes_ - 1;
        Buffer<std::uint64_t> keys = array<std::uint64_t>(entries);
        Buffer<Index> items = array<Index>(entries), of = array<Index>(entries), sizes = array<Index>(entries),
                      begins = array<Index>(nodes_);
        const TreeArrays tree = arrays();
        exec_.each(entries, ChildKey{tree, n_, keys.data(), items.data()});
        sort_by_key(exec_, keys, items, 64);
        exec_.each(entries, ChildSize{keys.data(), items.data(), tree, n_, of.data(), sizes.data(), begins.data()});
        scan_by_key(exec_, of.data(), sizes.data(), entries, Sum());
        Buffer<Merge> merges = array<Merge>(m_);
        exec_.each(entries, SetMerge{of.data(), items.data(), sizes.data(), begins.data(), tree.level, n_, entries,
                                     nodes_, merges.data()});
        return merges;
    }

private:
    template <class T>
    Buffer<T> array(Offset size) {
        Buffer<T> buffer;
        exec_.resize(buffer, at(size));
        return buffer;
    }
    void rank_edges(const Buffer<Edge>& edges) {
        Buffer<std::uint64_t> keys = array<std::uint64_t>(m_);
        Buffer<Index> order = array<Index>(m_);
        exec_.each(m_, WeightKey{edges.data(), keys.data(), order.data()});
        sort_by_key(exec_, keys, order, 64);
        for (auto* const indices : {&a_, &b_, &level_edges_, &weight_number_}) exec_.resize(*indices, at(m_));
        exec_.resize(weights_, at(m_));
        exec_.each(m_,
                   RankEdges{order.data(), edges.data(), a_.data(), b_.data(), weights_.data(), level_edges_.data()});
        exec_.each(m_, BeginsWeight{weights_.data(), weight_number_.data()});
        scan(exec_, weight_number_.data(), m_);
    }

    void contract() {
        // Vertices of all levels: at most n + n / 2 + ..
        exec_.fill(lightest_, 2 * at(n_), m_);
        exec_.resize(above_, 2 * at(n_));
        exec_.resize(edge_level_, at(m_));
        Buffer<Index> to = array<Index>(n_), staying = array<Index>(n_), numbers = array<Index>(n_),
                      spare = array<Index>(m_);
        levels_.edges = m_;
        levels_.lightest = lightest_.data();
        levels_.above = above_.data();
        levels_.a = a_.data();
        levels_.b = b_.data();
        levels_.of_edge = edge_level_.data();
        Index vertices = n_, edges = m_, begin = 0;
        while (edges > 0) {
            const LevelEdges level{level_edges_.data(), a_.data(), b_.data(), lightest_.data() + begin};
            Index* const above = above_.data() + begin;
            levels_.begin[levels_.count] = begin;
            exec_.each(edges, FindLightest{level});
            exec_.each(edges,
                       SetLevel{level_edges_.data(), edge_level_.data(), static_cast<std::uint8_t>(levels_.count++)});
            exec_.each(vertices, PointAlong{level, to.data()});
            follow_paths(exec_, vertices, to.data());
            const Index left = select(exec_, nullptr, vertices, Stays{to.data()}, staying);
            exec_.each(left, NumberThose{staying.data(), numbers.data()});
            exec_.each(vertices, SetAbove{to.data(), numbers.data(), above});
            edges = select(exec_, level_edges_.data(), edges, IsNowhereLightest{level}, spare);
            std::swap(level_edges_, spare);
            exec_.each(edges, LiftEnds{level_edges_.data(), above, a_.data(), b_.data()});
            begin += vertices;
            vertices = left;
        }
        levels_.begin[levels_.count] = begin;
    }

    void make_chains() {
        Buffer<std::uint64_t> keys = array<std::uint64_t>(m_);
        Buffer<Index> items = array<Index>(m_);
        exec_.each(m_, SetChain{levels_, 32, keys.data(), items.data()});
        sort_by_key(exec_, keys, items, 32 + std::bit_width(static_cast<unsigned>(levels_.count)));
        exec_.resize(parent_, at(m_));
        exec_.each(m_, SetParent{keys.data(), items.data(), levels_, parent_.data()});
        count_members(keys, items);
    }

    /// Level after level: what hangs below the nodes of a chain is known before.
    void count_members(const Buffer<std::uint64_t>& keys, const Buffer<Index>& items) {
        exec_.fill(sizes_, at(m_), Index{0});
        exec_.fill(least_, at(m_), n_);
        Buffer<Index> in_order = array<Index>(m_), least_in_order = array<Index>(m_),
                      begins = array<Index>(levels_.count + 2);
        const NodeMembers members{sizes_.data(), least_.data()}, sorted{in_order.data(), least_in_order.data()};
        exec_.each(n_, AddPoint{members, lightest_.data()});
        exec_.each(levels_.count + 2, FindLevel{keys.data(), m_, 32, begins.data()});
        const std::vector<Index> begin = exec_.host(begins);
        for (int level = 0; level <= levels_.count; ++level) {
            const Index first = begin[at(level)], count = begin[at(level) + 1] - first;
            if (count == 0) continue;
            const NodeMembers here{sorted.sizes + first, sorted.least + first};
            const std::uint64_t* const chains = keys.data() + first;
            exec_.each(count, GatherMembers{members, here, items.data() + first});
            scan_by_key(exec_, chains, here.sizes, count, Sum());
            scan_by_key(exec_, chains, here.least, count, Lesser());
            exec_.each(count, ScatterMembers{here, members, items.data() + first, chains, count, levels_.last_chain()});
        }
    }

    void make_nodes() {
        Buffer<Index> to = array<Index>(m_), nodes = array<Index>(m_), numbers = array<Index>(m_);
        exec_.each(m_, PointToEqual{parent_.data(), weight_number_.data(), to.data()});
        follow_paths(exec_, m_, to.data());
        nodes_ = select(exec_, nullptr, m_, Stays{to.data()}, nodes);
        Buffer<std::uint64_t> keys = array<std::uint64_t>(nodes_);
        Buffer<Index> in_order = array<Index>(nodes_);
        exec_.each(nodes_, NodeKey{nodes.data(), weight_number_.data(), least_.data(), keys.data()});
        exec_.each(nodes_, CopyIndex{nodes.data(), in_order.data()});
        sort_by_key(exec_, keys, in_order, 64);
        exec_.each(nodes_, NumberThose{in_order.data(), numbers.data()});
        exec_.resize(tree_level_, at(nodes_));
        for (auto* const indices : {&tree_parent_, &tree_size_, &tree_least_}) exec_.resize(*indices, at(nodes_));
        exec_.resize(tree_home_, at(n_));
        exec_.each(nodes_, SetNode{in_order.data(),
                                   numbers.data(),
                                   to.data(),
                                   parent_.data(),
                                   weights_.data(),
                                   {sizes_.data(), least_.data()},
                                   tree_level_.data(),
                                   tree_parent_.data(),
                                   tree_size_.data(),
                                   tree_least_.data()});
        exec_.each(n_, SetHome{lightest_.data(), to.data(), numbers.data(), tree_home_.data()});
    }

    Exec& exec_;
    Index n_, m_, nodes_ = 0;
    Levels levels_{};
    Buffer<Index> a_, b_, level_edges_, weight_number_, lightest_, above_, parent_, sizes_, least_;
    Buffer<double> weights_;  ///< by rank
    Buffer<std::uint8_t> edge_level_;
    Buffer<double> tree_level_;
    Buffer<Index> tree_parent_, tree_size_, tree_least_, tree_home_;
};

/// Memory of a run on a GPU, at most, in bytes.
inline std::uint64_t contraction_bytes(Index points) {
    // Edges with their copy (32); 4 + 2 * 2 + 3 + 5 arrays of 4 bytes, 2 of 8; the sort, twice 12; or the entries of
    // the linkage, twice as many, with their sort and the merges
    return at(points) * (32 + 16 * 4 + 2 * 8 + 24 + 2 * (12 + 12 + 12) + sizeof(Merge));
}

}  // namespace dunlin::hierarchy
