// SPDX-License-Identifier: Apache-2.0
#include "graph/coarsen.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/functional>

#include "device/sort.cuh"
#include "graph/coarsen_rules.hpp"

namespace dunlin::graph {

namespace {

using device::Cuda;
using device::CudaBuffer;

enum class VertexState : std::uint8_t { open, stays, joins };

/// A level's edges with their sources.
struct Edges {
    const Offset* offsets;
    const Index *sources, *targets;
    const float *strengths, *lengths;  // lengths may be null: 1 each

    __device__ float length(Offset e) const { return lengths != nullptr ? lengths[e] : 1; }
};

struct MarkRow {
    const Offset* offsets;
    Index* sources;
    __device__ void operator()(Offset v) const {
        if (offsets[v] < offsets[v + 1]) sources[offsets[v]] = static_cast<Index>(v);
    }
};

/// The source of every edge: the last row that begins at or before it.
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

// Who stays

struct Candidates {
    std::uint32_t* priority;
    VertexState* fate;
    std::uint8_t* beaten;  // by an open neighbor, in this round

    __device__ bool is_before(Index u, Index v) const {
        return priority[u] != priority[v] ? priority[u] > priority[v] : u > v;
    }
};

struct Enter {
    Candidates all;
    const Offset* offsets;
    std::uint64_t seed;
    __device__ void operator()(Offset v) const {
        all.priority[v] = luby_priority(offsets[v + 1] - offsets[v], static_cast<Index>(v), seed);
        all.fate[v] = VertexState::open;
        all.beaten[v] = 0;
    }
};

/// Whom an edge beats; all who write there write the same.
struct Compare {
    Candidates all;
    Edges edges;
    __device__ void operator()(Offset e) const {
        const Index v = edges.sources[e], u = edges.targets[e];
        if (all.fate[v] == VertexState::open && all.fate[u] == VertexState::open && all.is_before(u, v)) all.beaten[v] = 1;
    }
};
struct Stay {
    Candidates all;
    __device__ void operator()(Offset v) const {
        if (all.fate[v] == VertexState::open && all.beaten[v] == 0) all.fate[v] = VertexState::stays;
        all.beaten[v] = 0;
    }
};
/// The neighbors of those that stay join.
struct Join {
    Candidates all;
    Edges edges;
    __device__ void operator()(Offset e) const {
        if (all.fate[edges.sources[e]] == VertexState::stays) all.fate[edges.targets[e]] = VertexState::joins;
    }
};
struct IsOpen {
    const VertexState* fate;
    __device__ double operator()(Offset v) const { return fate[v] == VertexState::open ? 1 : 0; }
};

void choose(Cuda& cuda, Index n, Offset edge_count, const Edges& edges, const Candidates& all, std::uint64_t seed) {
    constexpr int rounds_at_once = 3;
    cuda.each(n, Enter{all, edges.offsets, seed});
    device::CudaCell<double> open;
    do {
        for (int round = 0; round < rounds_at_once; ++round) {
            cuda.each(edge_count, Compare{all, edges});
            cuda.each(n, Stay{all});
            cuda.each(edge_count, Join{all, edges});
        }
        cuda.sum(n, IsOpen{all.fate}, open);
    } while (cuda.read(open) > 0);
}

// Who joins whom

struct Stays {
    const VertexState* fate;
    __device__ Index operator()(Index v) const { return fate[v] == VertexState::stays ? 1 : 0; }
};

/// The strongest edge of each that joins to one that stays; among equals to the one of higher priority, then the first.
struct Bond {
    Candidates all;
    Edges edges;
    unsigned long long* rank;
    unsigned long long* edge;

