// SPDX-License-Identifier: Apache-2.0
#include "graph/coarsen.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/functional>

#include "graph/coarsen_rules.hpp"
#include "math/search.hpp"
#include "numerics/sort.cuh"

namespace dunlin::graph {

namespace {

using device::Cuda;
using device::CudaBuffer;

/// Edges of a level, with their sources.
struct Edges {
    const Offset* offsets;
    const Index *sources, *targets;
    const float *strengths, *lengths;  // lengths: null: 1 each

    __device__ float length(Offset e) const { return lengths != nullptr ? lengths[e] : 1; }
};

struct MarkRow {
    const Offset* offsets;
    Index* sources;
    __device__ void operator()(Offset v) const {
        if (offsets[v] < offsets[v + 1]) sources[offsets[v]] = static_cast<Index>(v);
    }
};

/// Source of every edge: the last row that begins at or before it.
CudaBuffer<Index> sources_of(Cuda& cuda, const DeviceGraph& graph) {
    CudaBuffer<Index> sources;
    cuda.fill(sources, graph.targets.size(), Index{0});
    cuda.each(graph.size(), MarkRow{graph.offsets.data(), sources.data()});
    if (graph.edges() == 0) return sources;
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveScan(scratch, bytes, sources.data(), sources.data(), cuda::maximum<>{},
                                              graph.edges(), cuda.stream());
    });
    return sources;
}

// Selection of roots

struct Candidates {
    std::uint32_t* priority;
    VertexState* state;
    std::uint8_t* beaten;  // a neighbor has a higher priority, in this round

    __device__ bool is_before(Index u, Index v) const {
        return priority[u] != priority[v] ? priority[u] > priority[v] : u > v;
    }
};

struct InitializeStates {
    Candidates all;
    const Offset* offsets;
    std::uint64_t seed;
    __device__ void operator()(Offset v) const {
        all.priority[v] = luby_priority(offsets[v + 1] - offsets[v], static_cast<Index>(v), seed);
        all.state[v] = VertexState::open;
        all.beaten[v] = 0;
    }
};

/// Marks the end of lower priority; concurrent writes are equal.
struct MarkBeaten {
    Candidates all;
    Edges edges;
    __device__ void operator()(Offset e) const {
        const Index v = edges.sources[e], u = edges.targets[e];
        if (all.state[v] == VertexState::open && all.state[u] == VertexState::open && all.is_before(u, v))
            all.beaten[v] = 1;
    }
};
struct SelectRoots {
    Candidates all;
    __device__ void operator()(Offset v) const {
        if (all.state[v] == VertexState::open && all.beaten[v] == 0) all.state[v] = VertexState::root;
        all.beaten[v] = 0;
    }
};
/// Neighbors of roots become members.
struct MarkMembers {
    Candidates all;
    Edges edges;
    __device__ void operator()(Offset e) const {
        if (all.state[edges.sources[e]] == VertexState::root) all.state[edges.targets[e]] = VertexState::member;
    }
};
struct IsOpen {
    const VertexState* state;
    __device__ double operator()(Offset v) const { return state[v] == VertexState::open ? 1 : 0; }
};

void select_roots(Cuda& cuda, Index n, Offset edge_count, const Edges& edges, const Candidates& all,
                  std::uint64_t seed) {
    constexpr int rounds_at_once = 3;
    cuda.each(n, InitializeStates{all, edges.offsets, seed});
    device::CudaCell<double> open;
    do {
        for (int round = 0; round < rounds_at_once; ++round) {
            cuda.each(edge_count, MarkBeaten{all, edges});
            cuda.each(n, SelectRoots{all});
            cuda.each(edge_count, MarkMembers{all, edges});
        }
        cuda.sum(n, IsOpen{all.state}, open);
    } while (cuda.read(open) > 0);
}

// Assignment of members to roots

struct IsRoot {
    const VertexState* state;
    __device__ Index operator()(Index v) const { return state[v] == VertexState::root ? 1 : 0; }
};

/// Strongest edge from each member to a root; of equals that to the root of higher priority, then the first.
struct StrongestEdge {
    Candidates all;
    Edges edges;
    unsigned long long* rank;
    unsigned long long* edge;

    __device__ bool is_candidate(Offset e) const {
        return all.state[edges.sources[e]] == VertexState::member && all.state[edges.targets[e]] == VertexState::root;
    }
    __device__ unsigned long long rank_of(Offset e) const {  // positive floats compare like their bits
        return static_cast<unsigned long long>(__float_as_uint(edges.strengths[e])) << 32 |
               all.priority[edges.targets[e]];
    }
};
struct MaximizeRank {
    StrongestEdge strongest;
    __device__ void operator()(Offset e) const {
        if (strongest.is_candidate(e)) atomicMax(strongest.rank + strongest.edges.sources[e], strongest.rank_of(e));
    }
};
struct SelectFirstEdge {
    StrongestEdge strongest;
    __device__ void operator()(Offset e) const {
        const Index v = strongest.edges.sources[e];
        if (strongest.is_candidate(e) && strongest.rank_of(e) == strongest.rank[v]) {
            atomicMin(strongest.edge + v, static_cast<unsigned long long>(e));
        }
    }
};

