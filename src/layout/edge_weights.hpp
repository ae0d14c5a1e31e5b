// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/layout.hpp>

#include "device/cpu.hpp"

namespace dunlin::layout {

/// Normalized weights of edges; both vectors are empty if every weight is 1.
struct EdgeWeights {
    std::vector<float> values;   ///< strength of each entry of graph.targets, mean 1
    std::vector<float> lengths;  ///< ideal lengths, mean 1; empty: 1 each
};
EdgeWeights edge_weights(device::Cpu& cpu, const Graph& graph, Weights meaning);

}  // namespace dunlin::layout
