// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/io.hpp>

namespace dunlin::io {

/// Reads a map some of whose points have no place, as read_map() does: their rows are NaN, or empty cells of a table.
/// Such a map fixes, grows or anchors another one. Does not check for rows that are missing in part: the method that
/// takes the map refuses them.
DUNLIN_API MapFile read_partial_map(const std::filesystem::path& path, const Run& run = {},
                                    const std::optional<std::vector<double>>& origin = {});

}  // namespace dunlin::io