    __device__ bool is_one(Offset e) const {
        return all.fate[edges.sources[e]] == VertexState::joins && all.fate[edges.targets[e]] == VertexState::stays;
    }
    __device__ unsigned long long rank_of(Offset e) const {  // strengths are above 0: as bits they have the same order
        return static_cast<unsigned long long>(__float_as_uint(edges.strengths[e])) << 32 |
               all.priority[edges.targets[e]];
    }
};
struct RankBond {
    Bond bond;
    __device__ void operator()(Offset e) const {
        if (bond.is_one(e)) atomicMax(bond.rank + bond.edges.sources[e], bond.rank_of(e));
    }
};
struct TakeBond {
    Bond bond;
    __device__ void operator()(Offset e) const {
        const Index v = bond.edges.sources[e];
        if (bond.is_one(e) && bond.rank_of(e) == bond.rank[v]) {
            atomicMin(bond.edge + v, static_cast<unsigned long long>(e));
        }
    }
};

struct Settle {
    Bond bond;
    const Index* number;  // of those that stay
    Index *parent, *root;
    float* reach;
    PathToRoot* way;
    __device__ void operator()(Offset v) const {
        if (bond.all.fate[v] == VertexState::stays) {
            parent[v] = number[v];
            root[number[v]] = static_cast<Index>(v);
            way[v] = {};
        } else {
            const auto e = static_cast<Offset>(bond.edge[v]);
            parent[v] = number[bond.edges.targets[e]];
            way[v] = {bond.edges.length(e), 1 / bond.edges.strengths[e]};
        }
        reach[v] = way[v].length;
    }
};

// Coarse edges

/// A fine edge that leaves its coarse vertex: both coarse ends in the low 2 * bits bits.
struct Leaves {
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
    Leaves leaves;
    __device__ std::uint64_t operator()(Offset e) const { return leaves.key(e); }
};
struct CoarseEdgeOf {
    Edges edges;
    const PathToRoot* way;
    __device__ CoarseEdge operator()(Offset e) const {
        return coarse_edge_through(way[edges.sources[e]], edges.length(e), edges.strengths[e], way[edges.targets[e]]);
    }
};

struct CoarseEdges {
    CudaBuffer<std::uint64_t> keys;
    CudaBuffer<CoarseEdge> links;

    struct View {
        std::uint64_t* keys;
        CoarseEdge* links;
    };
    [[nodiscard]] View view() const { return {keys.data(), links.data()}; }
};

template <class Is>
std::size_t count_of(Cuda& cuda, Offset n, const Is& is) {
    device::CudaCell<double> count;
    cuda.sum(n, is, count);
    return static_cast<std::size_t>(cuda.read(count));
}

/// The edges that leave, sorted by their ends; equal ones in the order of the fine edges.
CoarseEdges leaving(Cuda& cuda, Offset edge_count, const Leaves& leaves, const PathToRoot* way) {
    const std::size_t kept = count_of(cuda, edge_count, leaves);
    CoarseEdges result{{kept, cuda.stream()}, {kept, cuda.stream()}};
    const thrust::counting_iterator<Offset> place(0);
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSelect::Flagged(
            scratch, bytes,
            thrust::make_zip_iterator(thrust::make_transform_iterator(place, KeyOf{leaves}),
                                      thrust::make_transform_iterator(place, CoarseEdgeOf{leaves.edges, way})),
            thrust::make_transform_iterator(place, leaves),
            thrust::make_zip_iterator(result.keys.data(), result.links.data()), thrust::make_discard_iterator(),
            edge_count, cuda.stream());
    });
    device::sort_pairs(cuda, result.keys, result.links, 0, 2 * leaves.bits);
    return result;
}

