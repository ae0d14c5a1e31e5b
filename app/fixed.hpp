// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/io.hpp>

#include "common.hpp"

namespace dunlin::app {

/// Extends a map of some items to all `count` items, with NaN for the others. Items are matched by id; without ids, the
/// map has the first items. Throws Error{bad_file} with the flag for an id of no item or of several.
Map map_by_ids(std::string_view flag, const io::MapFile& some, const fs::path& path,
               const std::vector<std::string>& ids, Index count);

}  // namespace dunlin::app
