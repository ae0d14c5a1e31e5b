// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/strategies.hpp"

namespace dunlin::neighbors {

/// The nearest min(k, items) items of each query by the keys of all pairs. For the few queries of an approximate search
/// that lie far outside the items, where neither bytes nor cells tell which items are near. Calls take(q, nearest) for
/// query number numbers[i] = q, in the group queries[q].
void search_all_pairs(device::Cpu& cpu, const ItemTransform& transform, std::span<const Index> queries,
                      std::span<const Offset> numbers, Index k, SearchProgress& progress, const ResultCallback& take);

}  // namespace dunlin::neighbors
