// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/match.hpp>

#include "common.hpp"

/// Names of items from columns of other tables.
namespace dunlin::app {

/// Adds --name-these, --names-from and --names-by, whose columns are read by read_item_names().
void add_names_flags(CLI::App& app, picture::Options& options, CommonOptions& common);

/// Sets the names and ranks of the picture from the columns of --names-from and --names-by, if they are given. Rows are
/// matched with those of the input by id if both have ids, else by order; says of how many there is no name. titles:
/// names that the input has beside its ids, which are shown unless --names-from is given.
void read_item_names(const CommonOptions& common, picture::Options& options, const io::NamedRows& rows,
                     const std::vector<std::string>& titles = {});

}  // namespace dunlin::app
