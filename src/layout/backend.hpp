#pragma once

#include <dunlin/layout.hpp>

#include "layout/drawing.hpp"
#include "layout/ladder.hpp"

/// What runs on one kind of device or the other. Options are resolved and what is given is checked.
namespace dunlin::layout {

/// A graph to be placed, in ideal edge lengths, weights as strengths of mean 1.
struct Task {
    const Graph* graph;
    Map start;                             ///< where the vertices begin
    bool start_is_given;                   ///< by the caller, whose map keeps its size
    std::span<const std::uint8_t> pinned;  ///< one a vertex
};

struct Placed {
    Map map;
    Ending ending;
    double kinetic_energy = 0;
    int threads = 1;
    double cost = 0;
};

Placed place_on_cpu(const Task& task, const Options& options, const Run& run);
Placed place_on_cuda(const Task& task, const Options& options, const Run& run);

/// As ladder_of (ladder.hpp); levels are made on the GPU and come back.
Ladder ladder_on_cuda(const graph::Level& finest, const Run& run);

}  // namespace dunlin::layout
