#pragma once

#include <functional>
#include <optional>

#include "neighbors/best.hpp"
#include "neighbors/frame.hpp"
#include "neighbors/watch.hpp"

namespace dunlin::neighbors {

/// Receives the nearest groups of query number q, ascending; Candidate::row is a group's first member.
/// Called once per query, from any worker.
using Take = std::function<void(Offset q, std::span<const Candidate> nearest)>;

/// The min(k, groups - 1) nearest other groups of each query (a group). Stops early, with queries left out, when
/// `watch` says so. With `probes` the search is approximate: of the leaves of near groups that the data are cut into
/// (up to 192 groups each), a block of queries meets only so many, nearest first; lists are complete and distances
/// exact all the same. Up to four columns are always searched exactly.
void search_groups(device::Cpu& cpu, const Space& space, const Duplicates& groups, const Census& census,
                   std::span<const Index> queries, Index k, std::optional<Index> probes, Watch& watch,
                   const Take& take);

/// Probes that keep the recall of 90 neighbours near 0.98 (docs/neighbors.md has the measurements).
Index probes_by_rule(Index rows);

}  // namespace dunlin::neighbors
