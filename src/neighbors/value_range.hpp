// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// Throws Error{bad_input} with a row if a distance or inner product may overflow float32, by the norms of the rows
/// (manhattan: sums of magnitudes). Reads the points only if the statistics leave it open.
void require_range(device::Cpu& cpu, MatrixView<const float> points, Metric metric, const ValueStatistics& statistics);

/// The same for sparse rows. Throws Error{bad_input} also for NaN and infinity.
void require_range(device::Cpu& cpu, const SparseView& points, Metric metric);

}  // namespace dunlin::neighbors
