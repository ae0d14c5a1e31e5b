// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/clusters.hpp>

#include "clusters/source.hpp"
#include "hierarchy/merge_tree.hpp"

namespace dunlin::clusters {

/// Throws Error{bad_input} for options out of range and min_samples above the number of points; sets min_samples.
Options resolve(Index points, Options options);

/// Edges of the points that take part, weights are distances, to linkage, tree, labels, strengths and scores of all
/// points. result.core: of the points that take part; becomes that of all.
void finish(device::Cpu& cpu, std::vector<hierarchy::Edge> edges, const FiniteRows& finite, Result& result);

/// The same from result.tree, without persistence and layers, and result.linkage.
void finish_condensed(device::Cpu& cpu, const FiniteRows& finite, Result& result);

/// Bytes of that, of the result and of the edges.
std::uint64_t finish_bytes(Index points, Offset edges);

}  // namespace dunlin::clusters
