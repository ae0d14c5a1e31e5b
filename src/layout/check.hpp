#pragma once

#include <dunlin/layout.hpp>

#include "device/cpu.hpp"

namespace dunlin::layout {

/// Throws Error{bad_input}, naming the edge, unless the graph is as place() wants it.
void check_graph(device::Cpu& cpu, const Graph& graph);

/// Throws Error{bad_input} unless what is given fits a graph of n vertices.
void check_given(const Given& given, Index n);

}  // namespace dunlin::layout
