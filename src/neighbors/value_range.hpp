// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// Throws Error{bad_input} with a row if a distance or inner product may overflow float32, by the norms of the rows
/// (manhattan: sums of magnitudes). Reads the points only if the statistics leave it open.
void require_range(device::Cpu& cpu, MatrixView<const float> points, Metric metric, const ValueStatistics& statistics);

/// The same by the norms of the rows (manhattan: sums of magnitudes).
void require_range(std::vector<double> sizes, Metric metric);

/// The same for the pairs of a query and a point; also throws for NaN or infinity in a query. Reads the queries.
void require_range_of_queries(device::Cpu& cpu, MatrixView<const float> points, MatrixView<const float> queries,
                              Metric metric, const ValueStatistics& statistics);

/// The same for sparse rows. Throws Error{bad_input} also for NaN and infinity.
void require_range(device::Cpu& cpu, const SparseView& points, Metric metric);

}  // namespace dunlin::neighbors
