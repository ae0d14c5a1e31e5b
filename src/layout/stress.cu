// SPDX-License-Identifier: Apache-2.0
#include "layout/stress.cuh"

#include "forces/attraction/springs.cuh"
#include "layout/drawing.hpp"
#include "stress/terms.hpp"

namespace dunlin::layout {

namespace {

using device::Cuda;
using device::CudaBuffer;

constexpr int threads = 256, lanes = 16;  // of a vertex

/// Ways by neighbors, from distances that are n x pivots to such.
struct Shorten {
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

/// A row that is not cut; those that are keep what they have.
struct ShortenRow {
    Shorten all;
    __device__ void operator()(Offset v, Offset p) const {
        const Offset begin = all.springs.graph.offsets[v], end = all.springs.graph.offsets[v + 1];
        const float own = all.from[v * all.pivots + p];
        all.to[v * all.pivots + p] = end - begin > all.springs.longest ? own : all.least(own, begin, end, p);
    }
};

/// A piece of a long row. Distances are not below zero, so as bits they have the same order.
struct ShortenPiece {
    Shorten all;
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

struct CopyPlace {
    const Index* vertices;
    const float* map;
    int dim;
    float* places;
    __device__ void operator()(Offset p) const {
        for (int c = 0; c < dim; ++c) places[p * dim + c] = map[Offset{vertices[p]} * dim + c];
    }
};

/// What a step needs to know of all vertices.
struct Scene {
    Index size, pivots;
    const float *distances, *weights;   ///< size x pivots
    const float* places;                ///< of the pivots, pivots x dim
    const float *edge_weights, *pulls;  ///< sums over a vertex's edges
    const std::uint8_t* pinned;         ///< null: all move
};

/// A step of every vertex to where it would like to be best if the others stayed, by a few lanes each.
template <int D>
__global__ void __launch_bounds__(threads) move_kernel(Scene scene, float* map) {
    const Offset v = (Offset{blockIdx.x} * threads + threadIdx.x) / lanes;
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    const bool there = v < scene.size;
    float from[D] = {};
    for (int c = 0; there && c < D; ++c) from[c] = map[v * D + c];
    math::Vec<float, D + 1> sum;  // of the forces; last, of the weights
    for (Index p = lane; there && p < scene.pivots; p += lanes) {
        const Offset pair = v * scene.pivots + p;
        const float weight = scene.weights[pair];
        float apart[D], d2 = 0;
        for (int c = 0; c < D; ++c) {
            apart[c] = from[c] - scene.places[Offset{p} * D + c];
            d2 += apart[c] * apart[c];
        }
        const float strength = stress::strength(d2, scene.distances[pair], weight);
        for (int c = 0; c < D; ++c) sum.at[c] += strength * apart[c];
        sum.at[D] += weight;
    }
    sum = device::group_sum<lanes>(sum);
    if (!there || lane != 0 || (scene.pinned != nullptr && scene.pinned[v] != 0)) return;
    const float total = sum.at[D] + scene.edge_weights[v];
    if (!(total > 0)) return;
    for (int c = 0; c < D; ++c) map[v * D + c] = from[c] + (sum.at[c] + scene.pulls[v * D + c]) / total;
}

void move(Cuda& cuda, const Scene& scene, int dim, float* map) {
    if (scene.size == 0) return;
    const Offset blocks = (Offset{scene.size} * lanes + threads - 1) / threads;
    by_dimension(dim, [&]<int D>() {
        move_kernel<D><<<static_cast<unsigned>(blocks), threads, 0, cuda.stream()>>>(scene, map);
    });
    device::cuda_check(cudaGetLastError());
}

}  // namespace

void shorten(Cuda& cuda, const graph::DeviceLevel& level, int rounds, Pivots<Cuda>& pivots) {
    const forces::CudaSprings springs(cuda, *level.graph);
    CudaBuffer<float> next(pivots.distances.size(), cuda.stream());
    for (int round = 0; round < rounds; ++round) {
        const Shorten all{springs.view(), level.lengths, pivots.count, pivots.distances.data(), next.data()};
        each_pair(cuda, all.springs.graph.size, all.pivots, ShortenRow{all});
        each_pair(cuda, all.springs.piece_count, all.pivots, ShortenPiece{all});
        next.swap(pivots.distances);
    }
}

void lower_stress(Cuda& cuda, const graph::DeviceLevel& level, const Pivots<Cuda>& pivots, int steps, int dim,
                  CudaBuffer<float>& map, const std::uint8_t* pinned) {
    const Index n = level.graph->size();
    const auto size = static_cast<std::size_t>(n), axes = static_cast<std::size_t>(dim);
    const CudaBuffer<float> weights(level.graph->targets.size(), cuda.stream());
    cuda.each(level.graph->edges(), EdgeWeight{level.lengths, weights.data()});
    const forces::CudaSprings springs(cuda, *level.graph, weights.data());
    const CudaBuffer<float> sums(size, cuda.stream()), pulls(size * axes, cuda.stream());
    const CudaBuffer<float> places(static_cast<std::size_t>(pivots.count) * axes, cuda.stream());
    const MatrixView<const float> y{map.data(), n, dim};
    sum_pulls(cuda, springs, y, sums.data(), forces::LinearSpring{});
    const Scene scene{
        n,     pivots.count, pivots.distances.data(), pivots.weights.data(), places.data(), sums.data(), pulls.data(),
        pinned};
    for (int step = 0; step < steps; ++step) {
        cuda.each(pivots.count, CopyPlace{pivots.vertices.data(), map.data(), dim, places.data()});
        attract(cuda, springs, y, {pulls.data(), n, dim}, forces::StressSpring{});
        move(cuda, scene, dim, map.data());
    }
}

Pivots<Cuda> carried_to(Cuda& cuda, const Pivots<device::Cpu>& pivots) {
    Pivots<Cuda> there;
    there.count = pivots.count;
    cuda.upload(there.vertices, pivots.vertices);
    cuda.upload(there.distances, pivots.distances);
    cuda.upload(there.weights, pivots.weights);
    return there;
}

Summit summit_of(Cuda& cuda, const graph::DeviceLevel& level, int dim, std::uint64_t seed) {
    device::Cpu cpu(cuda.run());
    const Graph graph = graph::download(cuda, *level.graph);
    std::vector<float> lengths(level.lengths != nullptr ? graph.targets.size() : 0);
    cuda.copy_out(lengths.data(), level.lengths, lengths.size() * sizeof(float));
    return summit_of(cpu, {&graph, lengths}, dim, seed);
}

}  // namespace dunlin::layout
