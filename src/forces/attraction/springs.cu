// SPDX-License-Identifier: Apache-2.0
#include "forces/attraction/springs.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_select.cuh>

#include "device/scratch.cuh"
#include "forces/attraction/edges.cuh"

namespace dunlin::forces {

namespace {

using edges::Position;

constexpr int threads = 256;
constexpr Offset quads_a_lane = 16;  ///< most loads per lane of a row that is not cut
constexpr Offset piece_size = 2048;  ///< edges

/// Few lanes for short rows, because a lane loads four edges at once.
int lanes_for(const edges::View& graph) {
    const Offset mean = graph.size > 0 ? graph.edges / graph.size : 0;
    return mean < 8 ? 2 : mean < 32 ? 4 : 16;
}

struct IsLonger {
    const Offset* offsets;
    Offset longest;
    __device__ bool operator()(Index row) const { return offsets[row + 1] - offsets[row] > longest; }
};

struct RowEnds {
    const Offset* offsets;
    const Index* rows;
    Offset* ends;
    __device__ void operator()(Offset i) const {
        ends[2 * i] = offsets[rows[i]];
        ends[2 * i + 1] = offsets[rows[i] + 1];
    }
};

/// Rows of more than `longest` edges, in ascending order.
std::vector<Index> longer_rows(device::Cuda& cuda, const edges::View& graph, Offset longest) {
    const auto most = static_cast<std::size_t>(std::min<Offset>(graph.size, graph.edges / longest));
    if (most == 0) return {};
    device::CudaBuffer<Index> rows(most, cuda.stream()), count(1, cuda.stream());
    device::with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<Index>(0), rows.data(), count.data(),
                                     graph.size, IsLonger{graph.offsets, longest}, cuda.stream());
    });
    std::vector<Index> found(static_cast<std::size_t>(cuda.host(count)[0]));
    cuda.copy_out(found.data(), rows.data(), found.size() * sizeof(Index));
    return found;
}

/// Offsets of the begin and the end of each of these rows.
std::vector<Offset> ends_of(device::Cuda& cuda, const edges::View& graph, const std::vector<Index>& rows) {
    device::CudaBuffer<Index> which;
    cuda.upload(which, rows);
    device::CudaBuffer<Offset> ends(2 * rows.size(), cuda.stream());
    cuda.each(static_cast<Offset>(rows.size()), RowEnds{graph.offsets, which.data(), ends.data()});
    return cuda.host(ends);
}

/// Spring force of an edge on its row.
template <class Spring, int D>
struct SpringTerm {
    using Sum = math::Vec<float, D>;
    Spring spring;
    float* force;

    __device__ void operator()(float weight, const Position<D>& from, const Position<D>& to, Sum& sum) const {
        Position<D> delta;
        const float attraction = spring.attraction(weight, edges::difference<D>(to, from, delta));
        for (int c = 0; c < D; ++c) sum.at[c] += attraction * delta.at[c];
    }
    template <class Real>
    __device__ void take(Index row, const math::Vec<Real, D>& sum) const {
        for (int c = 0; c < D; ++c) force[Offset{row} * D + c] = static_cast<float>(sum.at[c]);
    }
};

/// spring.attraction of an edge, without its direction.
template <class Spring, int D>
struct AttractionSize {
    using Sum = math::Vec<float, 1>;
    Spring spring;
    float* sums;

    __device__ void operator()(float weight, const Position<D>& from, const Position<D>& to, Sum& sum) const {
        Position<D> delta;
        sum.at[0] += spring.attraction(weight, edges::difference<D>(to, from, delta));
    }
    template <class Real>
    __device__ void take(Index row, const math::Vec<Real, 1>& sum) const {
        sums[row] = static_cast<float>(sum.at[0]);
    }
};

/// Number of values that an edge contributes.
template <class Edge>
constexpr int size_of = sizeof(typename Edge::Sum) / sizeof(float);

/// The first row_blocks blocks take rows, a few lanes each; the others take pieces of long rows, one warp each.
template <int D, int Lanes, class Edge>
__global__ void __launch_bounds__(threads)
    attract_kernel(CudaSprings::View springs, unsigned row_blocks, const float* y, Edge edge) {
    const auto& graph = springs.graph;
    if (blockIdx.x >= row_blocks) {
        const Index p = static_cast<Index>((blockIdx.x - row_blocks) * (threads / 32) + threadIdx.x / 32);
        if (p >= springs.piece_count) return;
        const CudaSprings::Piece piece = springs.pieces[p];
        const int lane = static_cast<int>(threadIdx.x) % 32;
        math::Vec<double, size_of<Edge>> sum;
        sum += edges::sum_edges<D>(graph, y, edge, piece.row, piece.begin, piece.end, lane, 32);
        sum = device::group_sum<32>(sum);
        for (int c = 0; lane == 0 && c < size_of<Edge>; ++c) springs.parts[3 * Offset{p} + c] = sum.at[c];
        return;
    }
    const auto row = static_cast<Index>((Offset{blockIdx.x} * threads + threadIdx.x) / Lanes);
    const int lane = static_cast<int>(threadIdx.x) % Lanes;
    const bool there = row < graph.size;
    const Offset begin = there ? graph.offsets[row] : 0, end = there ? graph.offsets[row + 1] : 0;
    const bool ours = there && end - begin <= springs.longest;
    typename Edge::Sum sum;
    if (ours) sum = edges::sum_edges<D>(graph, y, edge, row, begin, end, lane, Lanes);
    sum = device::group_sum<Lanes>(sum);
    if (ours && lane == 0) edge.take(row, sum);
}

