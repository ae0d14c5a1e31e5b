#pragma once

#include "graph/coarsen.hpp"
#include "layout/backend.hpp"

namespace dunlin::layout {

/// Up to so many vertices, the method stress looks at all pairs.
constexpr Index all_pairs_up_to = 12000;

/// Method stress: a connected graph, from its start or else its outline (outline.hpp), in the unit of the edges'
/// lengths.
Placed place_by_stress(device::Cpu& cpu, const Task& task, const Options& options, const Run& run);

/// The memory that it takes beside the graph's; 0 for other methods.
std::uint64_t bytes_of_stress(const Options& options, Index n);

}  // namespace dunlin::layout
