// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "names/columns_by_home.hpp"

namespace dunlin::naming {

/// Sums of one column at a time over the intervals of all groups that have entries of it.
class IntervalSums {
public:
    explicit IntervalSums(const GroupTree& tree)
        : tree_(&tree), sums_(tree.groups.size(), 0), seen_(tree.groups.size(), 0) {}

    /// Homes ascend. Only after clear().
    void add(std::span<const HomeValue> column) {
        for (const HomeValue& entry : column) {
            visit(entry.home);
            sums_[at(entry.home)] += static_cast<double>(entry.value);
        }
        for (std::size_t i = visited_.size(); i-- > 1;)
            sums_[at(tree_->groups[at(visited_[i])].parent)] += sums_[at(visited_[i])];
    }
    [[nodiscard]] const std::vector<Index>& visited() const { return visited_; }  ///< groups with entries, ascending
    [[nodiscard]] double operator[](Index group) const { return sums_[at(group)]; }

    void clear() {
        for (const Index g : visited_) sums_[at(g)] = 0, seen_[at(g)] = 0;
        visited_.clear();
    }
    static std::uint64_t bytes(std::uint64_t groups) { return groups * (sizeof(double) + sizeof(Index) + 1); }

private:
    /// Lists a home and the groups above it. As homes ascend, those that are new have higher numbers than all that are
    /// listed.
    void visit(Index home) {
        const auto before = std::ssize(visited_);
        for (Index g = home; g >= 0 && seen_[at(g)] == 0; g = tree_->groups[at(g)].parent) {
            seen_[at(g)] = 1;
            visited_.push_back(g);
        }
        std::reverse(visited_.begin() + before, visited_.end());
    }

    const GroupTree* tree_;
    std::vector<double> sums_;
    std::vector<char> seen_;
    std::vector<Index> visited_;
};

}  // namespace dunlin::naming
