// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <vector>

#include <dunlin/transform.hpp>

#include "device/cpu.hpp"
#include "math/at.hpp"
#include "pacmap/pairs.hpp"

namespace dunlin::placement {

inline std::span<const Index> targets_of(const Graph& graph, Offset row) {
    const Offset begin = graph.offsets[at(row)];
    return {graph.targets.data() + begin, at(graph.offsets[at(row) + 1] - begin)};
}
inline std::span<const float> weights_of(const Graph& graph, Offset row) {
    const Offset begin = graph.offsets[at(row)];
    return {graph.weights.data() + begin, at(graph.offsets[at(row) + 1] - begin)};
}

/// How a point of the map weighs one more neighbor: a row of State::scales.
struct PointScale {
    float first = 0, second = 0;
    float reach = std::numeric_limits<float>::infinity();  ///< distance of the farthest neighbor; infinity: no list
    float third = 0;
};

/// Data that placing needs besides the points of a map.
struct Reference {
    std::vector<PointScale> rows;
    double mean_distance = 0;  ///< State::mean_distance
    double far_of_map = 0;     ///< State::far_of_map
    double typical_reach = 0;  ///< typical_reach(rows)
};
/// neighbors: the lists of all points of the map.
Reference reference_of(device::Cpu& cpu, const Graph& neighbors, const Options& options);

/// Length of the list of a point of the map, and of a new point. Unless affinity is own, the list of a new point also
/// has points that may count it among their neighbors although it does not count them. Options are resolved.
Index list_length(const Options& options);
Index query_list_length(const Options& options);

/// Mean reach of the rows that have a list.
double typical_reach(std::span<const PointScale> rows);

/// How far a point of the map counts others among its neighbors. One whose list has copies of it alone (pacmap::
/// copy_share) has an unknown reach beyond them: the typical one.
inline double reach_of(const PointScale& row, double typical) {
    const auto reach = static_cast<double>(row.reach);
    return reach > pacmap::copy_share * typical ? reach : typical;
}

/// Share of a neighbor at this distance that a point with this reach counts: 1 within it, and none a thousandth
/// beyond it. Between them it falls in a line: else the place of a row at the end of many lists, as beside copies,
/// would jump by a step of rounding.
inline double reached_share(double distance, double reach) {
    constexpr double border = 1e-3;
    if (distance <= reach) return 1;
    const double beyond = (distance - reach) / (border * reach);
    return beyond < 1 ? 1 - beyond : 0;
}

/// Least ratio of distance and reach over a list of neighbors; 0 if it is empty.
double remoteness_of(std::span<const Index> targets, std::span<const float> distances, std::span<const PointScale> rows,
                     double typical);

/// The edges of new points: `lists`, nearest first, with the weights of options.affinity, joint or own, in place of
/// distances (those of t-SNE times options.exaggeration). A point of the map weighs a new one that is beyond its reach
/// by 0, unless the lists have all points.
Graph edges_of_queries(device::Cpu& cpu, const Graph& lists, const Reference& reference, const Options& options);

}  // namespace dunlin::placement
