// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/layout.hpp>

#include "layout/drawing.hpp"
#include "layout/units.hpp"
#include "run/ending.hpp"

/// Interface between the public functions and a device's implementation. Options are resolved and inputs are checked.
namespace dunlin::layout {

/// A graph to place: ideal edge lengths, weights as strengths of mean 1.
struct LayoutInput {
    const Graph* graph;
    std::span<const float> lengths;        ///< ideal lengths of its edges; empty: 1 each
    const Map* start;                      ///< initial positions; null: the initial layout (initial_layout.hpp)
    std::span<const std::uint8_t> pinned;  ///< per vertex
    std::span<const float> radii = {};     ///< radii of vertices that must not overlap; empty: overlaps are allowed
    std::span<const float> masses = {};    ///< of the vertices, for forceatlas2; empty: 1 + degree
    Units units = {};                      ///< of the maps that are seen, and of acts
};

struct LayoutOutput {
    Map map;
    run::Ending ending;
    double kinetic_energy = 0;
    int threads = 1;
    double cost = 0;
    double component_scale = 1;              ///< of all components but the largest
    bool by_components = false;              ///< components were placed with the defaults of their own sizes
    std::vector<std::uint8_t> steered = {};  ///< 1: vertices that acts pinned, moved or freed; empty: none
};

LayoutOutput place_on_cpu(const LayoutInput& task, const Options& options, const Run& run);
LayoutOutput place_on_cuda(const LayoutInput& task, const Options& options, const Run& run);

/// Implementation in libdunlin_cuda, reached through backend/table.hpp.
namespace backend {
decltype(layout::place_on_cuda) place_on_cuda;
}  // namespace backend

}  // namespace dunlin::layout