struct WriteParents {
    StrongestEdge strongest;
    const Index* number;  // of roots
    Index *parent, *root;
    float* reach;
    PathToRoot* to_root;
    __device__ void operator()(Offset v) const {
        if (strongest.all.state[v] == VertexState::root) {
            parent[v] = number[v];
            root[number[v]] = static_cast<Index>(v);
            to_root[v] = {};
        } else {
            const auto e = static_cast<Offset>(strongest.edge[v]);
            parent[v] = number[strongest.edges.targets[e]];
            to_root[v] = {strongest.edges.length(e), 1 / strongest.edges.strengths[e]};
        }
        reach[v] = to_root[v].length;
    }
};

// Coarse edges

/// A fine edge between two clusters. Key: both coarse ends in the low 2 * bits bits.
struct CrossingEdges {
    Edges edges;
    const Index* parent;
    int bits;
    __device__ bool operator()(Offset e) const { return parent[edges.sources[e]] != parent[edges.targets[e]]; }
    __device__ std::uint64_t key(Offset e) const {
        return static_cast<std::uint64_t>(parent[edges.sources[e]]) << bits |
               static_cast<std::uint64_t>(parent[edges.targets[e]]);
    }
};
struct KeyOf {
    CrossingEdges crossing;
    __device__ std::uint64_t operator()(Offset e) const { return crossing.key(e); }
};
struct CoarseEdgeOf {
    Edges edges;
    const PathToRoot* to_root;
    __device__ CoarseEdge operator()(Offset e) const {
        return coarse_edge_through(to_root[edges.sources[e]], edges.length(e), edges.strengths[e],
                                   to_root[edges.targets[e]]);
    }
};

struct CoarseEdges {
    CudaBuffer<std::uint64_t> keys;
    CudaBuffer<CoarseEdge> edges;

    struct View {
        std::uint64_t* keys;
        CoarseEdge* edges;
    };
    [[nodiscard]] View view() const { return {keys.data(), edges.data()}; }
};

template <class Is>
std::size_t count_of(Cuda& cuda, Offset n, const Is& is) {
    device::CudaCell<double> count;
    cuda.sum(n, is, count);
    return static_cast<std::size_t>(cuda.read(count));
}

/// Edges between clusters, sorted by their coarse ends; equal ones stay in the order of the fine edges.
CoarseEdges sorted_crossing_edges(Cuda& cuda, Offset edge_count, const CrossingEdges& crossing,
                                  const PathToRoot* to_root) {
    const std::size_t kept = count_of(cuda, edge_count, crossing);
    CoarseEdges result{{kept, cuda.stream()}, {kept, cuda.stream()}};
    const thrust::counting_iterator<Offset> place(0);
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSelect::Flagged(
            scratch, bytes,
            thrust::make_zip_iterator(thrust::make_transform_iterator(place, KeyOf{crossing}),
                                      thrust::make_transform_iterator(place, CoarseEdgeOf{crossing.edges, to_root})),
            thrust::make_transform_iterator(place, crossing),
            thrust::make_zip_iterator(result.keys.data(), result.edges.data()), thrust::make_discard_iterator(),
            edge_count, cuda.stream());
    });
    numerics::sort_pairs(cuda, result.keys, result.edges, 0, 2 * crossing.bits);
    return result;
}

struct IsFirst {
    const std::uint64_t* keys;
    __device__ bool operator()(Offset e) const { return e == 0 || keys[e] != keys[e - 1]; }
};
/// Merges equal edges: minimum of lengths, sum of strengths. One warp per merged edge, since two hubs may share very
/// many. `firsts`: begin of each run of equal edges, and the end of the last.
__global__ void merge_edges(Offset merged_count, const Offset* firsts, CoarseEdges::View sorted,
                            CoarseEdges::View merged) {
    const Offset to = (Offset{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    if (to >= merged_count) return;
    const auto lane = static_cast<Offset>(threadIdx.x % 32);
    float length = sorted.edges[firsts[to]].length;
    double strength = 0;
    for (Offset e = firsts[to] + lane; e < firsts[to + 1]; e += 32) {
        length = fminf(length, sorted.edges[e].length);
        strength += static_cast<double>(sorted.edges[e].strength);
    }
    strength = device::group_sum<32>(strength);
    for (int lanes = 16; lanes > 0; lanes /= 2) length = fminf(length, __shfl_down_sync(~0U, length, lanes));
    if (lane != 0) return;
    merged.keys[to] = sorted.keys[firsts[to]];
    merged.edges[to] = {length, static_cast<float>(strength)};
}

CoarseEdges merged(Cuda& cuda, const CoarseEdges& sorted) {
    const auto count = static_cast<Offset>(sorted.keys.size());
    const IsFirst is_first{sorted.keys.data()};
    const std::size_t kept = count_of(cuda, count, is_first);
    CoarseEdges result{{kept, cuda.stream()}, {kept, cuda.stream()}};
    if (kept == 0) return result;
    const CudaBuffer<Offset> firsts(kept + 1, cuda.stream());
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<Offset>(0), firsts.data(),
                                     thrust::make_discard_iterator(), count, is_first, cuda.stream());
    });
    cuda.copy_in(firsts.data() + kept, &count, sizeof count);
    constexpr Offset threads = 256;
    const Offset blocks = (static_cast<Offset>(kept) * 32 + threads - 1) / threads;
    merge_edges<<<static_cast<unsigned>(blocks), threads, 0, cuda.stream()>>>(static_cast<Offset>(kept), firsts.data(),
                                                                              sorted.view(), result.view());
    device::cuda_check(cudaGetLastError());
    return result;
}

