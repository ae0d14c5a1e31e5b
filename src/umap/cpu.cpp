// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "descent/cpu_descent.hpp"
#include "descent/pair_cost.hpp"
#include "math/at.hpp"
#include "umap/backend.hpp"
#include "umap/density.hpp"
#include "umap/objective.hpp"

namespace dunlin::umap {

namespace {

void scale_start(device::Cpu& cpu, DescentState<device::Cpu>& state) {
    draw_outliers_near(cpu, state);
    float largest = 0;
    for (const float value : state.y) largest = std::max(largest, std::abs(value));
    const auto size = static_cast<Offset>(state.y.size());
    cpu.each(size, Scale{state.y.data(), start_scale(largest)}, 1 << 16);
}

template <class Goal>
Descent descend_along(device::Cpu& cpu, MembershipEdges& edges, const Map& start, const Given& given,
                      const Options& options, const Run& run) {
    auto state = descent::descent_state_at(cpu, start.coordinates, start.dim);
    if (given.start == nullptr) scale_start(cpu, state);
    descent::hold_fixed(cpu, state, given.fixed);
    descent::Repeller<forces::Fuzzy> repeller(repulsion_of(options, run.seed), law_of(options));
    Goal objective(cpu, state, edges, options);
    Graph& memberships = edges;
    return descent::descend_on(cpu, state, memberships, repeller, objective, run, [&] {
        return descent::pair_cost(
            cpu, state, objective.law(), memberships, objective.mean_degree(), objective.law(), run.seed,
            [&](Index row, double potentials) { return static_cast<double>(objective.push()[at(row)]) * potentials; });
    });
}

}  // namespace

Descent descend_on_cpu(MembershipEdges edges, const Map& start, const Given& given, const Options& options,
                       const Run& run) {
    device::Cpu cpu(run);
    return edges.radii.empty() ? descend_along<Objective<device::Cpu>>(cpu, edges, start, given, options, run)
                               : descend_along<DensityObjective>(cpu, edges, start, given, options, run);
}

Descent descend_on_cpu(Graph memberships, const Map& start, const Given& given, const Options& options,
                       const Run& run) {
    return descend_on_cpu(MembershipEdges{{std::move(memberships)}, {}}, start, given, options, run);
}

}  // namespace dunlin::umap
