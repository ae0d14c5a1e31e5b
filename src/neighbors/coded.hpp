#pragma once

#include "neighbors/exact.hpp"
#include "neighbors/recall.hpp"

namespace dunlin::neighbors {

/// How a search by codes went: cells that a query met, and the share of the neighbours it found (measured on items that
/// took no part in choosing how many cells).
struct Coded {
    Index probes = 0;
    Recall recall = {};
};

/// The nearest groups of each group, for each of which `take` is called once, by an inverted file of codes: groups are
/// cut into cells by k-means and kept as codes (codes.hpp); the queries of a cell meet the codes of the cells nearest
/// to it together, and the effort.rerank * k nearest of these are ranked by their keys. Rows are read from the points
/// where they lie. Throws Error{bad_input} if a recall is asked for that is beyond what codes can find.
Coded search_coded(device::Cpu& cpu, const Space& space, const Duplicates& groups, Index k, const Effort& effort,
                   const Run& run, Watch& watch, const Take& take);

/// Bytes beside points and graph.
std::uint64_t coded_bytes(MatrixView<const float> points, Index k, const Effort& effort, int threads);

}  // namespace dunlin::neighbors
