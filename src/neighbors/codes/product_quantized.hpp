// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/search_distinct.hpp"

namespace dunlin::neighbors {

/// Approximate nearest items of each query (search_distinct), by an inverted file with product quantization (IVFADC;
/// Jegou, Douze and Schmid 2011). Items are partitioned into cells by k-means and stored as codes. The queries of a
/// cell scan the codes of the nearest cells together, and the parameters.rerank * k nearest by codes are ranked by
/// their exact keys; their rows are read from the points in place. Queries far outside all cells are searched by all
/// pairs. k: length of the rows' lists. Without parameters.probes the number of cells is calibrated for
/// parameters.recall, and raised if the measured recall is less. Throws Error{bad_input} if codes cannot reach that
/// recall.
SearchOutcome search_product_quantized(device::Cpu& cpu, const distance::Space& space, const DistinctRows& groups,
                                       std::span<const Index> queries, Index k, const SearchParameters& parameters,
                                       const Run& run, SearchProgress& progress, const ResultCallback& take);

/// Upper bound of the memory used besides points, queries and graph, in bytes. queries: number of queries, if they are
/// not the points.
std::uint64_t product_quantized_bytes(MatrixView<const float> points, Index queries, Index k,
                                      const SearchParameters& parameters, int threads);

}  // namespace dunlin::neighbors
