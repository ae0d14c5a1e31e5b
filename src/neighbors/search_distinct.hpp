// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "neighbors/recall/recall.hpp"
#include "neighbors/search_parameters.hpp"
#include "neighbors/search_progress.hpp"
#include "neighbors/top_k.hpp"
#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// How a search went: the leaves, or cells of codes, that a query met (0: it was exact), and the share of the
/// neighbors that rows' lists hold, measured.
struct SearchOutcome {
    Index probes = 0;
    Recall recall = {};
};

/// How many neighbors a query asks for: the same number as every other, or its own. Where the search is not one of few
/// columns it gets the largest number.
struct NeighborCounts {
    Index most;
    std::span<const Index> each = {};

    [[nodiscard]] Index of(Offset query) const { return each.empty() ? most : each[static_cast<std::size_t>(query)]; }
};

/// Receives the nearest groups of query number q, ascending; Candidate::row is a group's first member.
/// Called for each query, from any worker; again if a search looks farther than it did, and the last call counts.
using ResultCallback = std::function<void(Offset q, std::span<const Candidate> nearest)>;

/// The min(wanted, groups - 1) nearest other groups of each query (a group). A stop
/// ends it as Cancelled. Lists are complete and distances exact even if the search is not; up to four columns are
/// always searched exactly. Whatever is not exact takes all groups as queries, in order, for it measures rows' lists of
/// the same k.
SearchOutcome search_distinct(device::Cpu& cpu, const distance::Space& space, const DistinctRows& groups,
                              const ValueStatistics& statistics, std::span<const Index> queries, NeighborCounts wanted,
                              SearchParameters parameters, SearchProgress& progress, const ResultCallback& take);

/// The most bytes that search_distinct takes for k neighbors at most of `queries` of these rows, all of them different,
/// beside the points. Rows that are mostly zero are counted, which takes a look at them.
std::uint64_t search_bytes(device::Cpu& cpu, MatrixView<const float> points, Offset queries, Index k, Metric metric,
                           const SearchParameters& parameters);

}  // namespace dunlin::neighbors
