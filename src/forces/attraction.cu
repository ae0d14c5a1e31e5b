#include "forces/attraction.cuh"
#include "forces/law.hpp"

namespace dunlin::forces {

namespace {

using device::CudaCell;
using View = graph::DeviceGraph::View;

// Measured beside 2 to 32 lanes, 128 to 512 threads and edges one by one: docs/performance.md
constexpr int threads = 256;
constexpr int lanes_per_row = 16;
constexpr int rows_per_block = threads / lanes_per_row;
constexpr Offset long_row = 4096;  ///< edges; beyond, the whole block takes the row, so that a star's centre is shared

template <int D>
using Place = math::Vec<float, D>;

template <int D>
__device__ Place<D> place_of(const float* y, Index i) {
    Place<D> place;
    if constexpr (D == 2) {
        const float2 both = __ldg(reinterpret_cast<const float2*>(y) + i);
        place.at[0] = both.x;
        place.at[1] = both.y;
    } else {
        for (int c = 0; c < D; ++c) place.at[c] = __ldg(y + Offset{i} * D + c);
    }
    return place;
}

/// delta = from - to; returns its square.
template <int D>
__device__ float difference(const Place<D>& from, const Place<D>& to, Place<D>& delta) {
    float r2 = 0;
    for (int c = 0; c < D; ++c) {
        delta.at[c] = from.at[c] - to.at[c];
        r2 += delta.at[c] * delta.at[c];
    }
    return r2;
}

/// An edge's pull on its row.
template <int D>
struct Pull {
    using Sum = math::Vec<float, D>;
    float* force;

    __device__ void operator()(float p, const Place<D>& from, const Place<D>& to, Sum& sum) const {
        Place<D> delta;
        const float weight = StudentT::pull(p, difference<D>(from, to, delta));
        for (int c = 0; c < D; ++c) sum.at[c] += weight * delta.at[c];
    }
    template <class Real>
    __device__ void take(Index row, const math::Vec<Real, D>& sum) const {
        for (int c = 0; c < D; ++c) force[Offset{row} * D + c] = static_cast<float>(sum.at[c]);
    }
};

/// An edge's share of the cost.
template <int D>
struct Cost {
    using Sum = math::Vec<double, 1>;
    double* of_row;

    __device__ void operator()(float p, const Place<D>& from, const Place<D>& to, Sum& sum) const {
        Place<D> delta;
        sum.at[0] += static_cast<double>(StudentT::cost(p, difference<D>(from, to, delta)));
    }
    __device__ void take(Index row, const math::Vec<double, 1>& sum) const { of_row[row] = sum.at[0]; }
};

/// Four edges from a place that 4 divides, in two loads; those outside of the row [begin, end) weigh nothing.
struct Quad {
    alignas(16) Index target[4];
    alignas(16) float weight[4];

    __device__ Quad(const View& graph, Offset place, Offset begin, Offset end) {
        if (place + 4 <= graph.edges) {
            *reinterpret_cast<int4*>(target) = __ldcs(reinterpret_cast<const int4*>(graph.targets + place));
            *reinterpret_cast<float4*>(weight) = __ldcs(reinterpret_cast<const float4*>(graph.weights + place));
        } else {
            for (int e = 0; e < 4; ++e) {
                target[e] = graph.targets[min(place + e, graph.edges - 1)];
                weight[e] = graph.weights[min(place + e, graph.edges - 1)];
            }
        }
        for (int e = 0; e < 4; ++e) {
            if (place + e < begin || place + e >= end) weight[e] = 0;
        }
    }
};

/// The sum of edge(..) over the share of a row's edges that falls to one of `lanes` lanes.
template <int D, class Edge>
__device__ typename Edge::Sum sum_edges(const View& graph, const float* y, const Edge& edge, Index row, Offset begin,
                                        Offset end, int lane, int lanes) {
    typename Edge::Sum sum;
    const Place<D> from = place_of<D>(y, row);
    for (Offset quad = begin / 4 + lane; 4 * quad < end; quad += lanes) {
        const Quad edges(graph, 4 * quad, begin, end);
        Place<D> to[4];  // all on their way before the first is used
        for (int e = 0; e < 4; ++e) to[e] = place_of<D>(y, edges.target[e]);
        for (int e = 0; e < 4; ++e) edge(edges.weight[e], from, to[e], sum);
    }
    return sum;
}

/// A group of lanes for each row.
template <int D, class Edge>
__global__ void __launch_bounds__(threads) rows_kernel(View graph, const float* y, Edge edge) {
    const Index first = static_cast<Index>(blockIdx.x) * rows_per_block;
    const Index row = first + static_cast<Index>(threadIdx.x) / lanes_per_row;
    const int lane = static_cast<int>(threadIdx.x) % lanes_per_row;
    const bool there = row < graph.size;
    const Offset begin = there ? graph.offsets[row] : 0, end = there ? graph.offsets[row + 1] : 0;
    const bool is_long = end - begin > long_row;

    typename Edge::Sum sum;
    if (there && !is_long) sum = sum_edges<D>(graph, y, edge, row, begin, end, lane, lanes_per_row);
    sum = device::group_sum<lanes_per_row>(sum);
    if (there && !is_long && lane == 0) edge.take(row, sum);

    if (__syncthreads_or(is_long) == 0) return;
    for (Index other = first; other < min(first + rows_per_block, graph.size); ++other) {
        const Offset from = graph.offsets[other], to = graph.offsets[other + 1];
        if (to - from <= long_row) continue;
        math::Vec<double, sizeof(sum) / sizeof(sum.at[0])> whole;
        whole += sum_edges<D>(graph, y, edge, other, from, to, static_cast<int>(threadIdx.x), threads);
        whole = device::block_sum<threads>(whole);
        if (threadIdx.x == 0) edge.take(other, whole);
    }
}

template <int D, class Edge>
void for_rows(device::Cuda& cuda, const View& graph, const float* y, const Edge& edge) {
    if (graph.size == 0) return;
    const auto blocks = static_cast<unsigned>((graph.size + rows_per_block - 1) / rows_per_block);
    rows_kernel<D><<<blocks, threads, 0, cuda.stream()>>>(graph, y, edge);
    device::cuda_check(cudaGetLastError());
}

struct Value {
    const double* values;
    __device__ double operator()(Offset i) const { return values[i]; }
};

}  // namespace

void attract(device::Cuda& cuda, const graph::DeviceGraph& affinities, MatrixView<const float> y,
             MatrixView<float> force) {
    y.cols == 2 ? for_rows<2>(cuda, affinities.view(), y.data, Pull<2>{force.data})
                : for_rows<3>(cuda, affinities.view(), y.data, Pull<3>{force.data});
}

void attract_cost(device::Cuda& cuda, const graph::DeviceGraph& affinities, MatrixView<const float> y,
                  CudaCell<double>& cost) {
    device::CudaBuffer<double> of_row(static_cast<std::size_t>(y.rows), cuda.stream());
    y.cols == 2 ? for_rows<2>(cuda, affinities.view(), y.data, Cost<2>{of_row.data()})
                : for_rows<3>(cuda, affinities.view(), y.data, Cost<3>{of_row.data()});
    cuda.sum(y.rows, Value{of_row.data()}, cost);
}

}  // namespace dunlin::forces
