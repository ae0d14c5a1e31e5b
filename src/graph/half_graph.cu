// SPDX-License-Identifier: Apache-2.0
#include "graph/half_graph.cuh"

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <bit>
#include <utility>

#include "graph/relabel.cuh"
#include "numerics/sort.cuh"
#include "progress/cancel.hpp"

namespace dunlin::graph {

namespace {

using device::Cuda;
using device::CudaBuffer;

constexpr int warp = 32, threads = 256;
constexpr double stretch = 1024;       ///< of weights, away from the least numbers of half precision
constexpr Index columns_at_once = 16;  ///< of the lists, while they are permuted: a sector or two of each row

struct Narrow {
    const float* weights;
    __half* narrow;
    __device__ void operator()(Offset e) const {
        narrow[e] = __float2half_rn(weights[e] * static_cast<float>(stretch));
    }
};

constexpr unsigned short sign = 0x8000;
__device__ bool has_reverse(__half weight) { return (__half_as_ushort(weight) & sign) != 0; }
__device__ __half with_reverse(__half weight) {
    return __ushort_as_half(static_cast<unsigned short>(__half_as_ushort(weight) | sign));
}

/// One warp per list: the weights of the edges, merged with those of their reverse edges.
__global__ void __launch_bounds__(threads)
    merge_reverse(Index n, Index degree, const Index* targets, const __half* weights, __half* merged) {
    const Offset row = (Offset{blockIdx.x} * blockDim.x + threadIdx.x) / warp;
    if (row >= n) return;
    const int lane = static_cast<int>(threadIdx.x) % warp;
    for (Index place = 0; place < degree; ++place) {
        const Offset edge = row * degree + place;
        const Offset other = Offset{targets[edge]} * degree;
        Offset reverse = -1;
        for (Index begin = 0; begin < degree && reverse < 0; begin += warp) {
            const bool here = begin + lane < degree && targets[other + begin + lane] == static_cast<Index>(row);
            const unsigned found = __ballot_sync(~0U, here);
            if (found != 0) reverse = other + begin + __ffs(static_cast<int>(found)) - 1;
        }
        if (lane != 0) continue;
        merged[edge] =
            reverse < 0 ? weights[edge]
                        : with_reverse(__float2half_rn(__half2float(weights[edge]) + __half2float(weights[reverse])));
    }
}

/// Counts the edges without a reverse by target.
struct CountLacking {
    const Index* targets;
    const __half* weights;
    unsigned* lacking;
    __device__ void operator()(Offset e) const {
        if (!has_reverse(weights[e])) atomicAdd(lacking + targets[e], 1U);
    }
};

/// An edge without a reverse: its target in the upper half, its row in the lower one.
struct ReversedEdge {
    Index degree;
    const Index* targets;
    __device__ std::uint64_t operator()(Offset e) const {
        return static_cast<std::uint64_t>(targets[e]) << 32 | static_cast<std::uint64_t>(e / degree);
    }
};
struct LacksReverse {
    const __half* weights;
    __device__ bool operator()(Offset e) const { return !has_reverse(weights[e]); }
};

/// Edges sorted by target.
struct SortedEdges {
    const std::uint64_t* edges;
    Offset count;

    __device__ Index target(Offset i) const { return static_cast<Index>(edges[i] >> 32); }
    __device__ Index row(Offset i) const { return static_cast<Index>(edges[i] & 0xffffffffU); }

