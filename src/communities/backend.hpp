// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/communities.hpp>

#include "communities/input.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::communities {

/// optimize() of optimize.hpp on a GPU, with the same bytes. Sets the seconds of the stage "graph", which `watch` has
/// measured since its begin.
void optimize_on_cuda(const UndirectedGraph& graph, std::vector<Index> from, const Run& run, progress::Stopwatch& watch,
                      Result& result);

/// The implementation in libdunlin_cuda (backend/table.hpp).
namespace backend {
decltype(communities::optimize_on_cuda) optimize_on_cuda;
}  // namespace backend

}  // namespace dunlin::communities
