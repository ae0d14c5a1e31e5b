// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <dunlin/group_tree.hpp>
#include <dunlin/names.hpp>

#include "math/at.hpp"

namespace dunlin::naming {

/// Throws Error{bad_input} unless the tree's groups are in preorder and its homes are groups.
void check(const GroupTree& tree);

/// Throws Error{bad_input} unless there is a row (`what`: "counts") for each point of the tree.
void require_rows(const GroupTree& tree, Offset rows, std::string_view what);

/// The children of all groups, those of each ascending.
class Children {
public:
    explicit Children(const GroupTree& tree);

    [[nodiscard]] std::span<const Index> of(Index group) const {
        return {children_.data() + begin_[at(group)], children_.data() + begin_[at(group) + 1]};
    }
    /// The child of `group` that holds points of this home; -1: none.
    [[nodiscard]] Index holding(Index group, Index home) const;

private:
    std::vector<Index> begin_, children_;
};

/// Turns a value for each group of its own points into that of its interval.
template <class T>
void sum_upward(const GroupTree& tree, std::vector<T>& values) {
    for (std::size_t g = tree.groups.size(); g-- > 1;) values[at(tree.groups[g].parent)] += values[g];
}

/// The group within which each one is compared; the root itself for the root.
std::vector<Index> bases(const GroupTree& tree, Against against);

/// The rows that take part, in the order of their homes: those of group g are [begin[g], begin[end of g]).
struct RowsByHome {
    std::vector<Index> rows;
    std::vector<Offset> begin;  ///< per group, and the end
};
RowsByHome rows_by_home(const GroupTree& tree);

}  // namespace dunlin::naming
