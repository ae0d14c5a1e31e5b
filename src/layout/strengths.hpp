#pragma once

#include <dunlin/layout.hpp>

#include "device/cpu.hpp"

namespace dunlin::layout {

/// How strongly each entry of graph.targets pulls, of mean 1: the weights, or one over them where they are lengths.
/// Empty: all pull by 1, and so say the graph's weights.
std::vector<float> strengths(device::Cpu& cpu, const Graph& graph, Weights meaning);

}  // namespace dunlin::layout
