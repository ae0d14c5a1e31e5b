// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "descent/pair_cost.hpp"
#include "descent/reorder.hpp"
#include "descent/repeller.hpp"
#include "descent/stages.hpp"
#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "math/at.hpp"
#include "umap/backend.hpp"
#include "umap/memberships.hpp"
#include "umap/objective.hpp"
#include "umap/resolve.hpp"
#include "umap/supervision.hpp"

namespace dunlin::umap {

namespace {

void scale_start(device::Cpu& cpu, DescentState<device::Cpu>& state) {
    float largest = 0;
    for (const float value : state.y) largest = std::max(largest, std::abs(value));
    const auto size = static_cast<Offset>(state.y.size());
    cpu.each(size, Scale{state.y.data(), start_scale(largest)}, 1 << 16);
}

/// Of the map that `state` holds; edges in its order.
scores::Score cross_entropy(device::Cpu& cpu, DescentState<device::Cpu>& state, const Graph& edges,
                            const Objective<device::Cpu>& objective, const Run& run) {
    forces::attract_cost(cpu, objective.law(), edges, state.positions(), state.cost);
    const std::vector<Index> rows = descent::rows_of_repulsion(state.n, run.seed);
    std::vector<double> of_row = descent::potentials(cpu, state, objective.law(), rows);
    for (std::size_t r = 0; r < rows.size(); ++r) of_row[r] *= static_cast<double>(objective.push()[at(rows[r])]);
    return descent::cost_of(state.cost.value / objective.mean_degree(), of_row, state.n);
}

/// All stages; the descent on this device.
template <class Points>
Result embed_on(const Points& points, const Given& given, Options& options, const Run& run, Device device) {
    const auto memberships = [&](device::Cpu& cpu, const Graph& neighbors, const auto&) {
        return supervised_on(cpu, memberships_of_distances(cpu, neighbors, options), given.labels,
                             options.labels_weight);
    };
    const bool scaled = given.start == nullptr;
    return descent::run_stages<Result>(
        points, stage_plan(options), given, options, run, memberships, [&](Graph edges, const Map& start) {
            return device == Device::cuda ? descend_on_cuda(edges, start, scaled, given.fixed, options, run)
                                          : descend_on_cpu(std::move(edges), start, scaled, given.fixed, options, run);
        });
}

}  // namespace

Descent descend_on_cpu(Graph memberships, const Map& start, bool scaled, std::span<const std::uint8_t> fixed,
                       const Options& options, const Run& run) {
    device::Cpu cpu(run);
    auto state = descent::descent_state_at(cpu, start.coordinates, start.dim);
    if (scaled) scale_start(cpu, state);
    descent::hold_fixed(cpu, state, fixed);
    descent::Repeller<forces::Fuzzy> repeller(repulsion_of(options), law_of(options));
    Objective<device::Cpu> objective(cpu, state, memberships, options);
    Descent descent;
    descent.threads = cpu.threads();
    descent.status = descent::descend(cpu, state, memberships, repeller, objective, run);
    const bool scored = device::run_cancellable(run.stop, [&] {
        device::ProgressReporter reporter(run, "score", 1);
        descent.cost = cross_entropy(cpu, state, memberships, objective, run);
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

}  // namespace dunlin::umap
