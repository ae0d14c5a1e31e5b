// SPDX-License-Identifier: Apache-2.0
#include "graph/download.cuh"

#include "device/ranks.hpp"

namespace dunlin::graph {

namespace {

/// Where the first rank wants the arrays.
struct Destination {
    Offset* offsets;
    Index* targets;
    float* weights;
};

template <class T>
void copy_share(device::Cuda& cuda, const device::Rank& rank, const device::CudaBuffer<T>& from, T* to) {
    const device::Slice own = rank.slice(static_cast<Offset>(from.size()));
    cuda.copy_out(to + own.begin, from.data() + own.begin, static_cast<std::size_t>(own.size()) * sizeof(T));
}

}  // namespace

Graph download_by_ranks(device::Cuda& cuda, const DeviceGraph& graph) {
    device::Rank* const rank = device::Rank::current();
    if (rank == nullptr) return download(cuda, graph);
    Graph result;
    if (rank->index() == 0) {
        result.offsets.resize(graph.offsets.size());
        result.targets.resize(graph.targets.size());
        result.weights.resize(graph.weights.size());
    }
    const Destination first =
        rank->from_all(Destination{result.offsets.data(), result.targets.data(), result.weights.data()}).front();
    copy_share(cuda, *rank, graph.offsets, first.offsets);
    copy_share(cuda, *rank, graph.targets, first.targets);
    copy_share(cuda, *rank, graph.weights, first.weights);
    rank->wait_for_all();
    return result;
}

}  // namespace dunlin::graph
