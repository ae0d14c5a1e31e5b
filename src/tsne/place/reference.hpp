// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <dunlin/transform.hpp>

#include "device/cpu.hpp"
#include "math/at.hpp"
#include "tsne/bandwidth.hpp"

namespace dunlin::tsne {

inline std::span<const Index> targets_of(const Graph& graph, Offset row) {
    const Offset begin = graph.offsets[at(row)];
    return {graph.targets.data() + begin, at(graph.offsets[at(row) + 1] - begin)};
}
inline std::span<const float> weights_of(const Graph& graph, Offset row) {
    const Offset begin = graph.offsets[at(row)];
    return {graph.weights.data() + begin, at(graph.offsets[at(row) + 1] - begin)};
}

/// What placing needs to know of the data of a map besides the points: for every point its Gaussian over its k nearest.
struct Reference {
    std::vector<RowGaussian> rows;
    double far_of_map = 0;  ///< PlaceState::far_of_map
};
Reference reference_of(device::Cpu& cpu, const Graph& neighbors, float perplexity);

/// Least ratio of distance and reach over a list of neighbors; 0 if it is empty.
double remoteness_of(std::span<const Index> targets, std::span<const float> distances,
                     std::span<const RowGaussian> rows);

/// p_j of options.affinity, times options.exaggeration, for each edge of `queries`, lists of distances to the map's
/// points. p_x|j is 0 for points whose list would not have x, unless all lists are complete.
std::vector<float> affinities_of_queries(device::Cpu& cpu, const Graph& queries, std::span<const RowGaussian> rows,
                                         const PlaceOptions& options);

}  // namespace dunlin::tsne
