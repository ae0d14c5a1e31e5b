// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "descent/cpu_descent.hpp"
#include "descent/pair_cost.hpp"
#include "graph/relabel.hpp"
#include "pacmap/backend.hpp"
#include "pacmap/objective.hpp"

namespace dunlin::pacmap {

void reorder(device::Cpu& cpu, DescentState<device::Cpu>& state, Pairs<Graph>& pairs) {
    if (state.n == 0) return;
    const std::vector<Index> order = descent::reorder_points(cpu, state);
    pairs.near = graph::relabel(cpu, pairs.near, order);
    pairs.mid = graph::relabel(cpu, pairs.mid, order);
}

void renumber(device::Cpu& cpu, const DescentState<device::Cpu>& state, Pairs<Graph>& pairs) {
    descent::renumber(cpu, state, pairs.near);
    descent::renumber(cpu, state, pairs.mid);
}

Descent descend_on_cpu(Pairs<Graph> pairs, const Map& start, const Given& given, const Options& options,
                       const Run& run) {
    device::Cpu cpu(run);
    auto state = descent::descent_state_at(cpu, start.coordinates, start.dim);
    descent::hold_fixed(cpu, state, given.fixed);
    descent::Repeller<forces::FurtherPairs> repeller(repulsion_of(options, run.seed));
    Objective<device::Cpu> objective(cpu, state, options);
    return descent::descend_on(cpu, state, pairs, repeller, objective, run, [&] {
        // The graph has each near pair in both directions
        return descent::pair_cost(cpu, state, near_loss, pairs.near, 2, forces::FurtherPairs(), run.seed,
                                  [&](Index, double potentials) { return further_loss(options, state.n, potentials); });
    });
}

}  // namespace dunlin::pacmap
