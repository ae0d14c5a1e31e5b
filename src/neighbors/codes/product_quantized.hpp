// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/search_distinct.hpp"

namespace dunlin::neighbors {

/// The nearest groups of each group, of which rows have lists of k, by an inverted file of codes: groups are
/// cut into cells by k-means and kept as codes (codes.hpp); the queries of a cell meet the codes of the cells nearest
/// to it together, and the parameters.rerank * k nearest of these are ranked by their keys. Rows are read from the
/// points where they lie. Without a number of cells as many are met as are found to hold parameters.recall, more if
/// what is measured afterwards is less. Throws Error{bad_input} if that is beyond what codes can find.
SearchOutcome search_product_quantized(device::Cpu& cpu, const distance::Space& space, const DistinctRows& groups,
                                       Index k, const SearchParameters& parameters, const Run& run,
                                       SearchProgress& progress, const ResultCallback& take);

/// Bytes beside points and graph.
std::uint64_t product_quantized_bytes(MatrixView<const float> points, Index k, const SearchParameters& parameters,
                                      int threads);

}  // namespace dunlin::neighbors
