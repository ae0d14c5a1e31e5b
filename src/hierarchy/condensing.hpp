// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/group_tree.hpp>

#include "hierarchy/condensing_steps.hpp"
#include "hierarchy/contraction.hpp"
#include "math/ordered_sum.hpp"

namespace dunlin::hierarchy {

/// condense() of the tree of a Contraction, where that is. The clusters, of which there are few, are numbered on the
/// host, and their terms added there in the order of the CPU. `tree` is empty but for memory that it may have.
template <class Exec>
void condense(Exec& exec, const Contraction<Exec>& merged, Index points, Index least, GroupTree& tree) {
    using Indices = typename Exec::template Buffer<Index>;
    const auto indices = [&](Index size) {
        Indices buffer;
        exec.resize(buffer, at(size));
        return buffer;
    };
    const Index n = merged.nodes();
    Indices big_children, big = indices(n), head = indices(n), heads = indices(n), big_nodes = indices(n),
                          numbers = indices(n);
    exec.fill(big_children, at(n), Index{0});
    const BigNodes all{merged.arrays(), n, least, big_children.data()};
    exec.each(n, CountBigChildren{all});
    exec.each(n, PointUp{all, big.data(), head.data()});
    follow_paths(exec, n, big.data());
    follow_paths(exec, n, head.data());
    progress::cancellation_point();

    // Clusters
    const Index clusters = select(exec, nullptr, n, IsHead{all}, heads);
    exec.each(clusters, NumberThose{heads.data(), numbers.data()});
    typename Exec::template Buffer<Head> described;
    exec.resize(described, at(clusters));
    exec.each(clusters, DescribeHead{all, heads.data(), head.data(), numbers.data(), described.data()});
    const std::vector<Head> of_heads = exec.host(described);

    // Their terms
    const Index count = select(exec, nullptr, n, IsBig{all}, big_nodes);
    typename Exec::template Buffer<std::uint64_t> keys;
    typename Exec::template Buffer<double> terms, deaths;
    Indices items = indices(count), begins = indices(clusters);
    exec.resize(keys, at(count));
    exec.resize(terms, at(count));
    exec.resize(deaths, at(clusters));
    exec.each(count, ClusterKey{big_nodes.data(), head.data(), numbers.data(), keys.data(), items.data()});
    sort_by_key(exec, keys, items, 64);
    exec.each(count, SetTerm{all, items.data(), head.data(), count, terms.data()});
    exec.each(count,
              SetEnds{items.data(), head.data(), numbers.data(), all.tree.level, count, begins.data(), deaths.data()});
    const std::vector<double> all_terms = exec.host(terms), all_deaths = exec.host(deaths);
    const std::vector<Index> all_begins = exec.host(begins);
    progress::cancellation_point();

    // Numbers in preorder, for which parents come first: heads ascend, their parents have higher numbers
    std::vector<Index> parents(at(clusters)), first_points(at(clusters)), groups(at(clusters));
    const auto found = [&](Index h) { return clusters - 1 - h; };
    for (Index h = 0; h < clusters; ++h) {
        const Head& of = of_heads[at(h)];
        parents[at(found(h))] = of.parent < 0 ? -1 : found(of.parent);
        first_points[at(found(h))] = of.least;
    }
    const Preorder order = preorder_of(parents, first_points);
    tree.groups.resize(at(clusters));
    for (Index h = 0; h < clusters; ++h) {
        const Head& of = of_heads[at(h)];
        const Index g = order.numbers[at(found(h))];
        groups[at(h)] = g;
        math::TreeSum<double> stability;
        const Index end = h + 1 < clusters ? all_begins[at(h) + 1] : count;
        for (Index t = all_begins[at(h)]; t < end; ++t) stability.add(all_terms[at(t)]);
        const Index parent = of.parent < 0 ? -1 : order.numbers[at(found(of.parent))];
        Group& group = tree.groups[at(g)];
        group = {parent, g + order.sizes[at(found(h))], of.size, of.least};
        group.birth = of.birth;
        group.death = all_deaths[at(h)];
        group.stability = stability.total();
    }

    // Points
    Indices of_heads_there, home = indices(points);
    typename Exec::template Buffer<double> leaves_at;
    exec.resize(leaves_at, at(points));
    exec.upload(of_heads_there, std::span<const Index>(groups));
    exec.each(points, SetGroupOfPoint{all.tree, big.data(), head.data(), numbers.data(), of_heads_there.data(),
                                      home.data(), leaves_at.data()});
    fetch(exec, home, tree.home);
    fetch(exec, leaves_at, tree.leaves_at);
}

}  // namespace dunlin::hierarchy
