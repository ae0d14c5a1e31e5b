// SPDX-License-Identifier: Apache-2.0
#include "descent/first_stages.cuh"

#include "checkpoint/session.hpp"
#include "device/ranks.cuh"
#include "initialization/pca.cuh"
#include "math/at.hpp"

namespace dunlin::descent {

namespace {

using device::Cuda;
using device::CudaBuffer;

CudaBuffer<float> start_of(Cuda& cuda, const device::DevicePoints& points, const PointOptions& options,
                           const Given& given) {
    const std::uint64_t seed = cuda.run().seed;
    if (given.start != nullptr) {
        CudaBuffer<float> y;
        cuda.upload(y, given.start->coordinates);
        return y;
    }
    if (options.start == Start::random)
        return initialization::random_start_on_device(cuda, points.host.rows, options.dim, options.deviation, seed);
    return initialization::pca_start_on_device(cuda, points, options.dim, options.deviation, seed);
}

/// Found on the CPU, which has the rows less their means.
device::DevicePoints correlation_components(Cuda& cuda, const device::DevicePoints& points, Index count) {
    std::vector<float> copy;
    MatrixView<const float> host = points.host;
    if (host.data == nullptr) {
        copy.resize(at(Offset{host.rows} * host.cols));
        cuda.copy_out(copy.data(), points.values(), copy.size() * sizeof(float));
        host.data = copy.data();
    }
    device::Cpu cpu(cuda.run());
    const std::vector<float> components = initialization::correlation_coordinates(cpu, host, count);
    device::DevicePoints reduced{{nullptr, host.rows, count + 1}, {}};
    cuda.upload(reduced.rows, components);
    return reduced;
}

neighbors::FoundOnDevice neighbors_of(Cuda& cuda, const device::DevicePoints& points, const neighbors::Options& search,
                                      const Given& given) {
    if (const Graph* graph = given_graph(given); graph != nullptr) return {.graph = graph::upload(cuda, *graph)};
    const checkpoint::Suspended alone;  // the descent's checkpoint has no lists
    const auto effort = neighbors::resolve_parameters(points.host.rows, points.host.cols, search, Device::cuda);
    return neighbors::search_on_device(cuda, points, search.k, search.metric, effort);
}

}  // namespace

CudaFirstStages first_stages(Cuda& cuda, const device::InputPoints& points, const PointOptions& options,
                             const Given& given) {
    CudaFirstStages stages;
    progress::Stopwatch watch;
    device::DevicePoints on_device = device::hold_points(cuda, points);
    if (options.pca < points.cols() && likeness_of(options.search.metric) == initialization::Likeness::correlation) {
        on_device = correlation_components(cuda, on_device, options.pca);
    } else if (options.pca < points.cols()) {
        on_device = {{nullptr, points.rows(), options.pca},
                     initialization::principal_coordinates_on_device(cuda, on_device, options.pca)};
    }
    stages.start = start_of(cuda, on_device, options, given);
    device::broadcast(cuda, stages.start.data(), stages.start.size());
    cuda.wait();
    stages.seconds["start"] = watch.lap();
    stages.found = neighbors_of(cuda, on_device, options.search, given);
    cuda.wait();
    stages.seconds["neighbors"] = watch.lap();
    stages.points = std::move(on_device);
    return stages;
}

}  // namespace dunlin::descent
