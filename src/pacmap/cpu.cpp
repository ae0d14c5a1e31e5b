// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "descent/pair_cost.hpp"
#include "descent/reorder.hpp"
#include "descent/repeller.hpp"
#include "descent/stages.hpp"
#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "graph/relabel.hpp"
#include "pacmap/backend.hpp"
#include "pacmap/objective.hpp"
#include "pacmap/resolve.hpp"

namespace dunlin::pacmap {

void reorder(device::Cpu& cpu, DescentState<device::Cpu>& state, Pairs<Graph>& pairs) {
    if (state.n == 0) return;
    const std::vector<Index> order = descent::reorder_points(cpu, state);
    pairs.near = graph::relabel(cpu, pairs.near, order);
    pairs.mid = graph::relabel(cpu, pairs.mid, order);
}

namespace {

/// Of the map that `state` holds; pairs in its order. The graph has each near pair in both directions.
scores::Score loss_of(device::Cpu& cpu, DescentState<device::Cpu>& state, const Pairs<Graph>& pairs,
                      const Options& options, const Run& run) {
    forces::attract_cost(cpu, near_loss, pairs.near, state.positions(), state.cost);
    const std::vector<Index> rows = descent::rows_of_repulsion(state.n, run.seed);
    std::vector<double> of_row = descent::potentials(cpu, state, forces::FurtherPairs(), rows);
    for (double& share : of_row) share = further_loss(options, state.n, share);
    return descent::cost_of(state.cost.value / 2, of_row, state.n);
}

/// All stages; the descent on this device.
template <class Points>
Result embed_on(const Points& points, const Given& given, Options& options, const Run& run, Device device) {
    const auto pairs_of = [&](device::Cpu& cpu, const Graph& neighbors, const auto& rows) {
        Pairs<Graph> pairs;
        pairs.near = symmetric_pairs(cpu, chosen_near(cpu, neighbors, options.k));
        pairs.mid = symmetric_pairs(cpu, drawn_mid_near(cpu, rows, options, run.seed));
        return pairs;
    };
    return descent::run_stages<Result>(
        points, stage_plan(options), given, options, run, pairs_of, [&](Pairs<Graph> pairs, const Map& start) {
            return device == Device::cuda ? descend_on_cuda(pairs, start, given.fixed, options, run)
                                          : descend_on_cpu(std::move(pairs), start, given.fixed, options, run);
        });
}

}  // namespace

Descent descend_on_cpu(Pairs<Graph> pairs, const Map& start, std::span<const std::uint8_t> fixed,
                       const Options& options, const Run& run) {
    device::Cpu cpu(run);
    auto state = descent::descent_state_at(cpu, start.coordinates, start.dim);
    descent::hold_fixed(cpu, state, fixed);
    descent::Repeller<forces::FurtherPairs> repeller(repulsion_of(options));
    Objective<device::Cpu> objective(cpu, state, options);
    Descent descent;
    descent.threads = cpu.threads();
    descent.status = descent::descend(cpu, state, pairs, repeller, objective, run);
    const bool scored = device::run_cancellable(run.stop, [&] {
        device::ProgressReporter reporter(run, "score", 1);
        descent.cost = loss_of(cpu, state, pairs, options, run);
    });
    if (!scored) descent.cost = descent::no_cost;
    descent.map = {start.dim, descent::in_original_order(state.y, state.original, start.dim)};
    return descent;
}

Result embed_on_cpu(MatrixView<const float> points, const Given& given, Options& options, const Run& run) {
    return embed_on(points, given, options, run, Device::cpu);
}

Result embed_sparse(const SparseView& points, const Given& given, Options& options, const Run& run, Device device) {
    return embed_on(points, given, options, run, device);
}

}  // namespace dunlin::pacmap