/// One warp per long row adds its pieces in a fixed order.
template <class Edge>
__global__ void __launch_bounds__(threads) join_kernel(CudaSprings::View springs, Edge edge) {
    const Index l = static_cast<Index>(blockIdx.x * (threads / 32) + threadIdx.x / 32);
    if (l >= springs.long_count) return;
    const Index end = l + 1 < springs.long_count ? springs.long_rows[l + 1].first : springs.piece_count;
    math::Vec<double, size_of<Edge>> sum;
    for (Index p = springs.long_rows[l].first + static_cast<Index>(threadIdx.x % 32); p < end; p += 32) {
        for (int c = 0; c < size_of<Edge>; ++c) sum.at[c] += springs.parts[3 * Offset{p} + c];
    }
    sum = device::group_sum<32>(sum);
    if (threadIdx.x % 32 == 0) edge.take(springs.long_rows[l].row, sum);
}

unsigned blocks_for(Offset items, Offset of_block) { return static_cast<unsigned>((items + of_block - 1) / of_block); }

template <int D, int Lanes, class Edge>
void for_rows(device::Cuda& cuda, const CudaSprings::View& springs, const float* y, const Edge& edge) {
    const unsigned row_blocks = blocks_for(springs.graph.size, threads / Lanes);
    const unsigned piece_blocks = blocks_for(springs.piece_count, threads / 32);
    attract_kernel<D, Lanes><<<row_blocks + piece_blocks, threads, 0, cuda.stream()>>>(springs, row_blocks, y, edge);
    device::cuda_check(cudaGetLastError());
    if (springs.long_count == 0) return;
    join_kernel<<<blocks_for(springs.long_count, threads / 32), threads, 0, cuda.stream()>>>(springs, edge);
    device::cuda_check(cudaGetLastError());
}

}  // namespace

CudaSprings::CudaSprings(device::Cuda& cuda, const graph::DeviceGraph& graph, const float* weights)
    : offsets(graph.offsets), targets(graph.targets), graph_(graph.view()), lanes_(lanes_for(graph_)) {
    if (weights != nullptr) graph_.weights = weights;
    const std::vector<Index> rows = longer_rows(cuda, graph_, view().longest);
    if (rows.empty()) return;
    const std::vector<Offset> ends = ends_of(cuda, graph_, rows);
    std::vector<LongRow> long_rows;
    std::vector<Piece> pieces;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        long_rows.push_back({rows[r], static_cast<Index>(pieces.size())});
        // Cut at multiples of 4, so that four edges are one load
        for (Offset begin = ends[2 * r]; begin < ends[2 * r + 1];) {
            const Offset end = std::min((begin / piece_size + 1) * piece_size, ends[2 * r + 1]);
            pieces.push_back({rows[r], begin, end});
            begin = end;
        }
    }
    cuda.upload(long_rows_, long_rows);
    cuda.upload(pieces_, pieces);
    cuda.resize(parts_, 3 * pieces.size());
}

auto CudaSprings::view() const -> View {
    return {graph_,
            4 * quads_a_lane * lanes_,
            pieces_.data(),
            static_cast<Index>(pieces_.size()),
            long_rows_.data(),
            static_cast<Index>(long_rows_.size()),
            parts_.data()};
}

namespace {

template <int D, class Edge>
void for_rows(device::Cuda& cuda, const CudaSprings& springs, const float* y, const Edge& edge) {
    const CudaSprings::View view = springs.view();
    if (view.graph.size == 0) return;
    if (springs.lanes() == 2) return for_rows<D, 2>(cuda, view, y, edge);
    if (springs.lanes() == 4) return for_rows<D, 4>(cuda, view, y, edge);
    for_rows<D, 16>(cuda, view, y, edge);
}

}  // namespace

template <class Spring>
void attract(device::Cuda& cuda, const CudaSprings& springs, MatrixView<const float> y, MatrixView<float> force,
             const Spring& spring) {
    y.cols == 1   ? for_rows<1>(cuda, springs, y.data, SpringTerm<Spring, 1>{spring, force.data})
    : y.cols == 2 ? for_rows<2>(cuda, springs, y.data, SpringTerm<Spring, 2>{spring, force.data})
                  : for_rows<3>(cuda, springs, y.data, SpringTerm<Spring, 3>{spring, force.data});
}

template <class Spring>
void sum_attractions(device::Cuda& cuda, const CudaSprings& springs, MatrixView<const float> y, float* sums,
                     const Spring& spring) {
    y.cols == 1   ? for_rows<1>(cuda, springs, y.data, AttractionSize<Spring, 1>{spring, sums})
    : y.cols == 2 ? for_rows<2>(cuda, springs, y.data, AttractionSize<Spring, 2>{spring, sums})
                  : for_rows<3>(cuda, springs, y.data, AttractionSize<Spring, 3>{spring, sums});
}

#define DUNLIN_SPRING(Spring) \
    template void attract(device::Cuda&, const CudaSprings&, MatrixView<const float>, MatrixView<float>, const Spring&);
DUNLIN_SPRING(LogSpring)
DUNLIN_SPRING(QuadraticSpring)
DUNLIN_SPRING(LinearSpring)
DUNLIN_SPRING(LinLogSpring)
DUNLIN_SPRING(BoundedSpring)
DUNLIN_SPRING(StressSpring)
template void sum_attractions(device::Cuda&, const CudaSprings&, MatrixView<const float>, float*, const LinearSpring&);
template void sum_attractions(device::Cuda&, const CudaSprings&, MatrixView<const float>, float*, const BoundedSpring&);

}  // namespace dunlin::forces
