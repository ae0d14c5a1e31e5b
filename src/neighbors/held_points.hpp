// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <dunlin/neighbors.hpp>

#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// Points among which several sets of queries are searched. What follows from the points alone is computed once, and on
/// a GPU they are copied once.
struct HeldPoints {
    MatrixView<const float> rows;  ///< the caller's
    ValueStatistics statistics;
    std::shared_ptr<const void> on_gpu;  ///< a copy in the memory of run.gpu(), if the points are searched there and
                                         ///< take at most half of what it allows
};

/// `where`: the device of the searches.
HeldPoints hold(device::Cpu& cpu, MatrixView<const float> points, Device where, const Run& run);

/// search(points.rows, queries, options, run), on the device and the GPU of hold().
Result search(const HeldPoints& points, MatrixView<const float> queries, const Options& options, const Run& run);

}  // namespace dunlin::neighbors