/// Begin of a row: the first key that is not below it.
struct FindRowBegin {
    const std::uint64_t* keys;
    Offset count;
    int bits;
    Offset* offsets;
    __device__ void operator()(Offset row) const { offsets[row] = math::first_at_least(keys, count, bits, row); }
};
struct WriteRows {
    const std::uint64_t* keys;
    const CoarseEdge* edges;
    int bits;
    Index* targets;
    float *strengths, *lengths;
    __device__ void operator()(Offset e) const {
        targets[e] = static_cast<Index>(keys[e] & ((std::uint64_t{1} << bits) - 1));
        strengths[e] = edges[e].strength;
        lengths[e] = edges[e].length;
    }
};

void fill_rows(Cuda& cuda, const CoarseEdges& edges, Index n, int bits, DeviceCoarsening& coarse) {
    const auto count = static_cast<Offset>(edges.keys.size());
    cuda.resize(coarse.graph.offsets, static_cast<std::size_t>(n) + 1);
    cuda.resize(coarse.graph.targets, edges.keys.size());
    cuda.resize(coarse.graph.weights, edges.keys.size());
    cuda.resize(coarse.lengths, edges.keys.size());
    cuda.each(Offset{n} + 1, FindRowBegin{edges.keys.data(), count, bits, coarse.graph.offsets.data()});
    cuda.each(count, WriteRows{edges.keys.data(), edges.edges.data(), bits, coarse.graph.targets.data(),
                               coarse.graph.weights.data(), coarse.lengths.data()});
}

/// Computes parent, root and path to the root of every vertex; returns the number of roots.
Index assign_parents(Cuda& cuda, Index n, Offset edge_count, const StrongestEdge& strongest, DeviceCoarsening& result,
                     PathToRoot* to_root) {
    cuda.each(edge_count, MaximizeRank{strongest});
    cuda.each(edge_count, SelectFirstEdge{strongest});
    const CudaBuffer<Index> number(static_cast<std::size_t>(n), cuda.stream());
    const auto is_root =
        thrust::make_transform_iterator(thrust::counting_iterator<Index>(0), IsRoot{strongest.all.state});
    if (n > 0) {
        device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveSum(scratch, bytes, is_root, number.data(), n, cuda.stream());
        });
    }
    const std::size_t root_count = count_of(cuda, n, IsRoot{strongest.all.state});
    cuda.resize(result.parent, static_cast<std::size_t>(n));
    cuda.resize(result.reach, static_cast<std::size_t>(n));
    cuda.resize(result.root, root_count);
    cuda.each(n, WriteParents{strongest, number.data(), result.parent.data(), result.root.data(), result.reach.data(),
                              to_root});
    return static_cast<Index>(root_count);
}

}  // namespace

DeviceCoarsening coarsen(Cuda& cuda, const DeviceLevel& fine, std::uint64_t seed) {
    const Index n = fine.graph->size();
    const Offset edge_count = fine.graph->edges();
    const auto size = static_cast<std::size_t>(n);
    const CudaBuffer<Index> sources = sources_of(cuda, *fine.graph);
    const Edges edges{fine.graph->offsets.data(), sources.data(), fine.graph->targets.data(),
                      fine.graph->weights.data(), fine.lengths};
    const CudaBuffer<std::uint32_t> priority(size, cuda.stream());
    const CudaBuffer<VertexState> state(size, cuda.stream());
    const CudaBuffer<std::uint8_t> beaten(size, cuda.stream());
    const Candidates all{priority.data(), state.data(), beaten.data()};
    select_roots(cuda, n, edge_count, edges, all, seed);

    DeviceCoarsening result;
    CudaBuffer<unsigned long long> rank, edge;
    cuda.fill(rank, size, 0ULL);
    cuda.fill(edge, size, ~0ULL);
    const CudaBuffer<PathToRoot> to_root(size, cuda.stream());
    const Index coarse = assign_parents(cuda, n, edge_count, StrongestEdge{all, edges, rank.data(), edge.data()},
                                        result, to_root.data());
    const int bits = std::bit_width(static_cast<std::uint32_t>(std::max(coarse, 1)));
    const CoarseEdges crossing =
        sorted_crossing_edges(cuda, edge_count, CrossingEdges{edges, result.parent.data(), bits}, to_root.data());
    fill_rows(cuda, merged(cuda, crossing), coarse, bits, result);
    return result;
}

}  // namespace dunlin::graph
