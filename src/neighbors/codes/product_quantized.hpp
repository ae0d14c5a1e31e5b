// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/search_distinct.hpp"

namespace dunlin::neighbors {

/// The nearest groups of each group, of which rows have lists of k, by an inverted file of codes: groups are
/// cut into cells by k-means and kept as codes (codes.hpp); the queries of a cell meet the codes of the cells nearest
/// to it together, and the effort.rerank * k nearest of these are ranked by their keys. Rows are read from the points
/// where they lie. Without a number of cells as many are met as are found
/// to hold effort.recall, more if what is measured afterwards is less. Throws Error{bad_input} if that is beyond what
/// codes can find.
Outcome search_coded(device::Cpu& cpu, const distance::Space& space, const Duplicates& groups, Index k,
                     const Effort& effort, const Run& run, SearchProgress& progress, const Take& take);

/// Bytes beside points and graph.
std::uint64_t coded_bytes(MatrixView<const float> points, Index k, const Effort& effort, int threads);

}  // namespace dunlin::neighbors
