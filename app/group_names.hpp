// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include <dunlin/group_tree.hpp>
#include <dunlin/match.hpp>
#include <dunlin/names.hpp>

#include "common.hpp"
#include "report.hpp"

/// Names of groups in commands that find them.
namespace dunlin::app {

/// The flags. At most one of text, counts, features and the labels of common.read is given.
struct NameFlags {
    fs::path input;    ///< whose texts or columns may be meant
    std::string text;  ///< FILE, FILE:COLUMN or a folder; or a column of INPUT
    fs::path counts, words, stop_words;
    std::optional<std::string> features;  ///< empty: the columns of INPUT
    std::string group_names;              ///< FILE or FILE:COLUMN
    naming::Options options;
    const CLI::App* flags = nullptr;
};

/// Adds the flags, but --text and --labels of a command whose INPUT has points, which it has already.
void add_name_flags(CLI::App& app, NameFlags& names, CommonOptions& common, bool of_points);

/// Checks which flags are given. A --text that is a file, not a column of INPUT, is no longer one of common.read.
void settle_name_flags(NameFlags& names, CommonOptions& common);

/// The files that the flags name.
Inputs inputs_of(const NameFlags& names);

/// Whether groups get names.
bool wants_names(const NameFlags& names, const CommonOptions& common);

/// Groups of which the command tells: their numbers (Group::number) are places in `groups`.
struct ShownGroups {
    std::vector<Index> groups;  ///< of the tree
    std::string what;           ///< "clusters", "communities"
    std::string column;         ///< of results that has the numbers: "cluster", "community"
};

/// Names of the tree's groups, and by what they are called so.
struct GroupsNamed {
    naming::Result result;           ///< empty: there are none, or a stop was requested
    std::vector<std::string> texts;  ///< of words or columns
    std::string by;                  ///< "words", "columns", "labels"; empty: only those of --group-names
};

/// Sets the names of a tree. rows: of INPUT; points: of INPUT, if it has any.
GroupsNamed name_groups(const NameFlags& names, const CommonOptions& common, const io::NamedRows& rows,
                        const io::Points* points, const ShownGroups& shown, GroupTree& tree);

/// The names of shown groups; empty: there are none.
std::vector<std::string> names_shown(const GroupTree& tree, const ShownGroups& shown);

/// For each point the name of its group, empty for those of none.
std::vector<std::string> names_of_points(const std::vector<std::string>& names, const std::vector<Index>& labels);

/// Adds the names, and what they were chosen by, of shown groups.
void put_names(Json& report, const GroupsNamed& named, const GroupTree& tree, const ShownGroups& shown);

}  // namespace dunlin::app
