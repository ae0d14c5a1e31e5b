// SPDX-License-Identifier: Apache-2.0
#include "descent/pair_cost.cuh"
#include "descent/stages.cuh"
#include "forces/attraction/attraction.cuh"
#include "forces/box.cuh"
#include "math/at.hpp"
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
    forces::box_of<D>(cuda, state.y.data(), static_cast<Index>(state.y.size() / D), cell);
    const forces::DeviceBox<D> box = cuda.read(cell);
    float largest = 0;
    for (int d = 0; d < D; ++d) largest = std::max({largest, -box.least[d], box.most[d]});
    return largest;
}

void scale_start(Cuda& cuda, DescentState<Cuda>& state) {
    if (state.n == 0) return;
    draw_outliers_near(cuda, state);
    // Rows of an even width are as many points of the plane
    const float largest = state.dim == 3 ? largest_coordinate<3>(cuda, state) : largest_coordinate<2>(cuda, state);
    cuda.each(static_cast<Offset>(state.y.size()), Scale{state.y.data(), start_scale(largest)});
}

Descent descend_from(Cuda& cuda, CudaBuffer<float> start, graph::DeviceGraph memberships, const Given& given,
                     const Options& options) {
    auto state = descent::descent_state_at(cuda, std::move(start), options.dim);
    if (given.start == nullptr) scale_start(cuda, state);
    descent::hold_fixed(cuda, state, given.fixed);
    descent::CudaRepeller<forces::Fuzzy> repeller(repulsion_of(options, cuda.run().seed), law_of(options));
    Objective<Cuda> objective(cuda, state, memberships, options);
    return descent::descend_on(cuda, state, memberships, repeller, objective, [&] {
        const std::vector<float> push = cuda.host(objective.push());
        return descent::pair_cost(
            cuda, state, objective.law(), memberships, objective.mean_degree(), objective.law(),
            [&](Index row, double potentials) { return static_cast<double>(push[at(row)]) * potentials; });
    });
}

}  // namespace

Descent backend::descend_on_cuda(const Graph& memberships, const Map& start, const Given& given, const Options& options,
                                 const Run& run) {
    Cuda cuda(run);
    CudaBuffer<float> y;
    cuda.upload(y, start.coordinates);
    return descend_from(cuda, std::move(y), graph::upload(cuda, memberships), given, options);
}

Result backend::embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options, const Run& run) {
    Cuda cuda(run);
    const auto memberships = [&](graph::DeviceGraph neighbors, const device::DevicePoints&) {
        return supervised_on_device(cuda, memberships_on_device(cuda, std::move(neighbors), options), given.labels,
                                    options.labels_weight);
    };
    return descent::run_stages<Result>(
        cuda, points, given, options, memberships, [&](graph::DeviceGraph edges, CudaBuffer<float> start) {
            return descend_from(cuda, std::move(start), std::move(edges), given, options);
        });
}

}  // namespace dunlin::umap
