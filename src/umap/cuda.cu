// SPDX-License-Identifier: Apache-2.0
#include "descent/pair_cost.hpp"
#include "descent/stages.cuh"
#include "forces/attraction/attraction.cuh"
#include "forces/box.cuh"
#include "umap/backend.hpp"
#include "umap/memberships.cuh"
#include "umap/objective.hpp"
#include "umap/resolve.hpp"

namespace dunlin::umap {

namespace {

using device::Cuda;
using device::CudaBuffer;

template <int D>
float largest_coordinate(Cuda& cuda, const DescentState<Cuda>& state) {
    device::CudaCell<forces::DeviceBox<D>> cell;
    forces::box_of<D>(cuda, state.y.data(), state.n, cell);
    const forces::DeviceBox<D> box = cuda.read(cell);
    float largest = 0;
    for (int d = 0; d < D; ++d) largest = std::max({largest, -box.least[d], box.most[d]});
    return largest;
}

void scale_start(Cuda& cuda, DescentState<Cuda>& state) {
    if (state.n == 0) return;
    const float largest = state.dim == 2 ? largest_coordinate<2>(cuda, state) : largest_coordinate<3>(cuda, state);
    cuda.each(static_cast<Offset>(state.y.size()), Scale{state.y.data(), start_scale(largest)});
}

struct PushOfRow {
    const Index* rows;
    const float* push;
    double* potential;
    __device__ void operator()(Offset r) const { potential[r] *= static_cast<double>(push[rows[r]]); }
};

scores::Score cross_entropy(Cuda& cuda, DescentState<Cuda>& state, const graph::DeviceGraph& edges,
                            const Objective<Cuda>& objective) {
    forces::attract_cost(cuda, objective.law(), edges, state.positions(), state.cost);
    const std::vector<Index> rows = descent::rows_of_repulsion(state.n, cuda.run().seed);
    CudaBuffer<Index> judged;
    cuda.upload(judged, rows);
    const CudaBuffer<double> of_row(rows.size(), cuda.stream());
    forces::exact_potentials(cuda, state.positions(), judged.data(), static_cast<Index>(rows.size()), of_row.data(),
                             objective.law());
    cuda.each(static_cast<Offset>(rows.size()), PushOfRow{judged.data(), objective.push().data(), of_row.data()});
    return descent::cost_of(cuda.read(state.cost) / objective.mean_degree(), cuda.host(of_row), state.n);
}

Descent descend_from(Cuda& cuda, CudaBuffer<float> start, int dim, bool scaled, std::span<const std::uint8_t> fixed,
                     graph::DeviceGraph memberships, const Options& options) {
    auto state = descent::descent_state_at(cuda, std::move(start), dim);
    if (scaled) scale_start(cuda, state);
    descent::hold_fixed(cuda, state, fixed);
    descent::CudaRepeller<forces::Fuzzy> repeller(repulsion_of(options), law_of(options));
    Objective<Cuda> objective(cuda, state, memberships, options);
    Descent descent = descent::descend_on(cuda, state, memberships, repeller, objective);
    descent.cost = cross_entropy(cuda, state, memberships, objective);
    return descent;
}

}  // namespace

Descent backend::descend_on_cuda(const Graph& memberships, const Map& start, bool scaled,
                                 std::span<const std::uint8_t> fixed, const Options& options, const Run& run) {
    Cuda cuda(run);
    CudaBuffer<float> y;
    cuda.upload(y, start.coordinates);
    return descend_from(cuda, std::move(y), start.dim, scaled, fixed, graph::upload(cuda, memberships), options);
}

Result backend::embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options, const Run& run) {
    Cuda cuda(run);
    const auto memberships = [&](graph::DeviceGraph neighbors, const device::DevicePoints&) {
        return supervised_on_device(cuda, memberships_on_device(cuda, std::move(neighbors), options), given.labels,
                                    options.labels_weight);
    };
    const bool scaled = given.start == nullptr;
    return descent::run_stages<Result>(cuda, points, stage_plan(options), given, options, memberships,
                                       [&](graph::DeviceGraph edges, CudaBuffer<float> start) {
                                           return descend_from(cuda, std::move(start), options.dim, scaled, given.fixed,
                                                               std::move(edges), options);
                                       });
}

}  // namespace dunlin::umap
