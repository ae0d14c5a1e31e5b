// SPDX-License-Identifier: Apache-2.0
#include "parametric/training_parts.cuh"

#include <utility>

#include <dunlin/device.hpp>

#include "forces/law.hpp"
#include "neighbors/cuda/search.cuh"
#include "progress/progress.hpp"
#include "scores/kl.cuh"
#include "tsne/affinities.cuh"

namespace dunlin::parametric {

using device::Cuda;

graph::DeviceGraph graph_on(Cuda& cuda, const Graph& graph) { return graph::upload(cuda, graph); }

tsne::Result map_by_tsne(Cuda& cuda, MatrixView<const float> points, const tsne::Options& options, const Run& run,
                         const tsne::Given& given) {
    const int gpu = run.gpu();
    tsne::DeviceResult made = tsne::embed(
        DeviceMatrixView<const float>{points.data, points.rows, points.cols, gpu, cuda.stream()}, options, run, given);
    Map map{made.device_map.rows() > 0 ? static_cast<int>(made.device_map.cols()) : options.dim, {}};
    map.coordinates.resize(static_cast<std::size_t>(made.device_map.rows()) *
                           static_cast<std::size_t>(made.device_map.cols()));
    cuda.copy_out(map.coordinates.data(), made.device_map.data(), map.coordinates.size() * sizeof(float));
    tsne::Result result = std::move(made);
    result.map = std::move(map);
    return result;
}

graph::DeviceGraph lists_among(Cuda& cuda, MatrixView<const float> rows, Index k, const Run& run) {
    device::DevicePoints points{{nullptr, rows.rows, rows.cols}, {}, rows.data};
    const progress::ProgressReporter reporter(run, "neighbors", rows.rows);
    const neighbors::Options search{.k = k};
    const auto effort = neighbors::resolve_parameters(rows.rows, rows.cols, search, Device::cuda);
    return neighbors::search_on_device(cuda, points, k, search.metric, effort).graph;
}

graph::DeviceGraph affinities_of(Cuda& cuda, graph::DeviceGraph lists, float perplexity) {
    return tsne::affinities_on_device(cuda, std::move(lists), perplexity);
}

template <class Law>
double kl_of_map(Cuda& cuda, const Law& law, const graph::DeviceGraph& affinities, const Map& map, std::uint64_t seed) {
    if (map.dim == 1) {
        device::Cpu cpu(cuda.run());
        return kl_of_map(cpu, law, graph::download(cuda, affinities), map, seed);
    }
    device::CudaBuffer<float> places;
    cuda.upload(places, map.coordinates);
    return scores::kl_on_device(cuda, law, affinities, {places.data(), map.size(), map.dim}).value;
}

template double kl_of_map(Cuda&, const forces::StudentT&, const graph::DeviceGraph&, const Map&, std::uint64_t);
template double kl_of_map(Cuda&, const forces::GeneralStudentT&, const graph::DeviceGraph&, const Map&, std::uint64_t);

}  // namespace dunlin::parametric
