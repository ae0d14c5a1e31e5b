// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <dunlin/group_tree.hpp>

namespace dunlin::naming {

/// What may stand in the names of groups.
struct Choices {
    Index keys = 0;                             ///< what can be in a name is numbered below this
    std::vector<std::vector<Index>> ranked;     ///< per group: keys, the best first
    std::function<bool(Index, Index)> clashes;  ///< whether two keys must not be in one name
    std::function<std::string(Index)> text;     ///< of a key
};

/// The choices of the groups of a tree, the whole one or its part; groups: their numbers in the whole tree.
using ChoicesOf = std::function<Choices(const GroupTree&, const std::vector<Index>& groups)>;

/// A name of up to `terms` keys per group, none of which a group above has in its name. Siblings with the same keys get
/// their next ones until they differ. Groups that are shown are named as if there were no others (shown.hpp), and the
/// others after them. Calls choices_of for all groups first, then for those that are shown, unless these are all.
std::vector<std::string> choose_names(const GroupTree& tree, const ChoicesOf& choices_of, int terms);

/// Tells siblings with one name, and groups of a layer, apart by " (2)", " (3)", .. in their order; those that are
/// shown as if there were no others.
void tell_equal_apart(const GroupTree& tree, std::vector<std::string>& names);

}  // namespace dunlin::naming
