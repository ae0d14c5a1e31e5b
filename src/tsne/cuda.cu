// SPDX-License-Identifier: Apache-2.0
#include "descent/stages.cuh"
#include "forces/attraction/attraction.cuh"
#include "scores/kl.cuh"
#include "tsne/affinities.cuh"
#include "tsne/backend.hpp"
#include "tsne/descend.hpp"
#include "tsne/perplexity.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {

namespace {

using device::Cuda;
using device::CudaBuffer;

template <class Graph>
Descent descend_from(Cuda& cuda, CudaBuffer<float> start, Graph affinities, const Given& given,
                     const Options& options) {
    auto state = descent::descent_state_at(cuda, std::move(start), options.dim);
    descent::hold_fixed(cuda, state, given.fixed);
    return with_law(options.freedom, [&]<class Law>(const Law& law) {
        descent::CudaRepeller<Law> repeller(repulsion_of(options), law);
        Objective<Law, Cuda> objective(cuda, options, law, state, given.anchors);
        return descent::descend_on(cuda, state, affinities, repeller, objective, [&] {
            return state.n > 1 ? scores::kl_on_device(cuda, law, affinities, state.positions()) : scores::Score{};
        });
    });
}

}  // namespace

Descent backend::descend_on_cuda(const Graph& affinities, const Map& start, const Given& given, const Options& options,
                                 const Run& run) {
    Cuda cuda(run);
    CudaBuffer<float> y;
    cuda.upload(y, start.coordinates);
    return descend_from(cuda, std::move(y), graph::upload(cuda, affinities), given, options);
}

Result backend::embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options, const Run& run) {
    Cuda cuda(run);
    const auto descend = [&](auto affinities, CudaBuffer<float> start) {
        return descend_from(cuda, std::move(start), std::move(affinities), given, options);
    };
    if (options.affinity_precision == Precision::half) {
        const auto affinities = [&](graph::DeviceGraph neighbors, const device::DevicePoints&) {
            return half_affinities_on_device(cuda, std::move(neighbors), rule_of(options), given.point_weights);
        };
        return descent::run_stages<Result>(cuda, points, given, options, affinities, descend,
                                           {graph::half_graph_bytes, ""});
    }
    const auto affinities = [&](graph::DeviceGraph neighbors, const device::DevicePoints&) {
        if (given.affinities != nullptr) return neighbors;  // joint ones
        return affinities_on_device(cuda, std::move(neighbors), rule_of(options), given.point_weights);
    };
    return descent::run_stages<Result>(
        cuda, points, given, options, affinities, descend,
        {descent::bytes_of_edges,
         " (affinity-precision half takes a third of this for neighbors that are searched for)"});
}

}  // namespace dunlin::tsne
