// SPDX-License-Identifier: Apache-2.0
#include <dunlin/group_tree.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <dunlin/error.hpp>

#include "math/at.hpp"

namespace dunlin {

namespace {

/// A partition whose sets are numbered from 0 by their first points.
struct NumberedSets {
    std::vector<Index> set;          ///< of each point; -1: of none
    std::vector<Index> size, least;  ///< of each set
    std::vector<Index> label;        ///< of each set
};

NumberedSets numbered(const std::vector<Index>& labels) {
    NumberedSets partition;
    partition.set.reserve(labels.size());
    std::unordered_map<Index, Index> number;
    for (std::size_t p = 0; p < labels.size(); ++p) {
        if (labels[p] < 0) {
            partition.set.push_back(-1);
            continue;
        }
        const Index set = number.try_emplace(labels[p], static_cast<Index>(number.size())).first->second;
        partition.set.push_back(set);
        if (set == std::ssize(partition.size)) {
            partition.size.push_back(0);
            partition.least.push_back(static_cast<Index>(p));
            partition.label.push_back(labels[p]);
        }
        ++partition.size[at(set)];
    }
    return partition;
}

/// For each set of the finer partition that of the coarser one which holds it.
std::vector<Index> parents(const NumberedSets& fine, const NumberedSets& coarse, std::size_t level) {
    std::vector<Index> parent(fine.size.size(), -1);
    for (std::size_t p = 0; p < fine.set.size(); ++p) {
        if (fine.set[p] < 0) continue;
        Index& of_set = parent[at(fine.set[p])];
        if (of_set < 0) of_set = coarse.set[p];
        if (coarse.set[p] >= 0 && coarse.set[p] == of_set) continue;
        throw Error(
            Fault::bad_input,
            fmt::format("partition {} does not hold all of the set of point {} of partition {} in one set; each "
                        "set must be a union of sets of the partition before",
                        level + 1, p, level));
    }
    return parent;
}

/// Groups in the order in which they are found, children before parents.
class Nested {
public:
    explicit Nested(Index points) : points_(points), home_(at(points), -1) {}

    /// The next partition, coarser than those before.
    void add(const std::vector<Index>& labels) {
        ++level_;
        NumberedSets partition = numbered(labels);
        std::vector<Index> group(partition.size.size(), -1);
        const std::vector<Index> parent =
            level_ > 1 ? parents(last_, partition, static_cast<std::size_t>(level_ - 1)) : std::vector<Index>{};
        for (std::size_t s = 0; s < parent.size(); ++s) {
            if (last_.size[s] == partition.size[at(parent[s])]) group[at(parent[s])] = group_[s];
        }
        for (std::size_t s = 0; s < group.size(); ++s) {
            if (group[s] < 0) group[s] = make(partition.size[s], partition.least[s]);
        }
        for (std::size_t s = 0; s < parent.size(); ++s) {
            const Index above = group[at(parent[s])];
            if (above != group_[s]) hang(group_[s], above);
        }
        for (std::size_t p = 0; p < home_.size(); ++p) {
            if (home_[p] < 0 && partition.set[p] >= 0) home_[p] = group[at(partition.set[p])];
        }
        last_ = std::move(partition);
        layers_.push_back(group);
        group_ = std::move(group);
    }

    GroupTree take() {
        close();
        GroupTree tree;
        const std::vector<Index> number = put_in_preorder(tree);
        tree.home.reserve(home_.size());
        tree.leaves_at.reserve(home_.size());
        for (const Index home : home_) {
            tree.home.push_back(number[at(home)]);
            tree.leaves_at.push_back(groups_[at(home)].death);
        }
        for (std::vector<Index>& layer : layers_) {
            for (Index& group : layer) group = number[at(group)];
            std::sort(layer.begin(), layer.end());
        }
        tree.layers = std::move(layers_);
        return tree;
    }

private:
    Index make(Index size, Index least) {
        groups_.push_back({.size = size, .least = least, .death = static_cast<double>(level_)});
        return static_cast<Index>(groups_.size() - 1);
    }

    void hang(Index group, Index parent) {
        groups_[at(group)].parent = parent;
        groups_[at(group)].birth = static_cast<double>(level_);
    }

    /// Makes the root, unless a group has all points.
    void close() {
        ++level_;
        for (std::size_t s = 0; s < group_.size(); ++s) groups_[at(group_[s])].number = last_.label[s];
        const bool has_root = group_.size() == 1 && groups_[at(group_.front())].size == points_;
        const Index root = has_root ? group_.front() : make(points_, 0);
        groups_[at(root)].birth = std::numeric_limits<double>::infinity();
        for (const Index group : group_) {
            if (group != root) hang(group, root);
        }
        for (Index& home : home_) home = home < 0 ? root : home;
    }

    /// Moves the groups into the tree; returns the new number of each.
    std::vector<Index> put_in_preorder(GroupTree& tree) {
        // A parent was made after its children
        std::vector<Index> below(groups_.size(), 1), depth(groups_.size(), 0);
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            if (groups_[g].parent >= 0) below[at(groups_[g].parent)] += below[g];
        }
        for (std::size_t g = groups_.size(); g-- > 0;) {
            if (groups_[g].parent >= 0) depth[g] = depth[at(groups_[g].parent)] + 1;
        }
        std::vector<Index> order(groups_.size()), number(groups_.size(), -1), next(groups_.size(), 0);
        std::iota(order.begin(), order.end(), Index{0});
        std::sort(order.begin(), order.end(), [&](Index a, Index b) {
            return std::pair(depth[at(a)], groups_[at(a)].least) < std::pair(depth[at(b)], groups_[at(b)].least);
        });
        for (const Index g : order) {
            const Index parent = groups_[at(g)].parent;
            number[at(g)] = parent < 0 ? 0 : next[at(parent)];
            next[at(g)] = number[at(g)] + 1;
            if (parent >= 0) next[at(parent)] += below[at(g)];
        }
        tree.groups.resize(groups_.size());
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            Group group = groups_[g];
            group.end = number[g] + below[g];
            group.parent = group.parent < 0 ? -1 : number[at(group.parent)];
            tree.groups[at(number[g])] = group;
        }
        return number;
    }

    Index points_;
    int level_ = 0;
    NumberedSets last_;
    std::vector<Index> group_;  ///< of each set of the last partition
    std::vector<Index> home_;   ///< of each point
    std::vector<Group> groups_;
    std::vector<std::vector<Index>> layers_;
};

}  // namespace

GroupTree tree_of_partitions(const std::vector<std::vector<Index>>& partitions) {
    const std::size_t points = partitions.empty() ? 0 : partitions.front().size();
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        if (partitions[i].size() == points) continue;
        throw Error(Fault::bad_input,
                    fmt::format("partition {} has {} labels, and the first has {}; give one per point", i + 1,
                                partitions[i].size(), points));
    }
    if (points == 0) return {};
    Nested nested(static_cast<Index>(points));
    for (const std::vector<Index>& partition : partitions) nested.add(partition);
    return nested.take();
}

}  // namespace dunlin
