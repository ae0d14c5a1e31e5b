// SPDX-License-Identifier: Apache-2.0
#include "names/groups.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <dunlin/error.hpp>

namespace dunlin::naming {

void check(const GroupTree& tree) {
    const Index count = static_cast<Index>(tree.groups.size());
    for (Index g = 0; g < count; ++g) {
        const Group& group = tree.groups[at(g)];
        const bool in_order = g == 0 ? group.parent == -1 && group.end == count
                                     : group.parent >= 0 && group.parent < g && group.end > g &&
                                           group.end <= tree.groups[at(group.parent)].end;
        if (!in_order)
            throw Error(Fault::bad_input,
                        fmt::format("group {} of the tree has the parent {} and the end {}; groups must be in preorder",
                                    g, group.parent, group.end));
    }
    for (std::size_t p = 0; p < tree.home.size(); ++p) {
        if (tree.home[p] >= -1 && tree.home[p] < count) continue;
        throw Error(
            Fault::bad_input,
            fmt::format("point {} is at home in group {}; the tree has the groups 0 to {}", p, tree.home[p], count - 1),
            {.row = static_cast<Offset>(p)});
    }
}

void require_rows(const GroupTree& tree, Offset rows, std::string_view what) {
    if (rows == std::ssize(tree.home)) return;
    throw Error(Fault::bad_input, fmt::format("the {} have {} rows, and the groups are of {} points; give one row per "
                                              "point",
                                              what, rows, tree.home.size()));
}

Children::Children(const GroupTree& tree) : begin_(tree.groups.size() + 1, 0) {
    const std::size_t count = tree.groups.size();
    for (std::size_t g = 1; g < count; ++g) ++begin_[at(tree.groups[g].parent) + 1];
    for (std::size_t g = 0; g < count; ++g) begin_[g + 1] += begin_[g];
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    children_.resize(count > 0 ? count - 1 : 0);
    for (std::size_t g = 1; g < count; ++g) children_[at(next[at(tree.groups[g].parent)]++)] = static_cast<Index>(g);
}

Index Children::holding(Index group, Index home) const {
    const std::span<const Index> all = of(group);
    const auto after = std::upper_bound(all.begin(), all.end(), home);
    return after == all.begin() ? -1 : *(after - 1);
}

std::vector<Index> bases(const GroupTree& tree, Against against) {
    std::vector<Index> found(tree.groups.size(), 0);
    if (against == Against::rest) return found;
    for (std::size_t g = 1; g < found.size(); ++g) found[g] = tree.groups[g].parent;
    return found;
}

RowsByHome rows_by_home(const GroupTree& tree) {
    RowsByHome sorted;
    sorted.begin.assign(tree.groups.size() + 1, 0);
    for (const Index home : tree.home) {
        if (home >= 0) ++sorted.begin[at(home) + 1];
    }
    for (std::size_t g = 0; g < tree.groups.size(); ++g) sorted.begin[g + 1] += sorted.begin[g];
    std::vector<Offset> next(sorted.begin.begin(), sorted.begin.end() - 1);
    sorted.rows.resize(at(sorted.begin.back()));
    for (std::size_t p = 0; p < tree.home.size(); ++p) {
        if (tree.home[p] >= 0) sorted.rows[at(next[at(tree.home[p])]++)] = static_cast<Index>(p);
    }
    return sorted;
}

}  // namespace dunlin::naming
