// SPDX-License-Identifier: Apache-2.0
#include "forces/attraction/attraction.cuh"

#include "device/ranks.cuh"
#include "forces/attraction/edges.cuh"
#include "forces/law.hpp"
#include "forces/sampled/sampled.cuh"
#include "forces/width.hpp"

namespace dunlin::forces {

namespace {

using device::CudaCell;
using edges::difference;
using edges::edges_of;
using edges::Position;
using edges::sum_row;

constexpr int threads = 256;
constexpr Offset long_row = 4096;  ///< edges; the whole block shares a longer row, such as the center of a star

/// Attraction of an edge on its row.
template <class Law, int D>
struct AttractionTerm {
    using Sum = math::Vec<float, D>;
    Law law;
    float* force;

    __device__ void operator()(float p, const Position<D>& from, const Position<D>& to, Sum& sum) const {
        Position<D> delta;
        const float weight = law.attraction(p, difference<D>(from, to, delta));
        for (int c = 0; c < D; ++c) sum.at[c] += weight * delta.at[c];
    }
    template <class Real>
    __device__ void take(Index row, const math::Vec<Real, D>& sum) const {
        for (int c = 0; c < D; ++c) force[Offset{row} * D + c] = static_cast<float>(sum.at[c]);
    }
};

/// Cost of an edge.
template <class Law, int D>
struct CostTerm {
    using Sum = math::Vec<double, 1>;
    Law law;
    double* of_row;

    __device__ void operator()(float p, const Position<D>& from, const Position<D>& to, Sum& sum) const {
        Position<D> delta;
        sum.at[0] += static_cast<double>(law.cost(p, difference<D>(from, to, delta)));
    }
    __device__ void take(Index row, const math::Vec<double, 1>& sum) const { of_row[row] = sum.at[0]; }
};

/// One group of lanes per row; rows of more than long_row edges are summed by the whole block afterwards.
template <int D, int lanes_per_row, class View, class Edge>
__global__ void __launch_bounds__(threads)
    rows_kernel(View graph, Index begin_row, Index end_row, const float* y, Edge edge) {
    constexpr int rows_per_block = threads / lanes_per_row;
    const Index first = begin_row + static_cast<Index>(blockIdx.x) * rows_per_block;
    const Index row = first + static_cast<Index>(threadIdx.x) / lanes_per_row;
    const int lane = static_cast<int>(threadIdx.x) % lanes_per_row;
    const bool there = row < end_row;
    const bool is_long = there && edges_of(graph, row) > long_row;

    typename Edge::Sum sum;
    if (there && !is_long) sum = sum_row<D>(graph, y, edge, row, lane, lanes_per_row);
    sum = device::group_sum<lanes_per_row>(sum);
    if (there && !is_long && lane == 0) edge.take(row, sum);

    if (__syncthreads_or(is_long) == 0) return;
    for (Index other = first; other < min(first + rows_per_block, end_row); ++other) {
        if (edges_of(graph, other) <= long_row) continue;
        math::Vec<double, sizeof(sum) / sizeof(sum.at[0])> whole;
        whole += sum_row<D>(graph, y, edge, other, static_cast<int>(threadIdx.x), threads);
        whole = device::block_sum<threads>(whole);
        if (threadIdx.x == 0) edge.take(other, whole);
    }
}

template <int D, class View, class Edge>
void for_rows(device::Cuda& cuda, const View& graph, const device::Slice& rows, const float* y, const Edge& edge) {
    if (rows.size() == 0) return;
    const auto with = [&]<int Lanes>() {
        constexpr int rows_per_block = threads / Lanes;
        const auto blocks = static_cast<unsigned>((rows.size() + rows_per_block - 1) / rows_per_block);
        rows_kernel<D, Lanes><<<blocks, threads, 0, cuda.stream()>>>(graph, static_cast<Index>(rows.begin),
                                                                     static_cast<Index>(rows.end), y, edge);
        device::cuda_check(cudaGetLastError());
    };
    // A lane loads four edges at once. 16 lanes are the fastest among 2 to 32 for t-SNE's 100 to 150 edges in a row, at
    // 128 to 512 threads (docs/lab/tsne.md); of UMAP's 20 they would leave most idle.
    graph.edges / graph.size > 48 ? with.template operator()<16>() : with.template operator()<8>();
}

struct RowValue {
    const double* values;
    __device__ double operator()(Offset i) const { return values[i]; }
};

}  // namespace

template <class Law, class Graph>
void attract(device::Cuda& cuda, const Law& law, const Graph& affinities, MatrixView<const float> y,
             MatrixView<float> force, const device::Slice& rows) {
    if constexpr (has_wide_maps<Law>) {
        if (y.cols > 3) return attract_wide(cuda, law, affinities, y, force, rows);
    }
    y.cols == 2 ? for_rows<2>(cuda, affinities.view(), rows, y.data, AttractionTerm<Law, 2>{law, force.data})
                : for_rows<3>(cuda, affinities.view(), rows, y.data, AttractionTerm<Law, 3>{law, force.data});
}

template <class Law, class Graph>
void attract_cost(device::Cuda& cuda, const Law& law, const Graph& affinities, MatrixView<const float> y,
                  CudaCell<double>& cost) {
    device::CudaBuffer<double> of_row(static_cast<std::size_t>(y.rows), cuda.stream());
    const device::RowShare share = device::row_share(y.rows);
    if (y.cols <= 3) {
        y.cols == 2 ? for_rows<2>(cuda, affinities.view(), share.rows, y.data, CostTerm<Law, 2>{law, of_row.data()})
                    : for_rows<3>(cuda, affinities.view(), share.rows, y.data, CostTerm<Law, 3>{law, of_row.data()});
    } else if constexpr (has_wide_maps<Law>) {
        attract_costs_wide(cuda, law, affinities, y, of_row.data(), share.rows);
    }
    device::gather_rows(cuda, share, of_row.data(), 1);
    cuda.sum(y.rows, RowValue{of_row.data()}, cost);
}

#define DUNLIN_ATTRACT(Law, Graph)                                                                             \
    template void attract(device::Cuda&, const Law&, const Graph&, MatrixView<const float>, MatrixView<float>, \
                          const device::Slice&);                                                               \
    template void attract_cost(device::Cuda&, const Law&, const Graph&, MatrixView<const float>, CudaCell<double>&);
DUNLIN_ATTRACT(StudentT, graph::DeviceGraph)
DUNLIN_ATTRACT(GeneralStudentT, graph::DeviceGraph)
DUNLIN_ATTRACT(Fuzzy, graph::DeviceGraph)
DUNLIN_ATTRACT(PairLoss, graph::DeviceGraph)
DUNLIN_ATTRACT(StudentT, graph::HalfGraph)
DUNLIN_ATTRACT(GeneralStudentT, graph::HalfGraph)

}  // namespace dunlin::forces
