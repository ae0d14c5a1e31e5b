// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/mds.hpp>

#include "mds/input/source.hpp"

namespace dunlin::mds {

/// Whether distances are fed and not all of them known.
bool has_unknown_distances(const Dissimilarities& items);

/// The judged rows of items whose distances are at hand.
std::vector<Index> default_evaluation_rows(Index n, const StressOptions& options, std::uint64_t seed);

/// The items whose pairs with all others a map is judged by; of what is fed, their rows are there.
std::vector<Index> evaluation_rows(device::Cpu& cpu, const Dissimilarities& items, const Source& source,
                               const StressOptions& options, const Run& run);

/// Throws Error{bad_input} unless there is a point for each item.
void require_same_size(const Dissimilarities& items, const Map& map);

}  // namespace dunlin::mds
