// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/export.hpp>
#include <dunlin/types.hpp>

namespace dunlin::scores {

/// Says that more points of a map are at one place than a score compares, k = 10 and more, so that their row numbers
/// say which of them are nearest; empty: there is no such place.
DUNLIN_API std::string sentence_of_coincident(const Map& map);

}  // namespace dunlin::scores
