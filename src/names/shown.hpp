// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/group_tree.hpp>

namespace dunlin::naming {

/// The groups of a tree that are shown: the root, and those of its layers; all groups of a tree without layers.
struct ShownPart {
    GroupTree tree;             ///< of these alone, each point at home in the deepest that holds it
    std::vector<Index> groups;  ///< what they are in the whole tree, ascending
    bool is_all = true;         ///< all groups are shown; `tree` is then empty

    [[nodiscard]] const GroupTree& of(const GroupTree& whole) const { return is_all ? whole : tree; }
};
ShownPart shown_part(const GroupTree& whole);

/// Names by numbers: "All" of the root, "Group 7" of a group with a number. Of others, which have none: "Groups 3 to 5"
/// where they hold these, "Group 7, part 2" within one of them.
class NamesByNumber {
public:
    explicit NamesByNumber(const GroupTree& tree);

    [[nodiscard]] std::string of(Index group) const;

private:
    /// The topmost groups with numbers within a group.
    struct Numbers {
        Index count = 0, least = 0, most = 0;
    };

    const GroupTree& tree_;
    std::vector<Numbers> within_;
};

}  // namespace dunlin::naming
