// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "group_names.hpp"

namespace dunlin::app {

/// Names shown groups by --group-names: one a line, or by the numbers of groups. Says what has no partner.
void take_given_names(const std::string& file, const CommonOptions& common, const ShownGroups& shown, GroupTree& tree);

}  // namespace dunlin::app
