// SPDX-License-Identifier: Apache-2.0
#include "hierarchy/condense.hpp"

#include <algorithm>
#include <limits>

#include "math/at.hpp"
#include "math/ordered_sum.hpp"
#include "progress/cancel.hpp"

namespace dunlin::hierarchy {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What the nodes of a merge tree are to the condensed tree.
class Condensing {
public:
    Condensing(const MergeTree& tree, Index least) : tree_(tree), least_(least) {
        find_big_children();
        progress::cancellation_point();
        find_heads();
        progress::cancellation_point();
        number_groups();
    }

    GroupTree take() {
        GroupTree result;
        result.groups = std::move(groups_);
        result.home.resize(tree_.home.size());
        result.leaves_at.resize(tree_.home.size());
        for (std::size_t p = 0; p < tree_.home.size(); ++p) {
            const std::size_t node = at(big_[at(tree_.home[p])]);
            result.home[p] = group_[node];
            result.leaves_at[p] = tree_.level[node];
        }
        return result;
    }

private:
    [[nodiscard]] Index root() const { return tree_.nodes() - 1; }
    [[nodiscard]] bool is_big(Index node) const { return node == root() || tree_.size[at(node)] >= least_; }

    /// Of big nodes: how many of their children are big, and one of these.
    void find_big_children() {
        big_children_.assign(at(tree_.nodes()), 0);
        next_.assign(at(tree_.nodes()), -1);
        for (Index v = 0; v < root(); ++v) {
            if (!is_big(v)) continue;
            ++big_children_[at(tree_.parent[at(v)])];
            next_[at(tree_.parent[at(v)])] = v;
        }
    }

    /// Parents before children: the first node of each cluster, and for each node the lowest big one at or above it.
    void find_heads() {
        big_.resize(at(tree_.nodes()));
        group_.resize(at(tree_.nodes()));  // for now the order in which clusters are found
        for (Index v = root(); v >= 0; --v) {
            const Index parent = tree_.parent[at(v)];
            if (!is_big(v)) {
                big_[at(v)] = big_[at(parent)];
                continue;
            }
            big_[at(v)] = v;
            const bool is_head = v == root() || big_children_[at(parent)] > 1;
            group_[at(v)] = is_head ? static_cast<Index>(heads_.size()) : group_[at(parent)];
            if (is_head) heads_.push_back(v);
        }
    }

    void number_groups() {
        const auto count = heads_.size();
        std::vector<Index> parents(count, -1), least(count);
        for (std::size_t g = 0; g < count; ++g) least[g] = tree_.least[at(heads_[g])];
        for (std::size_t g = 1; g < count; ++g) parents[g] = group_[at(tree_.parent[at(heads_[g])])];
        const auto [numbers, sizes] = preorder_of(parents, least);
        for (Index& group : group_) group = numbers[at(group)];
        groups_.resize(count);
        for (std::size_t g = 0; g < count; ++g) {
            const Index parent = parents[g] < 0 ? -1 : numbers[at(parents[g])];
            groups_[at(numbers[g])] = described(heads_[g], parent, numbers[g] + sizes[g]);
        }
    }

    /// Follows a cluster from its first node down to its last.
    [[nodiscard]] Group described(Index head, Index parent, Index end) const {
        Group group{parent, end, tree_.size[at(head)], tree_.least[at(head)]};
        group.birth = head == root() ? infinity : tree_.level[at(tree_.parent[at(head)])];
        math::TreeSum<double> stability;
        for (Index v = head;;) {
            const bool goes_on = big_children_[at(v)] == 1;
            const Index leaving = tree_.size[at(v)] - (goes_on ? tree_.size[at(next_[at(v)])] : 0);
            stability.add(stability_term(leaving, tree_.level[at(v)], group.birth));
            group.death = tree_.level[at(v)];
            if (!goes_on) break;
            v = next_[at(v)];
        }
        group.stability = stability.total();
        return group;
    }

    const MergeTree& tree_;
    Index least_;
    std::vector<Index> big_children_, next_, big_, group_, heads_;
    std::vector<Group> groups_;
};

/// A tree of one point.
GroupTree single_point() {
    GroupTree tree;
    tree.groups = {{.parent = -1, .end = 1, .size = 1, .least = 0, .birth = infinity, .death = 0}};
    tree.home = {0};
    tree.leaves_at = {0};
    return tree;
}

}  // namespace

Preorder preorder_of(const std::vector<Index>& parents, const std::vector<Index>& least) {
    const auto count = parents.size();
    Preorder result{std::vector<Index>(count, 0), std::vector<Index>(count, 1)};
    std::vector<Index> order(count);
    for (std::size_t g = count - 1; g > 0; --g) result.sizes[at(parents[g])] += result.sizes[g];
    for (std::size_t g = 0; g < count; ++g) order[g] = static_cast<Index>(g);
    // Parents come before their children, so that a parent has its number when they get theirs
    std::sort(order.begin() + 1, order.end(), [&](Index a, Index b) {
        if (parents[at(a)] != parents[at(b)]) return parents[at(a)] < parents[at(b)];
        return least[at(a)] < least[at(b)];
    });
    std::vector<Index> next(count, 1);  // from a parent's number to that of its next child
    for (const Index g : order) {
        if (parents[at(g)] < 0) continue;
        Index& step = next[at(parents[at(g)])];
        result.numbers[at(g)] = result.numbers[at(parents[at(g)])] + step;
        step += result.sizes[at(g)];
    }
    return result;
}

GroupTree condense(const MergeTree& tree, Index least) {
    if (tree.points() == 0) return {};
    if (tree.nodes() == 0) return single_point();
    return Condensing(tree, least).take();
}

}  // namespace dunlin::hierarchy
