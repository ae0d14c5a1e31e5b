#pragma once

#include <optional>

#include "neighbors/exact.hpp"

namespace dunlin::neighbors {

/// Inverted lists: the groups are clustered, and a query looks at those in the clusters nearest to it.
struct Inverted {
    Index lists = 1;   ///< clusters
    Index probes = 1;  ///< clusters looked at
};

/// What is taken for so many groups where the caller leaves it open (docs/neighbors.md has the measurements).
Inverted inverted_by_rule(Index groups, std::optional<Index> lists, std::optional<Index> probes);

/// As search_groups, but a neighbour in a cluster that was not looked at is missed; the lists are complete and the
/// distances exact. Euclidean, cosine and correlation.
void search_groups_inverted(device::Cpu& cpu, const Space& space, const Duplicates& groups, const Census& census,
                            std::span<const Index> queries, Index k, Inverted inverted, Watch& watch, const Take& take);

}  // namespace dunlin::neighbors
