// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/edges.hpp>
#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::graph {

/// An edge of an edge list, in its listed direction.
struct Edge {
    Index source = 0, target = 0;
};

/// The undirected simple graph of an edge list: each edge in both directions, targets ascending in each row. Parallel
/// edges of either direction become one edge, with the weight that `repeated` says. `weights`: one per edge; empty: 1
/// each.
SimpleGraph simplify(device::Cpu& cpu, Index vertices, std::span<const Edge> edges, std::span<const float> weights,
                     Repeated repeated = Repeated::largest);

}  // namespace dunlin::graph
