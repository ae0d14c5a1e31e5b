// SPDX-License-Identifier: Apache-2.0
#include "placement/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <dunlin/error.hpp>

#include "graph/combine.hpp"
#include "pacmap/pairs.hpp"
#include "tsne/perplexity.hpp"
#include "umap/local_scale.hpp"
#include "umap/memberships.hpp"

namespace dunlin::placement {

namespace {

/// Gaussian by which a point of the map weighs a new row. If more nearest neighbors than the perplexity are at one
/// distance, the point's own Gaussian has no width. It is then as wide as copies are apart (pacmap::copy_share).
tsne::RowGaussian gaussian_of(const PointScale& row, double typical) {
    const double width = pacmap::copy_share * typical, excess = width * (width + 2 * static_cast<double>(row.second));
    const auto sharpest = excess > 0 ? static_cast<float>(1 / excess) : row.first;
    return {std::min(row.first, sharpest), row.second, row.reach, row.third};
}
umap::LocalScale local_scale_of(const PointScale& row) { return {row.first, row.second}; }

std::vector<PointScale> scales_by_perplexity(device::Cpu& cpu, const Graph& neighbors, float perplexity) {
    std::vector<PointScale> scales;
    scales.reserve(at(neighbors.size()));
    for (const tsne::RowGaussian& row : tsne::row_gaussians(cpu, neighbors, perplexity))
        scales.push_back({row.rate, row.least, row.most, row.log_sum});
    return scales;
}

float farthest(std::span<const float> distances) {
    const auto most = std::max_element(distances.begin(), distances.end());
    return most != distances.end() ? *most : std::numeric_limits<float>::infinity();
}

std::vector<PointScale> scales_by_connectivity(device::Cpu& cpu, const Graph& neighbors, float connectivity,
                                               double mean) {
    std::vector<PointScale> scales(at(neighbors.size()));
    cpu.each(
        neighbors.size(),
        [&](Offset i) {
            const auto distances = weights_of(neighbors, i);
            const auto scale =
                umap::local_scale(distances.data(), std::ssize(distances), connectivity, static_cast<float>(mean));
            scales[at(i)] = {scale.rho, scale.sigma, farthest(distances), 0};
        },
        256);
    return scales;
}

/// The near pairs of a list: calls take(entry, scaled distance) for up to k of them, in order of that distance.
template <class ScaleOf, class Take>
void each_near_pair(std::span<const Index> targets, std::span<const float> distances, Index k, const ScaleOf& scale_of,
                    const Take& take) {
    const auto key = [&](Offset e) {
        return pacmap::scaled_distance(distances[at(e)], static_cast<double>(scale_of(targets[at(e)])));
    };
    const Offset count = std::ssize(targets);
    for (Offset last = count, taken = 0; taken < std::min<Offset>(k, count); ++taken) {
        last = pacmap::next_in_order(count, key, last);
        take(last, key(last));
    }
}

/// second: the largest scaled distance of a near pair, without the point's own scale, which all its pairs share.
std::vector<PointScale> scales_of_pairs(device::Cpu& cpu, const Graph& neighbors, Index k) {
    std::vector<PointScale> scales(at(neighbors.size()));
    cpu.each(
        neighbors.size(),
        [&](Offset i) {
            const auto distances = weights_of(neighbors, i);
            scales[at(i)].first = static_cast<float>(pacmap::scale_of(distances.data(), std::ssize(distances)));
            scales[at(i)].reach = farthest(distances);
        },
        256);
    cpu.each(
        neighbors.size(),
        [&](Offset i) {
            each_near_pair(
                targets_of(neighbors, i), weights_of(neighbors, i), k, [&](Index j) { return scales[at(j)].first; },
                [&](Offset e, double key) {
                    // a new copy is one, even if it is farther than those of the map
                    const auto distances = weights_of(neighbors, i);
                    const double copy = pacmap::copy_radius(distances.data(), std::ssize(distances));
                    const auto of_pair = static_cast<double>(scales[at(targets_of(neighbors, i)[at(e)])].first);
                    const double least = pacmap::scaled_distance(static_cast<float>(copy), of_pair);
                    scales[at(i)].second = static_cast<float>(std::max(key, least));
                });
        },
        64);
    return scales;
}

/// Whether a list of the map has all other points, so that a new one would be in it whatever its distance.
bool is_complete(const Reference& reference, const Options& options) {
    return list_length(options) >= std::ssize(reference.rows) - 1;
}

Graph affinities_of_queries(device::Cpu& cpu, const Graph& lists, const Reference& reference, const Options& options) {
    Graph edges{lists.offsets, lists.targets, tsne::conditional_affinities(cpu, lists, *options.perplexity)};
    const bool joint = options.affinity == Affinity::joint, complete = is_complete(reference, options);
    const auto factor = static_cast<double>(options.exaggeration);
    cpu.each(edges.edges(), [&](Offset e) {
        const auto edge = at(e);
        const tsne::RowGaussian row = gaussian_of(reference.rows[at(edges.targets[edge])], reference.typical_reach);
        const auto distance = static_cast<double>(lists.weights[edge]),
                   there = static_cast<double>(edges.weights[edge]);
        const double reached = complete ? 1 : reached_share(distance, static_cast<double>(row.most));
        const double back = reached > 0 ? reached * row.of(distance) : 0;
        edges.weights[edge] = static_cast<float>(factor * (joint ? 0.5 * (there + back) : there));
    });
    return edges;
}

/// Removes the edges whose weight is negative.
void remove_marked(Graph& edges) {
    Offset kept = 0, begin = 0;
    for (Index q = 0; q < edges.size(); ++q) {
        const Offset end = edges.offsets[at(q) + 1];
        for (Offset e = begin; e < end; ++e) {
            if (edges.weights[at(e)] < 0) continue;
            edges.targets[at(kept)] = edges.targets[at(e)];
            edges.weights[at(kept)] = edges.weights[at(e)];
            ++kept;
        }
        begin = end;
        edges.offsets[at(q) + 1] = kept;
    }
    edges.targets.resize(at(kept));
    edges.weights.resize(at(kept));
}

Graph memberships_of_queries(device::Cpu& cpu, const Graph& lists, const Reference& reference, const Options& options) {
    Graph edges = lists;
    const bool joint = options.affinity == Affinity::joint, complete = is_complete(reference, options);
    const graph::FuzzyMix join{static_cast<double>(options.mix)};
    cpu.each(
        lists.size(),
        [&](Offset q) {
            const auto targets = targets_of(lists, q);
            const auto distances = weights_of(lists, q);
            const Offset own = std::min<Offset>(list_length(options), std::ssize(targets));
            const auto scale = umap::local_scale(distances.data(), own, options.local_connectivity,
                                                 static_cast<float>(reference.mean_distance), umap::Zeros::counted);
            for (Offset e = 0; e < std::ssize(targets); ++e) {
                const PointScale& row = reference.rows[at(targets[at(e)])];
                const float distance = distances[at(e)], there = e < own ? scale.membership(distance) : 0.0F;
                const double reached =
                    complete ? 1 : reached_share(static_cast<double>(distance), reach_of(row, reference.typical_reach));
                const float back =
                    joint ? static_cast<float>(reached) * local_scale_of(row).membership(distance) : 0.0F;
                float& weight = edges.weights[at(lists.offsets[at(q)] + e)];
                weight =
                    joint ? static_cast<float>(join(static_cast<double>(there), static_cast<double>(back))) : there;
                if (e >= own && back == 0) weight = -1;
            }
        },
        64);
    remove_marked(edges);
    return edges;
}

/// Scales and scaled distances are compared as floats, as a State has them.
Graph pairs_of_queries(device::Cpu& cpu, const Graph& lists, const Reference& reference, const Options& options) {
    Graph edges = lists;
    const bool joint = options.affinity == Affinity::joint, complete = *options.k >= std::ssize(reference.rows) - 1;
    cpu.each(
        lists.size(),
        [&](Offset q) {
            const auto targets = targets_of(lists, q);
            const auto distances = weights_of(lists, q);
            float* weights = edges.weights.data() + lists.offsets[at(q)];
            const auto scale = static_cast<float>(pacmap::scale_of(distances.data(), std::ssize(distances)));
            for (Offset e = 0; e < std::ssize(targets); ++e) {
                const PointScale& row = reference.rows[at(targets[at(e)])];
                const double key = pacmap::scaled_distance(distances[at(e)], static_cast<double>(scale));
                const auto one_more = static_cast<double>(static_cast<float>(key));
                const double reached = complete ? 1 : reached_share(one_more, static_cast<double>(row.second));
                weights[e] = joint && reached > 0 ? static_cast<float>(reached) : -1;
            }
            each_near_pair(
                targets, distances, *options.k, [&](Index j) { return reference.rows[at(j)].first; },
                [&](Offset e, double) { weights[e] = weights[e] > 0 ? weights[e] + 1 : 1; });
        },
        16);
    remove_marked(edges);
    return edges;
}

/// Share of the map's own points, each left out, that are far from the others.
double far_share(device::Cpu& cpu, const Graph& neighbors, const Reference& reference) {
    device::Cell<double> far;
    cpu.sum(
        neighbors.size(),
        [&](Offset i) {
            const double remoteness = remoteness_of(targets_of(neighbors, i), weights_of(neighbors, i), reference.rows,
                                                    reference.typical_reach);
            return remoteness > 1 ? 1.0 : 0.0;
        },
        far);
    return far.value / std::max<Index>(neighbors.size(), 1);
}

/// Throws Error{bad_input} if the inverse squares of the distances in lists may leave float32, as which they are kept.
void require_moderate(double typical) {
    constexpr double smallest = 1e-17, largest = 1e17;
    if (typical == 0 || (typical >= smallest && typical <= largest)) return;
    throw Error(Fault::bad_input, fmt::format("the distances to the farthest neighbors of the map's points are {:g} on "
                                              "average; placing by t-SNE needs {:g} to {:g}: multiply the points, old "
                                              "and new",
                                              typical, smallest, largest));
}

}  // namespace

Reference reference_of(device::Cpu& cpu, const Graph& neighbors, const Options& options) {
    Reference reference;
    if (options.method == Method::tsne) {
        reference.rows = scales_by_perplexity(cpu, neighbors, *options.perplexity);
    } else if (options.method == Method::umap) {
        reference.mean_distance = umap::mean_distance(cpu, neighbors);
        reference.rows = scales_by_connectivity(cpu, neighbors, options.local_connectivity, reference.mean_distance);
    } else {
        reference.rows = scales_of_pairs(cpu, neighbors, *options.k);
    }
    reference.typical_reach = typical_reach(reference.rows);
    if (options.method == Method::tsne) require_moderate(reference.typical_reach);
    reference.far_of_map = far_share(cpu, neighbors, reference);
    return reference;
}

Index list_length(const Options& options) {
    const Index k = *options.k;
    if (options.method == Method::umap) return std::max<Index>(k - 1, 1);  // the point itself is counted
    return options.method == Method::pacmap
               ? k + std::min(pacmap::more_neighbors, std::numeric_limits<Index>::max() - k)
               : k;
}

Index query_list_length(const Options& options) {
    const Index own = list_length(options);
    if (options.method != Method::umap || options.affinity == Affinity::own) return own;
    return own <= std::numeric_limits<Index>::max() / 3 ? 3 * own : own;
}

double typical_reach(std::span<const PointScale> rows) {
    double sum = 0;
    Offset count = 0;
    for (const PointScale& row : rows) {
        if (std::isfinite(row.reach)) sum += static_cast<double>(row.reach), ++count;
    }
    return count > 0 ? sum / static_cast<double>(count) : 0;
}

double remoteness_of(std::span<const Index> targets, std::span<const float> distances, std::span<const PointScale> rows,
                     double typical) {
    double least = targets.empty() ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t e = 0; e < targets.size(); ++e) {
        const auto distance = static_cast<double>(distances[e]);
        const double reach = reach_of(rows[at(targets[e])], typical);
        least = std::min(least, distance > 0 ? distance / reach : 0);
    }
    return least;
}

Graph edges_of_queries(device::Cpu& cpu, const Graph& lists, const Reference& reference, const Options& options) {
    if (options.method == Method::tsne) return affinities_of_queries(cpu, lists, reference, options);
    if (options.method == Method::umap) return memberships_of_queries(cpu, lists, reference, options);
    return pairs_of_queries(cpu, lists, reference, options);
}

}  // namespace dunlin::placement
