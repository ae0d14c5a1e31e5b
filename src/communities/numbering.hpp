// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::communities {

/// Renumbers labels, which are below labels.size(), from 0 in the order of their first vertices. Returns how many there
/// are.
Index number_by_first(std::vector<Index>& labels);

/// Renumbers labels, which are below labels.size(), by decreasing size, equal sizes in the order of their first
/// vertices. Returns how many there are.
Index number_by_size(std::vector<Index>& labels);

}  // namespace dunlin::communities