struct IsFirst {
    const std::uint64_t* keys;
    __device__ bool operator()(Offset e) const { return e == 0 || keys[e] != keys[e - 1]; }
};
/// Equal links become one: as short as the shortest, as strong as all together. A warp each: between two hubs there
/// are very many. `firsts`: where each begins, and where the last ends.
__global__ void merge_links(Offset merged_count, const Offset* firsts, CoarseEdges::View sorted, CoarseEdges::View merged) {
    const Offset to = (Offset{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    if (to >= merged_count) return;
    const auto lane = static_cast<Offset>(threadIdx.x % 32);
    float length = sorted.links[firsts[to]].length;
    double strength = 0;
    for (Offset e = firsts[to] + lane; e < firsts[to + 1]; e += 32) {
        length = fminf(length, sorted.links[e].length);
        strength += static_cast<double>(sorted.links[e].strength);
    }
    strength = device::group_sum<32>(strength);
    for (int lanes = 16; lanes > 0; lanes /= 2) length = fminf(length, __shfl_down_sync(~0U, length, lanes));
    if (lane != 0) return;
    merged.keys[to] = sorted.keys[firsts[to]];
    merged.links[to] = {length, static_cast<float>(strength)};
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
    merge_links<<<static_cast<unsigned>(blocks), threads, 0, cuda.stream()>>>(static_cast<Offset>(kept), firsts.data(),
                                                                              sorted.view(), result.view());
    device::cuda_check(cudaGetLastError());
    return result;
}

/// Where a row begins: at the first key that is not below it.
struct Begin {
    const std::uint64_t* keys;
    Offset count;
    int bits;
    Offset* offsets;
    __device__ void operator()(Offset row) const {
        Offset low = 0, high = count;
        while (low < high) {
            const Offset middle = low + (high - low) / 2;
            (keys[middle] >> bits) < static_cast<std::uint64_t>(row) ? low = middle + 1 : high = middle;
        }
        offsets[row] = low;
    }
};
struct Fill {
    const std::uint64_t* keys;
    const CoarseEdge* links;
    int bits;
    Index* targets;
    float *strengths, *lengths;
    __device__ void operator()(Offset e) const {
        targets[e] = static_cast<Index>(keys[e] & ((std::uint64_t{1} << bits) - 1));
        strengths[e] = links[e].strength;
        lengths[e] = links[e].length;
    }
};

void fill_rows(Cuda& cuda, const CoarseEdges& links, Index n, int bits, DeviceCoarsening& coarse) {
    const auto count = static_cast<Offset>(links.keys.size());
    cuda.resize(coarse.graph.offsets, static_cast<std::size_t>(n) + 1);
    cuda.resize(coarse.graph.targets, links.keys.size());
    cuda.resize(coarse.graph.weights, links.keys.size());
    cuda.resize(coarse.lengths, links.keys.size());
    cuda.each(Offset{n} + 1, Begin{links.keys.data(), count, bits, coarse.graph.offsets.data()});
    cuda.each(count, Fill{links.keys.data(), links.links.data(), bits, coarse.graph.targets.data(),
                          coarse.graph.weights.data(), coarse.lengths.data()});
}

/// parent and way of every vertex; returns how many stay.
Index join_all(Cuda& cuda, Index n, Offset edge_count, const Bond& bond, DeviceCoarsening& result, PathToRoot* way) {
    cuda.each(edge_count, RankBond{bond});
    cuda.each(edge_count, TakeBond{bond});
    const CudaBuffer<Index> number(static_cast<std::size_t>(n), cuda.stream());
    const auto stays = thrust::make_transform_iterator(thrust::counting_iterator<Index>(0), Stays{bond.all.fate});
    if (n > 0) {
        device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveSum(scratch, bytes, stays, number.data(), n, cuda.stream());
        });
    }
    const std::size_t staying = count_of(cuda, n, Stays{bond.all.fate});
    cuda.resize(result.parent, static_cast<std::size_t>(n));
    cuda.resize(result.reach, static_cast<std::size_t>(n));
    cuda.resize(result.root, staying);
    cuda.each(n, Settle{bond, number.data(), result.parent.data(), result.root.data(), result.reach.data(), way});
    return static_cast<Index>(staying);
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
    const CudaBuffer<VertexState> fate(size, cuda.stream());
    const CudaBuffer<std::uint8_t> beaten(size, cuda.stream());
    const Candidates all{priority.data(), fate.data(), beaten.data()};
    choose(cuda, n, edge_count, edges, all, seed);

    DeviceCoarsening result;
    CudaBuffer<unsigned long long> rank, edge;
    cuda.fill(rank, size, 0ULL);
    cuda.fill(edge, size, ~0ULL);
    const CudaBuffer<PathToRoot> way(size, cuda.stream());
    const Index coarse = join_all(cuda, n, edge_count, Bond{all, edges, rank.data(), edge.data()}, result, way.data());
    const int bits = std::bit_width(static_cast<std::uint32_t>(std::max(coarse, 1)));
    const CoarseEdges links = leaving(cuda, edge_count, Leaves{edges, result.parent.data(), bits}, way.data());
    fill_rows(cuda, merged(cuda, links), coarse, bits, result);
    return result;
}

}  // namespace dunlin::graph
