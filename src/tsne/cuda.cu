// SPDX-License-Identifier: Apache-2.0
#include "device/gpus.hpp"
#include "device/points.cuh"
#include "device/stopwatch.hpp"
#include "forces/attraction/attraction.cuh"
#include "initialization/pca.cuh"
#include "neighbors/cuda/search.cuh"
#include "scores/kl.cuh"
#include "tsne/affinities.cuh"
#include "tsne/backend.hpp"
#include "tsne/cuda_repeller.cuh"
#include "tsne/descend.hpp"
#include "tsne/reorder.cuh"

namespace dunlin::tsne {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Copies the first map_dim coordinates.
struct ToOriginal {
    const float* y;
    const Index* original;
    float* result;
    int dim, map_dim;
    __device__ void operator()(Offset i) const {
        for (int c = 0; c < map_dim; ++c) result[Offset{original[i]} * map_dim + c] = y[i * dim + c];
    }
};

/// The map in the original order, on the host.
Map map_of(Cuda& cuda, const DescentState<Cuda>& state) {
    const auto size = static_cast<std::size_t>(Offset{state.n} * state.map_dim);
    CudaBuffer<float> ordered(size, cuda.stream());
    cuda.each(state.n, ToOriginal{state.y.data(), state.original.data(), ordered.data(), state.dim, state.map_dim});
    return {state.map_dim, cuda.host(ordered)};
}

Descent descend_from(Cuda& cuda, CudaBuffer<float> start, int dim, graph::DeviceGraph affinities,
                     const Options& options, const Run& run) {
    auto state = descent_state_at(cuda, std::move(start), dim);
    CudaRepeller repeller(options);
    Descent descent;
    descent.status = descend(cuda, state, affinities, repeller, options, run);
    repeller.choose(cuda, state.positions());  // counts the last points outside the grid
    descent.strays = repeller.strays();
    if (state.n > 1) descent.kl = scores::kl_on_device(cuda, affinities, state.positions());
    descent.map = map_of(cuda, state);
    return descent;
}

CudaBuffer<float> start_of(Cuda& cuda, const device::DevicePoints& points, const Given& given, const Options& options,
                           const Run& run) {
    if (given.start == nullptr && options.start == Start::pca) {
        return initialization::pca_start_on_device(cuda, points, options.dim, start_deviation, run.seed);
    }
    if (given.start == nullptr) {
        return initialization::random_start_on_device(cuda, points.host.rows, options.dim, start_deviation, run.seed);
    }
    CudaBuffer<float> y;
    cuda.upload(y, given.start->coordinates);
    return y;
}

/// Peak memory: the affinities while they are computed (affinities.cuh), and the descent state.
void require_memory(Cuda& cuda, Index n, Index k, int dim) {
    const std::uint64_t edges = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(k);
    const std::uint64_t state = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(5 * dim + 1) * 4;
    device::require_gpu_memory(29 * edges + state, device::allowance(cuda), "t-SNE of this many points and neighbors");
}

neighbors::FoundOnDevice neighbors_of(Cuda& cuda, const device::DevicePoints& points, const Given& given,
                                      const Options& options) {
    if (given.neighbors != nullptr) return {.graph = graph::upload(cuda, *given.neighbors)};
    const neighbors::Options asked = search_options(options);
    const auto effort = neighbors::resolve_parameters(points.host.rows, points.host.cols, asked, Device::cuda);
    return neighbors::search_on_device(cuda, points, asked.k, asked.metric, effort);
}

Result embed_stages(Cuda& cuda, device::DevicePoints points, const Given& given, Options& options, const Run& run) {
    Seconds seconds;
    device::Stopwatch watch;
    CudaBuffer<float> start = start_of(cuda, points, given, options, run);
    cuda.wait();
    seconds["start"] = watch.lap();

    neighbors::FoundOnDevice found = neighbors_of(cuda, points, given, options);
    if (given.neighbors == nullptr) record_search(options, found.method);
    graph::DeviceGraph graph = std::move(found.graph);
    points = {};  // no longer needed
    cuda.wait();
    seconds["neighbors"] = watch.lap();
    if (run.stop.stop_requested()) return unfinished({options.dim, cuda.host(start)});

    graph = affinities_on_device(cuda, std::move(graph), *options.perplexity);
    cuda.wait();
    seconds["affinities"] = watch.lap();

    Descent descent = descend_from(cuda, std::move(start), options.dim, std::move(graph), options, run);
    seconds["optimize"] = watch.lap();
    return result_of(std::move(descent), seconds, {found.recall, found.recall_se});
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
    device::Stopwatch watch;
    device::DevicePoints on_device = device::hold_points(cuda, points);
    if (*options.pca < points.cols()) {
        on_device = {{nullptr, points.rows(), *options.pca},
                     initialization::principal_coordinates_on_device(cuda, on_device, *options.pca)};
    }
    cuda.wait();
    const double seconds = watch.lap();
    Result result = embed_stages(cuda, std::move(on_device), given, options, run);
    result.seconds["start"] += seconds;
    return result;
}

}  // namespace dunlin::tsne
