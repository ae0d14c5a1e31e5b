// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/io.hpp>

#include "common.hpp"

namespace dunlin::app {

/// A map of all `count` items from one of some of them, found by their ids where the map has any, else the first ones;
/// NaN for the others. Throws Error{bad_file}, which names the flag, for an id that no item or more than one has.
Map map_by_ids(std::string_view flag, const io::MapFile& some, const fs::path& path,
               const std::vector<std::string>& ids, Index count);

}  // namespace dunlin::app
