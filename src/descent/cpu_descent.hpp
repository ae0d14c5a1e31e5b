// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "descent/descend.hpp"
#include "descent/reorder.hpp"
#include "descent/repeller.hpp"
#include "descent/result.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::descent {

/// Descends on a CPU, then computes the cost of the map: cost() sees the points in the order of the state.
template <class Edges, class Law, class Objective, class Cost>
Descent descend_on(device::Cpu& cpu, DescentState<device::Cpu>& state, Edges& edges, Repeller<Law>& repeller,
                   Objective& objective, const Run& run, const Cost& cost) {
    Descent descent;
    descent.threads = cpu.threads();
    descent.status = descend(cpu, state, edges, repeller, objective, run);
    require_inside(state.y, descent.status.iterations);
    const bool scored = progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "score", 1);
        descent.cost = cost();
    });
    if (!scored) descent.cost = no_cost;
    descent.map = {state.map_dim, map_coordinates(cpu, state)};
    return descent;
}

}  // namespace dunlin::descent
