// SPDX-License-Identifier: Apache-2.0
#include "initialization/spectral.cuh"

#include "graph/coarsen.cuh"
#include "graph/coarsen.hpp"
#include "graph/components.hpp"
#include "initialization/spectral_block.hpp"

namespace dunlin::initialization {

namespace {

constexpr Index enough_for_gpu = 5000;  ///< vertices of a component; below, launches take longer than the CPU's loops

}  // namespace

Map spectral_start(device::Cuda& cuda, const graph::DeviceGraph& graph, Map start, double deviation) {
    device::Cpu cpu(cuda.run());
    const std::uint64_t seed = cuda.run().seed;
    const Graph on_host = graph::download(cuda, graph);
    const graph::Components components = graph::components(cpu, on_host);
    const int dim = start.dim;
    std::vector<Index> number(at(on_host.size()));
    const auto same = [](const Graph& part) -> const Graph& { return part; };
    const auto download = [&](const graph::DeviceGraph& part) { return graph::download(cuda, part); };
    return assembled(components, std::move(start), deviation, seed, [&](std::span<const Index> members) {
        const bool whole = components.count() == 1;
        if (static_cast<Index>(members.size()) < enough_for_gpu) {
            const Graph part = whole ? Graph{} : part_of(on_host, members, number);
            return eigenmap(cpu, graph::Level{whole ? &on_host : &part, {}}, dim, seed, same);
        }
        if (whole) return eigenmap(cuda, graph::DeviceLevel{&graph, nullptr}, dim, seed, download);
        const graph::DeviceGraph part = graph::upload(cuda, part_of(on_host, members, number));
        return eigenmap(cuda, graph::DeviceLevel{&part, nullptr}, dim, seed, download);
    });
}

}  // namespace dunlin::initialization
