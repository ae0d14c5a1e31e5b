// SPDX-License-Identifier: Apache-2.0
#include "descent/pair_cost.hpp"
#include "descent/stages.cuh"
#include "forces/attraction/attraction.cuh"
#include "graph/relabel.cuh"
#include "pacmap/backend.hpp"
#include "pacmap/objective.hpp"
#include "pacmap/pairs.cuh"
#include "pacmap/resolve.hpp"

namespace dunlin::pacmap {

using device::Cuda;
using device::CudaBuffer;
using DevicePairs = Pairs<graph::DeviceGraph>;

void reorder(Cuda& cuda, DescentState<Cuda>& state, DevicePairs& pairs) {
    if (state.n == 0) return;
    const auto order = descent::reorder_points(cuda, state);
    pairs.near = graph::relabel(cuda, pairs.near, order);
    pairs.mid = graph::relabel(cuda, pairs.mid, order);
}

namespace {

scores::Score loss_of(Cuda& cuda, DescentState<Cuda>& state, const DevicePairs& pairs, const Options& options) {
    forces::attract_cost(cuda, near_loss, pairs.near, state.positions(), state.cost);
    const std::vector<Index> rows = descent::rows_of_repulsion(state.n, cuda.run().seed);
    CudaBuffer<Index> judged;
    cuda.upload(judged, rows);
    const CudaBuffer<double> potentials(rows.size(), cuda.stream());
    forces::exact_potentials(cuda, state.positions(), judged.data(), static_cast<Index>(rows.size()), potentials.data(),
                             forces::FurtherPairs());
    std::vector<double> of_row = cuda.host(potentials);
    for (double& share : of_row) share = further_loss(options, state.n, share);
    return descent::cost_of(cuda.read(state.cost) / 2, of_row, state.n);
}

Descent descend_from(Cuda& cuda, CudaBuffer<float> start, int dim, std::span<const std::uint8_t> fixed,
                     DevicePairs pairs, const Options& options) {
    auto state = descent::descent_state_at(cuda, std::move(start), dim);
    descent::hold_fixed(cuda, state, fixed);
    descent::CudaRepeller<forces::FurtherPairs> repeller(repulsion_of(options));
    Objective<Cuda> objective(cuda, state, options);
    Descent descent = descent::descend_on(cuda, state, pairs, repeller, objective);
    descent.cost = loss_of(cuda, state, pairs, options);
    return descent;
}

}  // namespace

Descent backend::descend_on_cuda(const Pairs<Graph>& pairs, const Map& start, std::span<const std::uint8_t> fixed,
                                 const Options& options, const Run& run) {
    Cuda cuda(run);
    CudaBuffer<float> y;
    cuda.upload(y, start.coordinates);
    DevicePairs uploaded{graph::upload(cuda, pairs.near), graph::upload(cuda, pairs.mid)};
    return descend_from(cuda, std::move(y), start.dim, fixed, std::move(uploaded), options);
}

Result backend::embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options, const Run& run) {
    Cuda cuda(run);
    const auto pairs_of = [&](graph::DeviceGraph neighbors, const device::DevicePoints& rows) {
        DevicePairs pairs;
        graph::DeviceGraph near;
        if (given.neighbors != nullptr) {  // rows may be of unequal length
            device::Cpu cpu(run);
            near = graph::upload(cuda, chosen_near(cpu, *given.neighbors, options.k));
        } else {
            near = chosen_near(cuda, neighbors, options.k);
        }
        neighbors = {};
        pairs.near = symmetric_pairs(cuda, std::move(near));
        pairs.mid = symmetric_pairs(cuda, drawn_mid_near(cuda, rows, options));
        return pairs;
    };
    return descent::run_stages<Result>(
        cuda, points, stage_plan(options), given, options, pairs_of, [&](DevicePairs pairs, CudaBuffer<float> start) {
            return descend_from(cuda, std::move(start), options.dim, given.fixed, std::move(pairs), options);
        });
}

}  // namespace dunlin::pacmap
