// SPDX-License-Identifier: Apache-2.0
#include "descent/pair_cost.cuh"
#include "descent/stages.cuh"
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

void renumber(Cuda& cuda, const DescentState<Cuda>& state, DevicePairs& pairs) {
    descent::renumber(cuda, state, pairs.near);
    descent::renumber(cuda, state, pairs.mid);
}

namespace {

Descent descend_from(Cuda& cuda, CudaBuffer<float> start, DevicePairs pairs, const Given& given,
                     const Options& options) {
    auto state = descent::descent_state_at(cuda, std::move(start), options.dim);
    descent::hold_fixed(cuda, state, given.fixed);
    descent::CudaRepeller<forces::FurtherPairs> repeller(repulsion_of(options, cuda.run().seed));
    Objective<Cuda> objective(cuda, state, options);
    return descent::descend_on(cuda, state, pairs, repeller, objective, [&] {
        // The graph has each near pair in both directions
        return descent::pair_cost(cuda, state, near_loss, pairs.near, 2, forces::FurtherPairs(),
                                  [&](Index, double potentials) { return further_loss(options, state.n, potentials); });
    });
}

}  // namespace

Descent backend::descend_on_cuda(const Pairs<Graph>& pairs, const Map& start, const Given& given,
                                 const Options& options, const Run& run) {
    Cuda cuda(run);
    CudaBuffer<float> y;
    cuda.upload(y, start.coordinates);
    DevicePairs uploaded{graph::upload(cuda, pairs.near), graph::upload(cuda, pairs.mid)};
    return descend_from(cuda, std::move(y), std::move(uploaded), given, options);
}

Result backend::embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options, const Run& run) {
    Cuda cuda(run);
    const auto pairs_of = [&](graph::DeviceGraph neighbors, const device::DevicePoints& rows) {
        DevicePairs pairs;
        graph::DeviceGraph near;
        if (given.neighbors != nullptr) {  // rows may be of unequal length
            device::Cpu cpu(run);
            near = graph::upload(cuda, chosen_near(cpu, *given.neighbors, *options.k));
        } else {
            near = chosen_near(cuda, neighbors, *options.k);
        }
        neighbors = {};
        pairs.near = symmetric_pairs(cuda, std::move(near));
        pairs.mid = symmetric_pairs(cuda, drawn_mid_near(cuda, rows, options));
        return pairs;
    };
    return descent::run_stages<Result>(
        cuda, points, given, options, pairs_of, [&](DevicePairs pairs, CudaBuffer<float> start) {
            return descend_from(cuda, std::move(start), std::move(pairs), given, options);
        });
}

}  // namespace dunlin::pacmap
