// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/run.hpp>

#include "hierarchy/merge_tree.hpp"
#include "neighbors/search_parameters.hpp"
#include "spanning/point_tree.hpp"

namespace dunlin::spanning {

/// Keys of core distances, per point, and a spanning tree of the points with keys as weights.
struct PointsSpanned {
    std::vector<double> core;
    std::vector<hierarchy::Edge> edges;
    double seconds = 0;  ///< of the search for neighbors
};

/// The spanning tree of rows with many columns, whose bounds are those of the filtered search for neighbors: equal rows
/// are one item. source: the rows under the metric. search.exact: a minimum spanning tree of all pairs; else one of
/// lists of neighbors, whose components are joined by their least pairs.
PointsSpanned span_items(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric,
                         const PointSource& source, Index k, double scale, const neighbors::SearchParameters& search,
                         const Run& run);

/// Upper bound of its memory.
std::uint64_t span_items_bytes(device::Cpu& cpu, MatrixView<const float> points, neighbors::Metric metric, Index k,
                               const neighbors::SearchParameters& search);

}  // namespace dunlin::spanning
