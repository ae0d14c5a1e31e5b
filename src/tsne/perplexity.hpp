// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::tsne {

/// Turns the distances of a kNN graph into p_j|i = exp(-beta_i d_ij^2) / sum over the row's neighbors, where beta_i
/// makes the row's entropy log(perplexity) (van der Maaten and Hinton 2008, eq. 1). Where no beta does (more equal
/// nearest distances than the perplexity, or all equal), the row is the limit: uniform over the nearest.
/// Returns one weight per edge of `neighbors`; every row sums to 1.
std::vector<float> conditional_affinities(device::Cpu& cpu, const Graph& neighbors, float perplexity);

/// Throws Error{bad_input} unless the perplexity is in 1 to the least number of neighbors of any point, or 1 where
/// that is 0; `point` has that number.
void require_perplexity(float perplexity, Offset least_degree, Index point);

/// Throws Error{bad_input} with the row unless all rows are lists of distances to other points: finite, none negative,
/// no point its own neighbor or twice one, in any order, but not falling in every row, as similarities do.
void require_distances(device::Cpu& cpu, const Graph& neighbors);

/// tsne::affinities of lists that are known to be of distances.
Graph affinities_of_distances(device::Cpu& cpu, const Graph& neighbors, float perplexity);

}  // namespace dunlin::tsne
