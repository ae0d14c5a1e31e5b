// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "descent/pair_cost.hpp"
#include "device/cuda.cuh"
#include "forces/attraction/attraction.cuh"
#include "forces/exact/exact.cuh"
#include "forces/sampled/sampled.cuh"
#include "graph/device_graph.cuh"

namespace dunlin::descent {

/// pair_cost (pair_cost.hpp) on a GPU; `share` is called on the host.
template <class EdgeLaw, class Law, class Share>
scores::Score pair_cost(device::Cuda& cuda, DescentState<device::Cuda>& state, const EdgeLaw& edge_law,
                        const graph::DeviceGraph& edges, double edge_unit, const Law& law, const Share& share) {
    forces::attract_cost(cuda, edge_law, edges, state.positions(), state.cost);
    const std::vector<Index> rows = rows_of_repulsion(state.n, cuda.run().seed);
    device::CudaBuffer<Index> judged;
    cuda.upload(judged, rows);
    const device::CudaBuffer<double> potentials(rows.size(), cuda.stream());
    const auto count = static_cast<Index>(rows.size());
    if (state.dim > 3) {
        forces::potentials_wide(cuda, law, state.positions(), judged.data(), count, potentials.data());
    } else {
        forces::exact_potentials(cuda, state.positions(), judged.data(), count, potentials.data(), law);
    }
    std::vector<double> of_row = cuda.host(potentials);
    for (std::size_t r = 0; r < rows.size(); ++r) of_row[r] = share(rows[r], of_row[r]);
    return cost_of(cuda.read(state.cost) / edge_unit, of_row, state.n);
}

}  // namespace dunlin::descent
