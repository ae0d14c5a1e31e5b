// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// Throws Error{bad_input} with a row if what two rows are apart, or their product, may lie beyond float32: by their
/// lengths (manhattan: sums of magnitudes). The points are looked at again only where the statistics leaves it open.
void require_range(device::Cpu& cpu, MatrixView<const float> points, Metric metric, const ValueStatistics& statistics);

}  // namespace dunlin::neighbors
