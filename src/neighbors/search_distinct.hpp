// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "neighbors/recall/recall.hpp"
#include "neighbors/search_parameters.hpp"
#include "neighbors/search_progress.hpp"
#include "neighbors/top_k.hpp"
#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// probes: leaves, or cells of codes, searched for a query; 0 for an exact search. recall: estimated on the sample.
struct SearchOutcome {
    Index probes = 0;
    Recall recall = {};
};

/// Number of neighbors of each query: `most` for all, or `each` per query. Only the low-dimensional search uses `each`;
/// the others find `most` for all.
struct NeighborCounts {
    Index most;
    std::span<const Index> each = {};

    [[nodiscard]] Index of(Offset query) const { return each.empty() ? most : each[static_cast<std::size_t>(query)]; }
};

/// Receives the nearest items of query number q (its place in `queries`), ascending; Candidate::row is an item's first
/// row. Called for each query, from any thread. A search that is repeated with more probes calls it again, and the last
/// call counts.
using ResultCallback = std::function<void(Offset q, std::span<const Candidate> nearest)>;

/// Finds the nearest items, other than itself, of each query: the number of a group, an item or a query that equals no
/// point; `wanted` of them, or all if there are fewer. A stop ends it with the exception Cancelled. Lists are complete
/// and distances exact also if the search is approximate. With up to four columns the search is always exact. Without
/// queries in the space, an approximate search needs all items as queries, in order, because it estimates the recall of
/// the rows' lists of one k. With them the sample is searched besides, so that a list depends on no other query.
SearchOutcome search_distinct(device::Cpu& cpu, const distance::Space& space, const DistinctRows& groups,
                              const ValueStatistics& statistics, std::span<const Index> queries, NeighborCounts wanted,
                              SearchParameters parameters, SearchProgress& progress, const ResultCallback& take);

/// Upper bound of the memory that search_distinct uses besides points and queries, in bytes, for up to k neighbors of
/// `rows` rows, all of them distinct: of the points, or `queries` that equal none. Counts the nonzeros if most values
/// seem to be zero.
std::uint64_t search_bytes(device::Cpu& cpu, MatrixView<const float> points, MatrixView<const float> queries,
                           Offset rows, Index k, Metric metric, const SearchParameters& parameters);

}  // namespace dunlin::neighbors
