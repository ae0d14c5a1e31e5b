// SPDX-License-Identifier: Apache-2.0
#include "initialization/spectral.cuh"

#include "graph/coarsen.cuh"
#include "graph/coarsen.hpp"
#include "graph/components.hpp"
#include "initialization/spectral_block.hpp"

namespace dunlin::initialization {

namespace {

constexpr Index enough_for_gpu = 5000;  ///< vertices of a component; below, launches take longer than the CPU's loops

/// The eigenmap on a GPU, whose kernels take matrices of up to most_columns as parameters.
std::vector<float> eigenmap_on_gpu(device::Cuda& cuda, const graph::DeviceGraph& graph, int dim) {
    const auto download = [&](const graph::DeviceGraph& part) { return graph::download(cuda, part); };
    return eigenmap_within<most_columns>(cuda, graph::DeviceLevel{&graph, nullptr}, dim, cuda.run().seed, download);
}

}  // namespace

Map spectral_start(device::Cuda& cuda, const graph::DeviceGraph& graph, Map start, double deviation) {
    device::Cpu cpu(cuda.run());
    const std::uint64_t seed = cuda.run().seed;
    const Graph on_host = graph::download(cuda, graph);
    const graph::Components components = graph::components(cpu, on_host);
    const int dim = start.dim;
    std::vector<Index> number(at(on_host.size()));
    const auto same = [](const Graph& part) -> const Graph& { return part; };
    return assembled(components, std::move(start), deviation, seed, [&](std::span<const Index> members) {
        const bool whole = components.count() == 1;
        if (static_cast<Index>(members.size()) < enough_for_gpu || columns_for(dim) > most_columns) {
            const Graph part = whole ? Graph{} : part_of(on_host, members, number);
            return eigenmap(cpu, graph::Level{whole ? &on_host : &part, {}}, dim, seed, same);
        }
        if (whole) return eigenmap_on_gpu(cuda, graph, dim);
        const graph::DeviceGraph part = graph::upload(cuda, part_of(on_host, members, number));
        return eigenmap_on_gpu(cuda, part, dim);
    });
}

}  // namespace dunlin::initialization