    /// The first edge with the target of edge i. Most targets have few edges: the search begins at i.
    __device__ Offset first_of(Offset i) const {
        const Index mine = target(i);
        Offset same = i, step = 1;
        while (same - step >= 0 && target(same - step) == mine) {
            same -= step;
            step *= 2;
        }
        Offset other = max(same - step, Offset{-1});  // -1, or of another target
        while (same - other > 1) {
            const Offset middle = other + (same - other) / 2;
            (target(middle) == mine ? same : other) = middle;
        }
        return same;
    }
};

/// Appends each edge to the row of its target.
struct Append {
    SortedEdges sorted;
    const __half* weights;
    const Offset* ends;  ///< of the rows so far
    Index* targets;
    __half* reverse_weights;
    __device__ void operator()(Offset i) const {
        const Offset to = ends[sorted.target(i)] + i - sorted.first_of(i);
        targets[to] = sorted.row(i);
        reverse_weights[to] = weights[i];
    }
};

/// The last edge of each target moves the end of its row.
struct MoveEnds {
    SortedEdges sorted;
    Offset* ends;
    __device__ void operator()(Offset i) const {
        if (i + 1 < sorted.count && sorted.target(i + 1) == sorted.target(i)) return;
        ends[sorted.target(i)] += i - sorted.first_of(i) + 1;
    }
};

/// offsets[i] = the sum of the counts before i.
CudaBuffer<Offset> offsets_of(Cuda& cuda, const CudaBuffer<unsigned>& counts) {
    CudaBuffer<Offset> offsets(counts.size(), cuda.stream());
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveScan(scratch, bytes, counts.data(), offsets.data(), thrust::plus<>{},
                                              Offset{0}, static_cast<Offset>(counts.size()), cuda.stream());
    });
    return offsets;
}

/// Appends the edges [begin, end) that lack a reverse to the rows of their targets.
void reverse_range(Cuda& cuda, HalfGraph& graph, Offset begin, Offset end, CudaBuffer<Offset>& ends) {
    CudaBuffer<std::uint64_t> edges(static_cast<std::size_t>(end - begin), cuda.stream());
    CudaBuffer<__half> weights(edges.size(), cuda.stream());
    CudaBuffer<Offset> selected(1, cuda.stream());
    const thrust::counting_iterator<Offset> place(begin);
    const auto lacks = thrust::make_transform_iterator(place, LacksReverse{graph.list_weights.data()});
    const auto select = [&](auto values, auto* to) {
        device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceSelect::Flagged(scratch, bytes, values, lacks, to, selected.data(), end - begin,
                                              cuda.stream());
        });
    };
    select(thrust::make_transform_iterator(place, ReversedEdge{graph.degree, graph.list_targets.data()}), edges.data());
    select(graph.list_weights.data() + begin, weights.data());
    Offset count = 0;
    cuda.copy_out(&count, selected.data(), sizeof(Offset));
    if (count == 0) return;

    CudaBuffer<std::uint64_t> spare_edges(static_cast<std::size_t>(count), cuda.stream());
    CudaBuffer<__half> spare_weights(spare_edges.size(), cuda.stream());
    cub::DoubleBuffer<std::uint64_t> both_edges(edges.data(), spare_edges.data());
    cub::DoubleBuffer<__half> both_weights(weights.data(), spare_weights.data());
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(graph.size())));
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(scratch, bytes, both_edges, both_weights, count, 32, 32 + bits,
                                               cuda.stream());
    });
    const SortedEdges sorted{both_edges.Current(), count};
    cuda.each(count, Append{sorted, both_weights.Current(), ends.data(), graph.reverse_targets.data(),
                            graph.reverse_weights.data()});
    cuda.each(count, MoveEnds{sorted, ends.data()});
}

/// The reverse part, of the edges of the lists that have no sign bit.
void reverse_edges(Cuda& cuda, HalfGraph& graph, Index n, Offset edges_at_once) {
    const auto edges = static_cast<Offset>(graph.list_targets.size());
    CudaBuffer<unsigned> lacking;
    cuda.fill(lacking, static_cast<std::size_t>(n) + 1, 0U);
    cuda.each(edges, CountLacking{graph.list_targets.data(), graph.list_weights.data(), lacking.data()});
    graph.reverse_offsets = offsets_of(cuda, lacking);
    CudaBuffer<Offset> ends = offsets_of(cuda, lacking);
    Offset reversed = 0;
    cuda.copy_out(&reversed, graph.reverse_offsets.data() + n, sizeof(Offset));
    cuda.resize(graph.reverse_targets, static_cast<std::size_t>(reversed));
    cuda.resize(graph.reverse_weights, static_cast<std::size_t>(reversed));
    const Offset rows = std::max<Offset>(1, edges_at_once / std::max<Index>(1, graph.degree));
    for (Offset row = 0; row < n; row += rows) {
        progress::cancellation_point();
        reverse_range(cuda, graph, row * graph.degree, std::min<Offset>(row + rows, n) * graph.degree, ends);
    }
}

