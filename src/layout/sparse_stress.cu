// SPDX-License-Identifier: Apache-2.0
#include "layout/sparse_stress.cuh"

#include "forces/attraction/springs.cuh"
#include "layout/drawing.hpp"
#include "stress/terms.hpp"

namespace dunlin::layout {

namespace {

using device::Cuda;
using device::CudaBuffer;

constexpr int threads = 256, lanes = 16;  // lanes of a vertex

/// One round of relaxation of n x pivots distances.
struct RelaxDistances {
    forces::CudaSprings::View springs;
    const float* lengths;  ///< null: 1 each
    Index pivots;
    const float* from;
    float* to;

    __device__ float least(float least, Offset begin, Offset end, Offset p) const {
        for (Offset e = begin; e < end; ++e) {
            const float length = lengths != nullptr ? lengths[e] : 1;
            least = fminf(least, from[Offset{springs.graph.targets[e]} * pivots + p] + length);
        }
        return least;
    }
};

/// Relaxes a short row; copies a long one, which is cut into pieces.
struct RelaxRow {
    RelaxDistances all;
    __device__ void operator()(Offset v, Offset p) const {
        const Offset begin = all.springs.graph.offsets[v], end = all.springs.graph.offsets[v + 1];
        const float own = all.from[v * all.pivots + p];
        all.to[v * all.pivots + p] = end - begin > all.springs.longest ? own : all.least(own, begin, end, p);
    }
};

/// Relaxes a piece of a long row. Distances are not negative, so their bits have the same order as their values.
struct RelaxPiece {
    RelaxDistances all;
    __device__ void operator()(Offset piece, Offset p) const {
        const auto [row, begin, end] = all.springs.pieces[piece];
        const Offset place = Offset{row} * all.pivots + p;
        const float least = all.least(all.from[place], begin, end, p);
        atomicMin(reinterpret_cast<int*>(all.to) + place, __float_as_int(least));
    }
};

struct EdgeWeight {
    const float* lengths;  ///< null: 1 each
    float* weights;
    __device__ void operator()(Offset e) const {
        weights[e] = lengths != nullptr ? stress::inverse_square(lengths[e]) : 1;
    }
};

struct CopyPivot {
    const Index* vertices;
    const float* map;
    int dim;
    float* pivot_places;
    __device__ void operator()(Offset p) const {
        for (int c = 0; c < dim; ++c) pivot_places[p * dim + c] = map[Offset{vertices[p]} * dim + c];
    }
};

struct MajorizationInput {
    Index size, pivots;
    const float *distances, *weights;   ///< size x pivots
    const float* pivot_places;          ///< coordinates of the pivots, pivots x dim
    const float *edge_weights, *pulls;  ///< sums over the edges of each vertex
    const std::uint8_t* pinned;         ///< null: all move
};

/// A step of majorization of every vertex, each by `lanes` lanes.
template <int D>
__global__ void __launch_bounds__(threads) move_kernel(MajorizationInput input, float* map) {
    const Offset v = (Offset{blockIdx.x} * threads + threadIdx.x) / lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const bool there = v < input.size;
    float from[D] = {};
    for (int c = 0; there && c < D; ++c) from[c] = map[v * D + c];
    math::Vec<float, D + 1> sum;  // of the forces; last, of the weights
    for (Index p = lane; there && p < input.pivots; p += lanes) {
        const Offset pair = v * input.pivots + p;
        const float weight = input.weights[pair];
        float apart[D], d2 = 0;
        for (int c = 0; c < D; ++c) {
            apart[c] = from[c] - input.pivot_places[Offset{p} * D + c];
            d2 += apart[c] * apart[c];
        }
        const float strength = stress::strength(stress::inverse_distance(d2), input.distances[pair], weight);
        for (int c = 0; c < D; ++c) sum.at[c] += strength * apart[c];
        sum.at[D] += weight;
    }
    sum = device::group_sum<lanes>(sum);
    if (!there || lane != 0 || (input.pinned != nullptr && input.pinned[v] != 0)) return;
    const float total = sum.at[D] + input.edge_weights[v];
    if (!(total > 0)) return;
    for (int c = 0; c < D; ++c) map[v * D + c] = from[c] + (sum.at[c] + input.pulls[v * D + c]) / total;
}

void move(Cuda& cuda, const MajorizationInput& input, int dim, float* map) {
    if (input.size == 0) return;
    const Offset blocks = (Offset{input.size} * lanes + threads - 1) / threads;
    by_dimension(dim, [&]<int D>() {
        move_kernel<D><<<static_cast<unsigned>(blocks), threads, 0, cuda.stream()>>>(input, map);
    });
    device::cuda_check(cudaGetLastError());
}

}  // namespace

void relax_distances(Cuda& cuda, const graph::DeviceLevel& level, int rounds, Pivots<Cuda>& pivots) {
    const forces::CudaSprings springs(cuda, *level.graph);
    CudaBuffer<float> next(pivots.distances.size(), cuda.stream());
    for (int round = 0; round < rounds; ++round) {
        const RelaxDistances all{springs.view(), level.lengths, pivots.count, pivots.distances.data(), next.data()};
        each_pair(cuda, all.springs.graph.size, all.pivots, RelaxRow{all});
        each_pair(cuda, all.springs.piece_count, all.pivots, RelaxPiece{all});
        next.swap(pivots.distances);
    }
}

void reduce_stress(Cuda& cuda, const graph::DeviceLevel& level, const Pivots<Cuda>& pivots, int steps, int dim,
                   CudaBuffer<float>& map, const std::uint8_t* pinned) {
    const Index n = level.graph->size();
    const auto size = static_cast<std::size_t>(n), axes = static_cast<std::size_t>(dim);
    const CudaBuffer<float> weights(level.graph->targets.size(), cuda.stream());
    cuda.each(level.graph->edges(), EdgeWeight{level.lengths, weights.data()});
    const forces::CudaSprings springs(cuda, *level.graph, weights.data());
    const CudaBuffer<float> sums(size, cuda.stream()), pulls(size * axes, cuda.stream());
    const CudaBuffer<float> pivot_places(static_cast<std::size_t>(pivots.count) * axes, cuda.stream());
    const MatrixView<const float> y{map.data(), n, dim};
    sum_attractions(cuda, springs, y, sums.data(), forces::LinearSpring{});
    const MajorizationInput input{n,
                                  pivots.count,
                                  pivots.distances.data(),
                                  pivots.weights.data(),
                                  pivot_places.data(),
                                  sums.data(),
                                  pulls.data(),
                                  pinned};
    for (int step = 0; step < steps; ++step) {
        cuda.each(pivots.count, CopyPivot{pivots.vertices.data(), map.data(), dim, pivot_places.data()});
        attract(cuda, springs, y, {pulls.data(), n, dim}, forces::StressSpring{});
        move(cuda, input, dim, map.data());
    }
}

Pivots<Cuda> upload_pivots(Cuda& cuda, const Pivots<device::Cpu>& pivots) {
    Pivots<Cuda> there;
    there.count = pivots.count;
    cuda.upload(there.vertices, pivots.vertices);
    cuda.upload(there.distances, pivots.distances);
    cuda.upload(there.weights, pivots.weights);
    return there;
}

CoarsestLayout place_coarsest(Cuda& cuda, const graph::DeviceLevel& level, int dim, std::uint64_t seed) {
    device::Cpu cpu(cuda.run());
    const Graph graph = graph::download(cuda, *level.graph);
    std::vector<float> lengths(level.lengths != nullptr ? graph.targets.size() : 0);
    cuda.copy_out(lengths.data(), level.lengths, lengths.size() * sizeof(float));
    return place_coarsest(cpu, {&graph, lengths}, dim, seed);
}

}  // namespace dunlin::layout
