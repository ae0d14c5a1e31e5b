// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/layout.hpp>

#include "layout/drawing.hpp"

/// What runs on one kind of device or the other. Options are resolved and what is given is checked.
namespace dunlin::layout {

/// A graph to be placed, in ideal edge lengths, weights as strengths of mean 1.
struct LayoutInput {
    const Graph* graph;
    std::span<const float> lengths;        ///< of its edges; empty: 1 each
    const Map* start;                      ///< where the vertices begin; null: with the graph's outline (initial_layout.hpp)
    std::span<const std::uint8_t> pinned;  ///< one a vertex
    std::span<const float> radii = {};     ///< of vertices that are not to overlap; empty: they may
};

struct LayoutOutput {
    Map map;
    Termination ending;
    double kinetic_energy = 0;
    int threads = 1;
    double cost = 0;
    bool by_parts = false;  ///< components were placed by the defaults of their own sizes
};

LayoutOutput place_on_cpu(const LayoutInput& task, const Options& options, const Run& run);
LayoutOutput place_on_cuda(const LayoutInput& task, const Options& options, const Run& run);

/// libdunlin_cuda's own function, which place_on_cuda calls (backend/table.hpp).
namespace backend {
decltype(layout::place_on_cuda) place_on_cuda;
}  // namespace backend

}  // namespace dunlin::layout
