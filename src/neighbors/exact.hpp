#pragma once

#include <functional>

#include "neighbors/best.hpp"
#include "neighbors/effort.hpp"
#include "neighbors/frame.hpp"
#include "neighbors/watch.hpp"

namespace dunlin::neighbors {

/// Receives the nearest groups of query number q, ascending; Candidate::row is a group's first member.
/// Called once per query, from any worker.
using Take = std::function<void(Offset q, std::span<const Candidate> nearest)>;

/// The min(k, groups - 1) nearest other groups of each query (a group). Stops early, with queries left out, when
/// `watch` says so. Lists are complete and distances exact even if the search is not; up to four columns are always
/// searched exactly. Returns the leaves that a block of queries met, 0 if the search was exact.
Index search_groups(device::Cpu& cpu, const Space& space, const Duplicates& groups, const Census& census,
                    std::span<const Index> queries, Index k, Effort effort, Watch& watch, const Take& take);

}  // namespace dunlin::neighbors
