// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <limits>
#include <string_view>

/// Limits that control groups of version 1 or 2 put on this process.
namespace dunlin::device {

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// Reads the limit from the files in the folder of a group. Returns no_limit if there is none.
using GroupLimit = double (*)(const std::filesystem::path& group);

/// The least limit over the group of a controller ("cpu", "memory") and those above it. root: the folder that holds
/// proc and sys.
double least_group_limit(const std::filesystem::path& root, std::string_view controller, GroupLimit version_1,
                         GroupLimit version_2);

}  // namespace dunlin::device
