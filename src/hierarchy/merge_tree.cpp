// SPDX-License-Identifier: Apache-2.0
#include "hierarchy/merge_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include <dunlin/error.hpp>

#include "hierarchy/disjoint_sets.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"

namespace dunlin::hierarchy {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t stop_every = 65536;

/// Joins sets of points level by level.
class Joining {
public:
    explicit Joining(Index points) : sets_(points), set_node_(at(points), -1), new_node_(at(points), -1) {
        tree_.home.assign(at(points), -1);
    }

    /// Edges of one weight.
    void join(std::span<const Edge> edges) {
        std::vector<Index>& joined = joined_;
        joined.clear();
        for (const Edge& edge : edges) {
            const Index a = sets_.find(edge.a), b = sets_.find(edge.b);
            if (a == b) continue;
            joined.push_back(a);
            joined.push_back(b);
        }
        for (const Edge& edge : edges) sets_.join(edge.a, edge.b);
        if (!joined.empty()) add_nodes(joined, edges.front().weight);
    }

    /// All sets that are left.
    MergeTree finish() {
        joined_.clear();
        for (Index p = 0; p < tree_.points(); ++p) {
            if (sets_.find(p) == p) joined_.push_back(p);
        }
        if (joined_.size() > 1) {
            for (const Index set : joined_) sets_.join(joined_.front(), set);
            add_nodes(joined_, infinity);
        }
        return std::move(tree_);
    }

private:
    [[nodiscard]] Index least_of(Index set) const {
        const Index node = set_node_[at(set)];
        return node < 0 ? set : tree_.least[at(node)];
    }

    /// A node for each new set; joined: the sets that they are made of, perhaps several times.
    void add_nodes(std::vector<Index>& joined, double level) {
        std::sort(joined.begin(), joined.end(), [&](Index a, Index b) { return least_of(a) < least_of(b); });
        joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
        const Index first = tree_.nodes();
        for (const Index set : joined) {
            Index& node = new_node_[at(sets_.find(set))];
            if (node < first) {
                node = tree_.nodes();
                tree_.level.push_back(level);
                tree_.parent.push_back(-1);
                tree_.size.push_back(0);
                tree_.least.push_back(least_of(set));
            }
            const Index child = set_node_[at(set)];
            (child < 0 ? tree_.home[at(set)] : tree_.parent[at(child)]) = node;
            tree_.size[at(node)] += child < 0 ? 1 : tree_.size[at(child)];
        }
        for (const Index set : joined) set_node_[at(sets_.find(set))] = new_node_[at(sets_.find(set))];
    }

    MergeTree tree_;
    DisjointSets sets_;
    std::vector<Index> set_node_, new_node_;  ///< per root of a set
    std::vector<Index> joined_;
};

/// The children of each node: those of node v are entries[offsets[v] .. offsets[v + 1]), a point p as -1 - p.
struct Children {
    std::vector<Offset> offsets;
    std::vector<Index> entries;
};

Children children_of(const MergeTree& tree) {
    Children all;
    all.offsets.assign(at(tree.nodes()) + 1, 0);
    const auto each = [&](const auto& visit) {
        for (Index p = 0; p < tree.points(); ++p) {
            if (tree.home[at(p)] >= 0) visit(tree.home[at(p)], -1 - p);
        }
        for (Index v = 0; v < tree.nodes(); ++v) {
            if (tree.parent[at(v)] >= 0) visit(tree.parent[at(v)], v);
        }
    };
    each([&](Index parent, Index) { ++all.offsets[at(parent) + 1]; });
    std::partial_sum(all.offsets.begin(), all.offsets.end(), all.offsets.begin());
    all.entries.resize(at(all.offsets.back()));
    std::vector<Offset> next(all.offsets.begin(), all.offsets.end() - 1);
    each([&](Index parent, Index child) { all.entries[at(next[at(parent)]++)] = child; });
    return all;
}

}  // namespace

MergeTree merge_tree(Index points, std::vector<Edge> edges) {
    std::erase_if(edges, [](const Edge& edge) { return edge.weight == infinity; });
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.weight < b.weight; });
    Joining joining(points);
    for (std::size_t begin = 0, end = 0, told = 0; begin < edges.size(); begin = end) {
        while (end < edges.size() && edges[end].weight == edges[begin].weight) ++end;
        joining.join(std::span(edges).subspan(begin, end - begin));
        if (end - told < stop_every) continue;
        progress::cancellation_point();
        told = end;
    }
    return joining.finish();
}

std::vector<Merge> linkage_of(const MergeTree& tree) {
    const Offset n = tree.points();
    Children children = children_of(tree);
    std::vector<Offset> number(at(tree.nodes()));  // of each node, among SciPy's sets
    const auto least_of = [&](Index child) { return child < 0 ? -1 - child : tree.least[at(child)]; };
    const auto number_of = [&](Index child) { return child < 0 ? Offset{-1 - child} : number[at(child)]; };
    const auto size_of = [&](Index child) { return child < 0 ? 1 : tree.size[at(child)]; };
    std::vector<Merge> merges;
    merges.reserve(at(std::max<Offset>(n - 1, 0)));
    for (Index v = 0; v < tree.nodes(); ++v) {
        const auto mine =
            std::span(children.entries)
                .subspan(at(children.offsets[at(v)]), at(children.offsets[at(v) + 1] - children.offsets[at(v)]));
        std::sort(mine.begin(), mine.end(), [&](Index a, Index b) { return least_of(a) < least_of(b); });
        Offset set = number_of(mine[0]);
        Index size = size_of(mine[0]);
        for (const Index child : mine.subspan(1)) {
            size += size_of(child);
            const auto [first, second] = std::minmax({set, number_of(child)});
            merges.push_back({first, second, tree.level[at(v)], size});
            set = n + std::ssize(merges) - 1;
        }
        number[at(v)] = set;
    }
    return merges;
}

}  // namespace dunlin::hierarchy

namespace dunlin {

std::vector<Index> cut(std::span<const Merge> linkage, Index points, double t, Index least) {
    if (std::ssize(linkage) != std::max<Offset>(Offset{points} - 1, 0)) {
        throw Error(Fault::bad_input, fmt::format("the linkage has {} merges for {} points; it must have one less than "
                                                  "there are points",
                                                  linkage.size(), points));
    }
    // A point of each set; then the sizes and numbers of components
    hierarchy::DisjointSets sets(points);
    std::vector<Index> of(at(points) + linkage.size());
    std::iota(of.begin(), of.begin() + points, 0);
    for (std::size_t i = 0; i < linkage.size(); ++i) {
        of[at(points) + i] = of[at(linkage[i].first)];
        if (linkage[i].level <= t) sets.join(of[at(linkage[i].first)], of[at(linkage[i].second)]);
    }
    std::vector<Index> sizes(at(points), 0), numbers(at(points), -1), labels(at(points), -1);
    for (Index p = 0; p < points; ++p) ++sizes[at(sets.find(p))];
    Index count = 0;
    for (Index p = 0; p < points; ++p) {
        const std::size_t set = at(sets.find(p));
        if (sizes[set] < least) continue;
        if (numbers[set] < 0) numbers[set] = count++;
        labels[at(p)] = numbers[set];
    }
    return labels;
}

}  // namespace dunlin
