// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "progress/progress.hpp"
#include "reliability/curvature.hpp"

namespace dunlin::reliability {

/// Points of a map, each left out and placed again: query q is point points[q / variants].
struct LeftOutTask {
    const Map& map;
    const MapField& field;
    std::span<const Index> points;
    Offset variants = 1;  ///< queries of each point
    const Graph& edges;   ///< scale * weights: n times the affinities of a point, or those of a query
    double scale = 1;
    const Graph& nearest;   ///< of a point or a query: neighbors whose positions are starts, nearest first
    bool by_point = false;  ///< the rows of edges and nearest are those of points, else of queries
    int starts = 4;         ///< besides the point's own position
    double separation = 1;  ///< minima nearer to each other count as one

    [[nodiscard]] Offset queries() const { return std::ssize(points) * variants; }
    [[nodiscard]] Index point(Offset query) const { return points[static_cast<std::size_t>(query / variants)]; }
    [[nodiscard]] Offset row(Offset query) const { return by_point ? Offset{point(query)} : query; }
};

/// Minima that were found for each query.
struct Minima {
    std::vector<double> moved;  ///< distance of the point from its lowest minimum, in map units
    std::vector<double> gap;    ///< how much higher the next minimum is

    explicit Minima(Offset queries)
        : moved(static_cast<std::size_t>(queries)), gap(static_cast<std::size_t>(queries)) {}
};

/// Minimizes the loss of each query's point from its own position and from the starts of placement. Ticks the reporter,
/// unless null, once per query.
Minima minima_on_cpu(device::Cpu& cpu, const LeftOutTask& task, progress::ProgressReporter* reporter);
Minima minima_on_cuda(const LeftOutTask& task, const Run& run, progress::ProgressReporter* reporter);
Minima minima_of(const Where& where, const LeftOutTask& task, progress::ProgressReporter* reporter);

/// The implementation in libdunlin_cuda (backend/table.hpp).
namespace backend {
decltype(reliability::minima_on_cuda) minima_on_cuda;
}  // namespace backend

}  // namespace dunlin::reliability
