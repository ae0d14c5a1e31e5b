// SPDX-License-Identifier: Apache-2.0
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <cub/device/device_select.cuh>

#include <bit>

#include "graph/symmetrize.cuh"
#include "numerics/sort.cuh"

namespace dunlin::graph {

namespace {

/// Pair of vertices in the low 2 * `bits` bits, the smaller one in the upper half.
struct PairCode {
    int bits;

    explicit PairCode(Index vertices)
        : bits(static_cast<int>(std::bit_width(static_cast<std::uint32_t>(std::max(vertices - 1, 1))))) {}
    __device__ std::uint64_t of(Index v, Index w) const {
        return static_cast<std::uint64_t>(min(v, w)) << bits | static_cast<std::uint64_t>(max(v, w));
    }
    __device__ Index lesser(std::uint64_t pair) const { return static_cast<Index>(pair >> bits); }
    __device__ Index greater(std::uint64_t pair) const {
        return static_cast<Index>(pair & ((std::uint64_t{1} << bits) - 1));
    }
};

/// Pair codes of the edges; one warp per row.
__global__ void pairs_of_edges(DeviceGraph::View graph, PairCode code, std::uint64_t* pairs) {
    const Offset row = (Offset{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    if (row >= graph.size) return;
    const Offset end = graph.offsets[row + 1];
    for (Offset e = graph.offsets[row] + threadIdx.x % 32; e < end; e += 32) {
        pairs[e] = code.of(static_cast<Index>(row), graph.targets[e]);
    }
}

/// True for the first of equal sorted pairs.
struct IsFirst {
    const std::uint64_t* pairs;
    __device__ bool operator()(Offset e) const { return e == 0 || pairs[e] != pairs[e - 1]; }
};

/// The rule of the weights of equal pairs, at most two, from the first one on.
template <class Rule>
struct CombineEquals {
    const std::uint64_t* pairs;
    const float* weights;
    Offset count;
    Rule rule;
    __device__ float operator()(Offset e) const {
        const bool twice = e + 1 < count && pairs[e + 1] == pairs[e];
        return static_cast<float>(
            rule(static_cast<double>(weights[e]), twice ? static_cast<double>(weights[e + 1]) : 0));
    }
};

/// Pairs of vertices and their weights.
struct WeightedPairs {
    device::CudaBuffer<std::uint64_t> pairs;
    device::CudaBuffer<float> weights;
};

WeightedPairs pairs_of(device::Cuda& cuda, DeviceGraph&& graph, const PairCode& code) {
    constexpr int threads = 256;
    WeightedPairs all{device::CudaBuffer<std::uint64_t>(graph.targets.size(), cuda.stream()), std::move(graph.weights)};
    if (graph.size() == 0) return all;
    const Offset blocks = (Offset{graph.size()} * 32 + threads - 1) / threads;
    pairs_of_edges<<<static_cast<unsigned>(blocks), threads, 0, cuda.stream()>>>(graph.view(), code, all.pairs.data());
    device::cuda_check(cudaGetLastError());
    return all;
}

/// Merges equal sorted pairs: sum of weights times scale.
template <class Rule>
WeightedPairs merged(device::Cuda& cuda, const WeightedPairs& sorted, const Rule& rule) {
    const auto count = static_cast<Offset>(sorted.pairs.size());
    const IsFirst is_first{sorted.pairs.data()};
    device::CudaCell<double> firsts;
    cuda.sum(count, is_first, firsts);
    const auto kept = static_cast<std::size_t>(cuda.read(firsts));

    WeightedPairs result{{kept, cuda.stream()}, {kept, cuda.stream()}};
    const thrust::counting_iterator<Offset> place(0);
    const auto sums = thrust::make_transform_iterator(
        place, CombineEquals<Rule>{sorted.pairs.data(), sorted.weights.data(), count, rule});
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSelect::Flagged(scratch, bytes, thrust::make_zip_iterator(sorted.pairs.data(), sums),
                                          thrust::make_transform_iterator(place, is_first),
                                          thrust::make_zip_iterator(result.pairs.data(), result.weights.data()),
                                          thrust::make_discard_iterator(), count, cuda.stream());
    });
    return result;
}

template <class T>
device::CudaBuffer<T> copy_of(device::Cuda& cuda, const device::CudaBuffer<T>& buffer) {
    device::CudaBuffer<T> copy(buffer.size(), cuda.stream());
    device::cuda_check(cudaMemcpyAsync(copy.data(), buffer.data(), buffer.size() * sizeof(T), cudaMemcpyDeviceToDevice,
                                       cuda.stream()));
    return copy;
}

/// The first of `count` pairs, sorted by vertex(pair), whose vertex is at least v.
template <class Vertex>
__device__ Offset first_from(const std::uint64_t* pairs, Offset count, Index v, const Vertex& vertex) {
    Offset low = 0, high = count;
    while (low < high) {
        const Offset middle = low + (high - low) / 2;
        if (vertex(pairs[middle]) < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// Begin of the pairs of vertex v: among those sorted by smaller vertex, by greater vertex, and both together.
struct FindBegins {
    PairCode code;
    Offset count;
    const std::uint64_t *by_lesser, *by_greater;
    Offset *upper, *lower, *both;
    __device__ void operator()(Offset v) const {
        const auto vertex = static_cast<Index>(v);
        upper[v] = first_from(by_lesser, count, vertex, [&](std::uint64_t pair) { return code.lesser(pair); });
        lower[v] = first_from(by_greater, count, vertex, [&](std::uint64_t pair) { return code.greater(pair); });
        both[v] = upper[v] + lower[v];
    }
};

/// Row v of the result: first the smaller neighbors, then the greater ones.
struct FillRows {
    PairCode code;
    const std::uint64_t *by_lesser, *by_greater;
    const float *lesser_weights, *greater_weights;
    const Offset *upper, *lower;
    Index* targets;
    float* weights;
    __device__ void operator()(Offset e) const {
        const Offset below = upper[code.greater(by_greater[e])] + e;
        targets[below] = code.lesser(by_greater[e]);
        weights[below] = greater_weights[e];
        const Offset above = lower[code.lesser(by_lesser[e]) + 1] + e;
        targets[above] = code.greater(by_lesser[e]);
        weights[above] = lesser_weights[e];
    }
};

}  // namespace

template <class Rule>
DeviceGraph symmetrize(device::Cuda& cuda, DeviceGraph&& a, const Rule& rule) {
    const Index n = a.size();
    const PairCode code(n);
    WeightedPairs all = pairs_of(cuda, std::move(a), code);
    a = {};
    numerics::sort_pairs(cuda, all.pairs, all.weights, 0, 2 * code.bits);
    const WeightedPairs by_lesser = merged(cuda, all, rule);
    all = {};
    WeightedPairs by_greater{copy_of(cuda, by_lesser.pairs), copy_of(cuda, by_lesser.weights)};
    numerics::sort_pairs(cuda, by_greater.pairs, by_greater.weights, 0, code.bits);

    const std::size_t rows = static_cast<std::size_t>(n) + 1, count = by_lesser.pairs.size();
    const auto pairs = static_cast<Offset>(count);
    device::CudaBuffer<Offset> upper(rows, cuda.stream()), lower(rows, cuda.stream());
    DeviceGraph result{{rows, cuda.stream()}, {2 * count, cuda.stream()}, {2 * count, cuda.stream()}};
    cuda.each(Offset{n} + 1, FindBegins{code, pairs, by_lesser.pairs.data(), by_greater.pairs.data(), upper.data(),
                                        lower.data(), result.offsets.data()});
    cuda.each(pairs, FillRows{code, by_lesser.pairs.data(), by_greater.pairs.data(), by_lesser.weights.data(),
                              by_greater.weights.data(), upper.data(), lower.data(), result.targets.data(),
                              result.weights.data()});
    return result;
}

template DeviceGraph symmetrize(device::Cuda&, DeviceGraph&&, const ScaledSum&);
template DeviceGraph symmetrize(device::Cuda&, DeviceGraph&&, const FuzzyMix&);

}  // namespace dunlin::graph
