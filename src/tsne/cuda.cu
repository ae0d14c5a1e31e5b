// SPDX-License-Identifier: Apache-2.0
#include "descent/cuda_repeller.cuh"
#include "descent/first_stages.cuh"
#include "descent/map_of.cuh"
#include "descent/reorder.cuh"
#include "device/gpus.hpp"
#include "device/stopwatch.hpp"
#include "forces/attraction/attraction.cuh"
#include "scores/kl.cuh"
#include "tsne/affinities.cuh"
#include "tsne/backend.hpp"
#include "tsne/descend.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {

namespace {

using device::Cuda;
using device::CudaBuffer;

Descent descend_from(Cuda& cuda, CudaBuffer<float> start, int dim, graph::DeviceGraph affinities,
                     const Options& options, const Run& run) {
    auto state = descent::descent_state_at(cuda, std::move(start), dim);
    descent::CudaRepeller<forces::StudentT> repeller(repulsion_of(options));
    Objective objective(options);
    Descent descent;
    descent.status = descent::descend(cuda, state, affinities, repeller, objective, run);
    repeller.choose(cuda, state.positions());  // counts the last points outside the grid
    descent.strays = repeller.strays();
    if (state.n > 1) descent.kl = scores::kl_on_device(cuda, affinities, state.positions());
    descent.map = descent::map_of(cuda, state);
    return descent;
}

/// Peak memory: the affinities while they are computed (affinities.cuh), and the descent state.
void require_memory(Cuda& cuda, Index n, Index k, int dim) {
    const std::uint64_t edges = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(k);
    const std::uint64_t state = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(5 * dim + 1) * 4;
    device::require_gpu_memory(29 * edges + state, device::allowance(cuda), "t-SNE of this many points and neighbors");
}

}  // namespace

Descent backend::descend_on_cuda(const Graph& affinities, const Map& start, const Options& options, const Run& run) {
    Cuda cuda(run);
    CudaBuffer<float> y;
    cuda.upload(y, start.coordinates);
    return descend_from(cuda, std::move(y), start.dim, graph::upload(cuda, affinities), options, run);
}

Result backend::embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options, const Run& run) {
    Cuda cuda(run);
    require_memory(cuda, points.rows(), *options.k, options.dim);
    descent::CudaFirstStages first = descent::first_stages(cuda, points, point_options(options), given);
    if (given.neighbors == nullptr) descent::record_search(options, first.found.method);
    if (run.stop.stop_requested()) return unfinished({options.dim, cuda.host(first.start)});

    Seconds seconds = std::move(first.seconds);
    device::Stopwatch watch;
    graph::DeviceGraph graph = affinities_on_device(cuda, std::move(first.found.graph), *options.perplexity);
    cuda.wait();
    seconds["affinities"] = watch.lap();

    Descent descent = descend_from(cuda, std::move(first.start), options.dim, std::move(graph), options, run);
    seconds["optimize"] = watch.lap();
    return result_of(std::move(descent), seconds, {first.found.recall, first.found.recall_se});
}

}  // namespace dunlin::tsne
