// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// Throws Error{bad_input} with a row if a distance or inner product may overflow float32, by the norms of the rows
/// (manhattan: sums of magnitudes). Reads the points only if the statistics leave it open.
void require_range(device::Cpu& cpu, MatrixView<const float> points, Metric metric, const ValueStatistics& statistics);

/// require_range() for given norms of the rows (manhattan: sums of magnitudes).
void require_range(std::vector<double> sizes, Metric metric);

/// require_range() for the pairs of a query and a point. Reads all queries. Also throws if a query has NaN or infinity.
void require_range_of_queries(device::Cpu& cpu, MatrixView<const float> points, MatrixView<const float> queries,
                              Metric metric, const ValueStatistics& statistics);

/// require_range() for sparse rows. Also throws Error{bad_input} for NaN and infinity.
void require_range(device::Cpu& cpu, const SparseView& points, Metric metric);

}  // namespace dunlin::neighbors
