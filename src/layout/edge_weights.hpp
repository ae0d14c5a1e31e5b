// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/layout.hpp>

#include "device/cpu.hpp"

namespace dunlin::layout {

/// What edges are to the methods; both empty: every weight is 1, as the graph says.
struct EdgeWeights {
    std::vector<float> values;   ///< how strongly each entry of graph.targets pulls, of mean 1
    std::vector<float> lengths;  ///< how long it should be, of mean 1; empty: 1 each
};
EdgeWeights edge_weights(device::Cpu& cpu, const Graph& graph, Weights meaning);

}  // namespace dunlin::layout
