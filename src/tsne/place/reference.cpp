// SPDX-License-Identifier: Apache-2.0
#include "tsne/place/reference.hpp"

#include <algorithm>
#include <limits>

#include "tsne/perplexity.hpp"

namespace dunlin::tsne {

Reference reference_of(device::Cpu& cpu, const Graph& neighbors, float perplexity) {
    Reference reference{row_gaussians(cpu, neighbors, perplexity), 0};
    device::Cell<double> far;
    cpu.sum(
        neighbors.size(),
        [&](Offset i) {
            return remoteness_of(targets_of(neighbors, i), weights_of(neighbors, i), reference.rows) > 1 ? 1.0 : 0.0;
        },
        far);
    reference.far_of_map = far.value / std::max<Index>(neighbors.size(), 1);
    return reference;
}

double remoteness_of(std::span<const Index> targets, std::span<const float> distances,
                     std::span<const RowGaussian> rows) {
    double least = targets.empty() ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t e = 0; e < targets.size(); ++e) {
        const auto distance = static_cast<double>(distances[e]);
        const auto reach = static_cast<double>(rows[at(targets[e])].most);
        least = std::min(least, distance > 0 ? distance / reach : 0);
    }
    return least;
}

std::vector<float> affinities_of_queries(device::Cpu& cpu, const Graph& queries, std::span<const RowGaussian> rows,
                                         const PlaceOptions& options) {
    std::vector<float> p = conditional_affinities(cpu, queries, *options.perplexity);
    const bool joint = options.affinity == Affinity::joint, truncated = *options.k < std::ssize(rows) - 1;
    const auto factor = static_cast<double>(options.exaggeration);
    cpu.each(queries.edges(), [&](Offset e) {
        const auto edge = at(e);
        const RowGaussian& row = rows[at(queries.targets[edge])];
        const auto distance = static_cast<double>(queries.weights[edge]), there = static_cast<double>(p[edge]);
        const double back = truncated && !row.reaches(distance) ? 0 : row.of(distance);
        p[edge] = static_cast<float>(factor * (joint ? 0.5 * (there + back) : there));
    });
    return p;
}

}  // namespace dunlin::tsne
