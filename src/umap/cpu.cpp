// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "descent/first_stages.hpp"
#include "descent/reorder.hpp"
#include "descent/repeller.hpp"
#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "device/stopwatch.hpp"
#include "forces/exact/potential.hpp"
#include "math/at.hpp"
#include "scores/coordinate_columns.hpp"
#include "scores/sample.hpp"
#include "umap/backend.hpp"
#include "umap/memberships.hpp"
#include "umap/objective.hpp"
#include "umap/resolve.hpp"

namespace dunlin::umap {

namespace {

constexpr Index exact_repulsion = 4000;  ///< points up to which the cross entropy sums all pairs

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
    const scores::CoordinateColumns columns(Map{state.dim, state.y});
    const std::vector<Index> rows = rows_of_repulsion(state.n, run.seed);
    std::vector<double> of_row(rows.size());
    const double own = forces::potential_of(objective.law(), 0.0);
    cpu.blocks(static_cast<Offset>(rows.size()), 1, [&](Offset r, Offset, int) {
        device::cancellation_point();
        const Index i = rows[at(r)];
        const float *column[3] = {}, *y = state.y.data() + Offset{i} * state.dim;
        for (int c = 0; c < state.dim; ++c) column[c] = columns.column(c);
        const double sum = forces::potential_at(objective.law(), column, state.dim, y, state.n);
        of_row[at(r)] = static_cast<double>(objective.push()[at(i)]) * (sum - own);
    });
    return cross_entropy_of(state.cost.value / objective.mean_degree(), of_row, state.n);
}

/// Peak memory in bytes: neighbors, their transpose and the merged memberships (at most 2 k per point).
std::uint64_t bytes_wanted(Index n, Index k) {
    return static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(k) * (8 + 4 + 8 + 16);
}

/// All stages; the descent on this device.
template <class Points>
Result embed_on(const Points& points, const Given& given, Options& options, const Run& run, Device device) {
    device::Cpu cpu(run);
    descent::FirstStages first = descent::first_stages(cpu, points, point_options(options), given, run,
                                                       bytes_wanted(points.rows, options.k), "UMAP");
    if (given.neighbors == nullptr) descent::record_search(options, first.found.options.method);
    Seconds seconds = std::move(first.seconds);
    device::Stopwatch watch;
    const Graph& graph = given.neighbors != nullptr ? *given.neighbors : first.found.graph;
    Graph memberships;
    const bool related = !first.cancelled && device::run_cancellable(run.stop, [&] {
        device::ProgressReporter reporter(run, "memberships", 1);
        memberships = memberships_of_distances(cpu, graph, options);
    });
    if (!related) return unfinished(std::move(first.start));
    first.found.graph = {};  // frees the largest allocation
    seconds["memberships"] = watch.lap();

    const bool scaled = given.start == nullptr;
    Descent descent = device == Device::cuda
                          ? descend_on_cuda(memberships, first.start, scaled, options, run)
                          : descend_on_cpu(std::move(memberships), first.start, scaled, options, run);
    seconds["optimize"] = watch.lap();
    return result_of(std::move(descent), seconds, {first.found.recall, first.found.recall_se});
}

}  // namespace

std::vector<Index> rows_of_repulsion(Index n, std::uint64_t seed) {
    constexpr Offset pairs = Offset{exact_repulsion} * exact_repulsion;
    return scores::rows_to_evaluate(n, exact_repulsion,
                                    std::max<Index>(1000, static_cast<Index>(pairs / std::max(n, 1))), seed);
}

scores::Score cross_entropy_of(double attraction, std::span<const double> of_row, Index n) {
    scores::Score mean = scores::mean_over(of_row, n);
    mean.value += attraction / n;
    return mean;
}

Descent descend_on_cpu(Graph memberships, const Map& start, bool scaled, const Options& options, const Run& run) {
    device::Cpu cpu(run);
    auto state = descent::descent_state_at(cpu, start.coordinates, start.dim);
    if (scaled) scale_start(cpu, state);
    descent::Repeller<forces::Fuzzy> repeller(repulsion_of(options), law_of(options));
    Objective<device::Cpu> objective(cpu, state, memberships, options);
    Descent descent;
    descent.threads = cpu.threads();
    descent.status = descent::descend(cpu, state, memberships, repeller, objective, run);
    const bool scored = device::run_cancellable(run.stop, [&] {
        device::ProgressReporter reporter(run, "score", 1);
        descent.cross_entropy = cross_entropy(cpu, state, memberships, objective, run);
    });
    if (!scored) descent.cross_entropy.value = std::numeric_limits<double>::quiet_NaN();
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
