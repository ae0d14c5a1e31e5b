// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <dunlin/tsne.hpp>
#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "tsne/bandwidth.hpp"

namespace dunlin::tsne {

/// How the distances of a row become its affinities; resolved.
struct RowRule {
    AffinityKind kind = AffinityKind::gaussian;
    std::vector<float> perplexities;  ///< at most most_perplexities; unless uniform at least one

    RowRule(float perplexity) : perplexities{perplexity} {}
    RowRule(AffinityKind of, std::vector<float> all) : kind(of), perplexities(std::move(all)) {}
    [[nodiscard]] float largest() const { return *std::max_element(perplexities.begin(), perplexities.end()); }
};

/// 30, or a third of the neighbors that a point has; at least 1.
float default_perplexity(Offset neighbors);

/// The rule of rows by resolved options.
RowRule rule_of(const Options& options);

/// p_j|i = exp(-beta_i d_ij^2) / sum over the row's neighbors, where beta_i makes the entropy of the row
/// log(perplexity) (van der Maaten and Hinton 2008, eq. 1); of several perplexities a sum of these Gaussians
/// (GaussianSum). If no beta does (more equal nearest distances than the perplexity, or all equal), the row is the
/// limit: uniform over the nearest. Returns one weight per edge of `neighbors`; every row sums to 1.
std::vector<float> conditional_affinities(device::Cpu& cpu, const Graph& neighbors, const RowRule& rule);

/// The Gaussian of each row of `neighbors`, the lists of all points.
std::vector<RowGaussian> row_gaussians(device::Cpu& cpu, const Graph& neighbors, float perplexity);

/// Throws Error{bad_input} unless 1 <= perplexity <= max(1, min_degree), the least number of neighbors of a point;
/// `point`: one that has this number, for the message.
void require_perplexity(float perplexity, Offset min_degree, Index point);

/// tsne::affinities without the checks of neighbors::require_distances and require_weights.
Graph affinities_of_distances(device::Cpu& cpu, const Graph& neighbors, const RowRule& rule,
                              std::span<const float> point_weights = {});

/// Throws Error{bad_input} unless the weights are one finite number above 0 per point, or none.
void require_weights(std::span<const float> point_weights, Index points);

/// n over the sum of the weights: the factor that makes their mean 1.
double unit_of(std::span<const float> point_weights);

/// The edges of the descent; options are resolved. Given affinities are joint ones.
inline Graph edges_of(device::Cpu& cpu, const Graph& graph, const auto& /*points*/, const Given& given,
                      const Options& options, const Run&) {
    if (given.affinities != nullptr) return graph;
    return affinities_of_distances(cpu, graph, rule_of(options), given.point_weights);
}

}  // namespace dunlin::tsne
