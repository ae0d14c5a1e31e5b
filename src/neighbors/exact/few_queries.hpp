// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/neighbors.hpp>

#include "device/cpu.hpp"

namespace dunlin::neighbors {

/// Most queries for which search_few is faster than building the structure of a search.
constexpr Index few_queries = 16;

/// The lists of neighbors::search(points, queries) by the exact search under euclidean or manhattan distance, to the
/// bit, from the keys of all pairs: nothing is built, which for a few queries takes less time than the other search's
/// preparation. The points are known to be finite. Throws Error{bad_input} for queries that are not, or whose distances
/// overflow.
Graph search_few(device::Cpu& cpu, MatrixView<const float> points, MatrixView<const float> queries, Index k,
                 Metric metric);

}  // namespace dunlin::neighbors
