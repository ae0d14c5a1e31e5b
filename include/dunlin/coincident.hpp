// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/export.hpp>
#include <dunlin/types.hpp>

namespace dunlin::scores {

/// Warning that more points of a map are at one place than a score compares (k = 10 or more), so that row numbers
/// decide which of them are nearest. Empty: there is no such place.
DUNLIN_API std::string sentence_of_coincident(const Map& map);

}  // namespace dunlin::scores
