// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/group_tree.hpp>

namespace dunlin::io {

/// Numbers of groups besides their members, by name: one per group; NaN: it has none.
using GroupColumns = std::vector<std::pair<std::string, std::vector<double>>>;

/// Writes a tree of groups. The write is atomic.
///   .json       an object: `groups`, an array for each member of Group with a number per group (null: infinite), names
///               if the tree has any; `home` and `leaves_at`, a number per point (null: takes no part); `layers`; `ids`
///   .csv, .tsv  a row per group: its number, its members and its name if the tree has any; infinite: empty
///   .nwk        Newick, of groups only: each is called by its name, else by its number, and the length of its edge is
///               birth - death
/// ids: names of the points; empty: none. more: after the members of Group, not in .nwk. Throws Error{bad_file} if the
/// file cannot be written, and Error{bad_input} for another extension.
DUNLIN_API void write_group_tree(const std::filesystem::path& path, const GroupTree& tree,
                                 const std::vector<std::string>& ids = {}, const GroupColumns& more = {});

}  // namespace dunlin::io