/// Columns of the rows of `from`, in a new order; `map` of each entry.
template <class T, class Map>
struct TakeColumns {
    const T* from;
    Index degree, first, columns;
    const Index* order;
    Map map;
    T* to;
    __device__ void operator()(Offset i) const {
        to[i] = map(from[Offset{order[i / columns]} * degree + first + i % columns]);
    }
};
template <class T>
struct PutColumns {
    const T* from;
    Index degree, first, columns;
    T* to;
    __device__ void operator()(Offset i) const { to[i / columns * degree + first + i % columns] = from[i]; }
};

template <class T, class Map>
void permute_rows(Cuda& cuda, CudaBuffer<T>& lists, Index degree, const CudaBuffer<Index>& order, const Map& map) {
    const auto n = static_cast<Offset>(order.size());
    CudaBuffer<T> taken(order.size() * static_cast<std::size_t>(std::min(columns_at_once, degree)), cuda.stream());
    for (Index first = 0; first < degree; first += columns_at_once) {
        const Index columns = std::min(columns_at_once, degree - first);
        cuda.each(n * columns,
                  TakeColumns<T, Map>{lists.data(), degree, first, columns, order.data(), map, taken.data()});
        cuda.each(n * columns, PutColumns<T>{taken.data(), degree, first, columns, lists.data()});
    }
}

struct NewTarget {
    const Index* number;
    __device__ Index operator()(Index target) const { return number[target]; }
};
struct SameWeight {
    __device__ __half operator()(__half weight) const { return weight; }
};

}  // namespace

HalfGraph half_symmetrize(Cuda& cuda, DeviceGraph&& lists, double scale, Offset edges_at_once) {
    const Index n = lists.size();
    const Offset edges = lists.edges();
    HalfGraph graph;
    graph.degree = n > 0 ? static_cast<Index>(edges / n) : 0;
    graph.unit = static_cast<float>(scale / stretch);
    CudaBuffer<__half> weights(static_cast<std::size_t>(edges), cuda.stream());
    cuda.each(edges, Narrow{lists.weights.data(), weights.data()});
    graph.list_targets = std::move(lists.targets);
    lists = {};

    cuda.resize(graph.list_weights, static_cast<std::size_t>(edges));
    if (n > 0) {
        const auto blocks = static_cast<unsigned>((Offset{n} * warp + threads - 1) / threads);
        merge_reverse<<<blocks, threads, 0, cuda.stream()>>>(n, graph.degree, graph.list_targets.data(), weights.data(),
                                                             graph.list_weights.data());
        device::cuda_check(cudaGetLastError());
    }
    weights = {};
    reverse_edges(cuda, graph, n, edges_at_once);
    return graph;
}

void relabel(Cuda& cuda, HalfGraph& graph, const CudaBuffer<Index>& order, Offset edges_at_once) {
    const CudaBuffer<Index> number = numbers_of(cuda, order);
    graph.reverse_targets = {};
    graph.reverse_weights = {};
    permute_rows(cuda, graph.list_targets, graph.degree, order, NewTarget{number.data()});
    permute_rows(cuda, graph.list_weights, graph.degree, order, SameWeight{});
    reverse_edges(cuda, graph, graph.size(), edges_at_once);
}

}  // namespace dunlin::graph
