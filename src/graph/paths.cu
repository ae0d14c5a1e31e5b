// SPDX-License-Identifier: Apache-2.0
#include "graph/paths.cuh"

namespace dunlin::graph {

namespace {

constexpr int threads = 256, warps = threads / 32;
constexpr Index max_in_shared_memory = 15000;

/// Set of vertices, one bit each, in shared memory.
struct VertexBits {
    unsigned* words;
    Index count;
    __device__ void clear() const {
        for (Index w = static_cast<Index>(threadIdx.x); w < count; w += threads) words[w] = 0;
    }
    __device__ void add(Index v) const { atomicOr(words + v / 32, 1U << v % 32); }
};

/// Tentative path lengths. They are not negative, so their bits have the same order.
struct TentativeLengths {
    int* bits;
    __device__ float of(Index v) const { return __int_as_float(atomicMin(bits + v, __float_as_int(INFINITY))); }
    __device__ bool shorten(Index v, float way) const {
        return __float_as_int(way) < atomicMin(bits + v, __float_as_int(way));
    }
};

struct PathSearch {
    DeviceGraph::View graph;
    const float* lengths;  ///< null: 1 each
    float* rows;

    /// Relaxes the edges of v; returns true if a length decreased. Other threads may shorten lengths concurrently, also
    /// that of v, which is then marked again.
    __device__ bool relax_edges_of(Index v, const TentativeLengths& tentative, const VertexBits& next) const {
        bool shorter = false;
        const float own = tentative.of(v);
        for (Offset e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
            const Index to = __ldg(graph.targets + e);
            if (!tentative.shorten(to, own + (lengths != nullptr ? __ldg(lengths + e) : 1))) continue;
            next.add(to);
            shorter = true;
        }
        return shorter;
    }
};

/// In every round, from all vertices to which a way became shorter in the last. InShared: whether ways are found in
/// shared memory, else in the row that they are for.
template <bool InShared>
__global__ void __launch_bounds__(threads) search_kernel(PathSearch search, Index first) {
    extern __shared__ unsigned words[];
    const Index n = search.graph.size, source = first + static_cast<Index>(blockIdx.x), count = (n + 31) / 32;
    const auto thread = static_cast<Index>(threadIdx.x);
    VertexBits now{words, count}, next{words + count, count};
    float* row = search.rows + Offset{blockIdx.x} * n;
    const TentativeLengths tentative{InShared ? reinterpret_cast<int*>(words + 2 * count)
                                              : reinterpret_cast<int*>(row)};
    for (Index v = thread; v < n; v += threads) tentative.bits[v] = __float_as_int(v == source ? 0 : INFINITY);
    now.clear();
    next.clear();
    __syncthreads();
    if (thread == 0) now.add(source);
    __syncthreads();
    for (bool shorter = true; shorter;) {
        shorter = false;
        for (Index w = thread / 32; w < count; w += warps) {
            const Index v = w * 32 + thread % 32;
            if ((now.words[w] >> (v % 32) & 1) != 0) shorter |= search.relax_edges_of(v, tentative, next);
        }
        shorter = __syncthreads_or(static_cast<int>(shorter)) != 0;
        now.clear();
        __syncthreads();
        const VertexBits done = now;
        now = next;
        next = done;
    }
    for (Index v = thread; InShared && v < n; v += threads) row[v] = __int_as_float(tentative.bits[v]);
}

}  // namespace

void measure_paths(device::Cuda& cuda, const DeviceLevel& level, Index first, Index count, float* rows) {
    if (count == 0) return;
    const PathSearch search{level.graph->view(), level.lengths, rows};
    const bool in_shared = search.graph.size <= max_in_shared_memory;
    const auto n = static_cast<std::size_t>(search.graph.size);
    const std::size_t bytes = (2 * ((n + 31) / 32) + (in_shared ? n : 0)) * sizeof(int);
    const auto kernel = in_shared ? search_kernel<true> : search_kernel<false>;
    device::cuda_check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    kernel<<<static_cast<unsigned>(count), threads, bytes, cuda.stream()>>>(search, first);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::graph
