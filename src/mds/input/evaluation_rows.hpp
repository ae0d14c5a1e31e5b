// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/mds.hpp>

#include "mds/input/source.hpp"

namespace dunlin::mds {

/// True if distances are computed on demand and not all rows are known.
bool has_unknown_distances(const Dissimilarities& items);

/// Evaluation rows if all distances are available.
std::vector<Index> default_evaluation_rows(Index n, const StressOptions& options, std::uint64_t seed);

/// The evaluation sample: items whose pairs with all others enter the scores. On-demand rows are computed first.
std::vector<Index> evaluation_rows(device::Cpu& cpu, const Dissimilarities& items, const Source& source,
                                   const StressOptions& options, const Run& run);

/// Throws Error{bad_input} unless map and items have the same size.
void require_same_size(const Dissimilarities& items, const Map& map);

}  // namespace dunlin::mds
