// SPDX-License-Identifier: Apache-2.0
#include <dunlin/scores.hpp>

#include <utility>

#include "descent/reorder.hpp"
#include "descent/repeller.hpp"
#include "descent/stages.hpp"
#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "tsne/backend.hpp"
#include "tsne/descend.hpp"
#include "tsne/perplexity.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {

namespace {

/// All stages; the descent on this device.
template <class Points>
Result embed_on(const Points& points, const Given& given, Options& options, const Run& run, Device device) {
    const auto affinities = [&](device::Cpu& cpu, const Graph& neighbors, const auto&) {
        return affinities_of_distances(cpu, neighbors, *options.perplexity);
    };
    return descent::run_stages<Result>(
        points, stage_plan(options), given, options, run, affinities, [&](Graph p, const Map& start) {
            return device == Device::cuda ? descend_on_cuda(p, start, given.fixed, options, run)
                                          : descend_on_cpu(std::move(p), start, given.fixed, options, run);
        });
}

}  // namespace

Descent descend_on_cpu(Graph affinities, const Map& start, std::span<const std::uint8_t> fixed, const Options& options,
                       const Run& run) {
    device::Cpu cpu(run);
    auto state = descent::descent_state_at(cpu, start.coordinates, start.dim);
    descent::hold_fixed(cpu, state, fixed);
    descent::Repeller<forces::StudentT> repeller(repulsion_of(options));
    Objective objective(options);
    const descent::DescentStatus status = descent::descend(cpu, state, affinities, repeller, objective, run);

    // Scored in the order of the state, which is also that of the affinities
    const Map placed{state.dim, std::move(state.y)};
    scores::Score kl;
    const bool scored = device::run_cancellable(run.stop, [&] {
        device::ProgressReporter reporter(run, "score", 1);
        if (placed.size() > 1) kl = scores::kl(affinities, placed, {}, run);
    });
    if (!scored) kl = descent::no_cost;
    return {Map{start.dim, descent::in_original_order(placed.coordinates, state.original, start.dim)}, status, kl,
            cpu.threads()};
}

Result embed_on_cpu(MatrixView<const float> points, const Given& given, Options& options, const Run& run) {
    return embed_on(points, given, options, run, Device::cpu);
}

Result embed_sparse(const SparseView& points, const Given& given, Options& options, const Run& run, Device device) {
    return embed_on(points, given, options, run, device);
}

}  // namespace dunlin::tsne
