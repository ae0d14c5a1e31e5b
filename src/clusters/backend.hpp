// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/clusters.hpp>

#include "hierarchy/merge_tree.hpp"
#include "spanning/point_tree.hpp"

namespace dunlin::clusters {

/// Core distances, spanning tree, linkage and condensed tree of all pairs of at least two points in 1 to 4 columns, on
/// a GPU: fills the result as the CPU does (finish.hpp), and its seconds. source: of the points, whose coordinates it
/// does not change. Returns true if the result has its tree; else weights were infinite, and `edges` are those of the
/// spanning tree.
bool span_on_cuda(MatrixView<const float> points, const spanning::PointSource& source, double scale, const Run& run,
                  Result& result, std::vector<hierarchy::Edge>& edges);

/// The implementation in libdunlin_cuda (backend/table.hpp).
namespace backend {
decltype(clusters::span_on_cuda) span_on_cuda;
}  // namespace backend

}  // namespace dunlin::clusters
