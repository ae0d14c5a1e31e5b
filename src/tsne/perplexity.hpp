// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/tsne.hpp>
#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "tsne/bandwidth.hpp"

namespace dunlin::tsne {

/// p_j|i = exp(-beta_i d_ij^2) / sum over the row's neighbors, where beta_i makes the entropy of the row
/// log(perplexity) (van der Maaten and Hinton 2008, eq. 1). If no beta does (more equal nearest distances than the
/// perplexity, or all equal), the row is the limit: uniform over the nearest. Returns one weight per edge of
/// `neighbors`; every row sums to 1.
std::vector<float> conditional_affinities(device::Cpu& cpu, const Graph& neighbors, float perplexity);

/// The Gaussian of each row of `neighbors`, the lists of all points.
std::vector<RowGaussian> row_gaussians(device::Cpu& cpu, const Graph& neighbors, float perplexity);

/// Throws Error{bad_input} unless 1 <= perplexity <= max(1, min_degree), the least number of neighbors of a point;
/// `point`: one that has this number, for the message.
void require_perplexity(float perplexity, Offset min_degree, Index point);

/// tsne::affinities without the check of neighbors::require_distances.
Graph affinities_of_distances(device::Cpu& cpu, const Graph& neighbors, float perplexity);

/// The edges of the descent; perplexity is resolved.
inline Graph edges_of(device::Cpu& cpu, const Graph& neighbors, const auto& /*points*/, const Given&,
                      const Options& options, const Run&) {
    return affinities_of_distances(cpu, neighbors, *options.perplexity);
}

}  // namespace dunlin::tsne
