// SPDX-License-Identifier: Apache-2.0
// Times the stages of t-SNE around the descent on a GPU, medians of 7.
//
//   bench_stages_gpu affinities|reorder|pca|kl|upload [N ...]
//
// The graphs are of points on a square lattice, numbered at random, each with 90 of its nearest 160 as neighbors, so
// that 56% of the edges have a reverse.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "descent/reorder.cuh"
#include "device/gpus.hpp"
#include "device/staging.cuh"
#include "device_timer.cuh"
#include "forces/attraction/attraction.cuh"
#include "graph/relabel.cuh"
#include "graph/symmetrize.cuh"
#include "initialization/pca.cuh"
#include "math/rng.hpp"
#include "numerics/sort.cuh"
#include "scores/kl.cuh"
#include "scores/kl.hpp"
#include "timing.hpp"
#include "tsne/affinities.cuh"

namespace {

using namespace dunlin;
using device::Cuda;
using device::CudaBuffer;
using graph::DeviceGraph;

constexpr int repetitions = 7;
constexpr Index degree = 90, nearest = 160;

/// Milliseconds of run(), the median of `repetitions` after a first; prepare() comes before each, untimed.
template <class Prepare, class Measured>
double milliseconds(Cuda& cuda, const Prepare& prepare, const Measured& measured) {
    std::vector<double> times;
    bench::DeviceTimer timer(cuda);
    for (int i = 0; i <= repetitions; ++i) {
        prepare();
        cuda.wait();
        timer.start();
        measured();
        const double time = timer.lap();
        if (i > 0) times.push_back(time);
    }
    return bench::median(times);
}

template <class Measured>
double milliseconds(Cuda& cuda, const Measured& measured) {
    return milliseconds(cuda, [] {}, measured);
}

/// A square lattice whose points are numbered at random: number = place * factor modulo the number of points.
struct Lattice {
    Index side;
    std::int64_t points, factor, inverse;

    explicit Lattice(Index n) : side(static_cast<Index>(std::sqrt(n))), points(Offset{side} * side) {
        for (factor = 7368787; std::gcd(factor, points) != 1; ++factor) {
        }
        std::int64_t a = factor % points, b = points, u = 1, v = 0;
        while (b != 0) {  // Euclid's algorithm
            const std::int64_t q = a / b;
            a = std::exchange(b, a - q * b);
            u = std::exchange(v, u - q * v);
        }
        inverse = (u % points + points) % points;
    }
    __device__ std::int64_t place(Offset number) const { return number * inverse % points; }
    __device__ Index number(Index x, Index y) const {
        const std::int64_t place = (y + side) % side * std::int64_t{side} + (x + side) % side;
        return static_cast<Index>(place * factor % points);
    }
};

struct Step {
    int x, y;
};

/// The steps from a lattice point to its nearest.
std::vector<Step> nearest_steps() {
    std::vector<Step> steps;
    for (int y = -12; y <= 12; ++y) {
        for (int x = -12; x <= 12; ++x) {
            if (x != 0 || y != 0) steps.push_back({x, y});
        }
    }
    std::stable_sort(steps.begin(), steps.end(),
                     [](const Step& a, const Step& b) { return a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y; });
    steps.resize(nearest);
    return steps;
}

struct Neighbors {
    Lattice lattice;
    const Step* steps;
    Offset* offsets;
    Index* targets;
    float* distances;
    __device__ void operator()(Offset e) const {
        const Offset i = e / degree, j = e % degree;
        const auto draw = math::random_bits(1, static_cast<std::uint64_t>(i));
        const auto which = static_cast<int>((j * 7 + static_cast<Offset>(draw % nearest)) % nearest);
        const auto place = lattice.place(i);
        const auto x = static_cast<Index>(place % lattice.side), y = static_cast<Index>(place / lattice.side);
        targets[e] = lattice.number(x + steps[which].x, y + steps[which].y);
        const auto length =
            sqrtf(static_cast<float>(steps[which].x * steps[which].x + steps[which].y * steps[which].y));
        distances[e] = length + 0.1F * static_cast<float>(math::random_uniform(2, static_cast<std::uint64_t>(e)));
        if (j == 0) offsets[i] = e;
        if (i + 1 == lattice.points && j == 0) offsets[i + 1] = lattice.points * degree;
    }
};

DeviceGraph neighbors_on(Cuda& cuda, const Lattice& lattice) {
    const auto points = static_cast<std::size_t>(lattice.points);
    DeviceGraph graph{{points + 1, cuda.stream()}, {points * degree, cuda.stream()}, {points * degree, cuda.stream()}};
    CudaBuffer<Step> steps;
    cuda.upload(steps, nearest_steps());
    cuda.each(lattice.points * degree,
              Neighbors{lattice, steps.data(), graph.offsets.data(), graph.targets.data(), graph.weights.data()});
    return graph;
}

struct Positions {
    Lattice lattice;
    float* y;
    __device__ void operator()(Offset i) const {
        const auto place = lattice.place(i);
        y[2 * i] = static_cast<float>(place % lattice.side);
        y[2 * i + 1] = static_cast<float>(place / lattice.side);
    }
};

descent::DescentState<Cuda> state_on(Cuda& cuda, const Lattice& lattice) {
    CudaBuffer<float> y(static_cast<std::size_t>(lattice.points) * 2, cuda.stream());
    cuda.each(lattice.points, Positions{lattice, y.data()});
    return descent::descent_state_at(cuda, std::move(y), 2);
}

void bench_affinities(Cuda& cuda, Index n) {
    const Lattice lattice(n);
    DeviceGraph graph, p;
    const auto fresh = [&] { p = {}, graph = neighbors_on(cuda, lattice); };
    const double search = milliseconds(cuda, fresh, [&] { tsne::conditional_affinities(cuda, graph, 30); });
    const double merge =
        milliseconds(cuda, fresh, [&] { p = graph::symmetrize(cuda, std::move(graph), graph::ScaledSum{}); });
    device::reset_cuda_peak_memory();
    const double all = milliseconds(cuda, fresh, [&] { p = tsne::affinities_on_device(cuda, std::move(graph), 30); });
    const auto edges = static_cast<double>(lattice.points) * degree;
    std::printf(
        "affinities %9lld x %d: search %8.3f ms, symmetrize %8.3f ms (%5.2f G edges/s), all %8.3f ms; "
        "%lld edges in P, peak %.2f GB\n",
        static_cast<long long>(lattice.points), degree, search, merge, edges / merge * 1e-6, all,
        static_cast<long long>(p.edges()), static_cast<double>(device::cuda_peak_memory()) * 1e-9);
}

/// One warp per row separates its edges.
__global__ void ends_of_edges(DeviceGraph::View graph, Index* rows, std::uint64_t* ends) {
    const Offset i = (Offset{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    if (i >= graph.size) return;
    for (Offset e = graph.offsets[i] + threadIdx.x % 32; e < graph.offsets[i + 1]; e += 32) {
        rows[e] = graph.targets[e];
        ends[e] = static_cast<std::uint64_t>(i) << 32 | __float_as_uint(graph.weights[e]);
    }
}

struct TakeEnds {
    const std::uint64_t* ends;
    Index* targets;
    float* weights;
    __device__ void operator()(Offset e) const {
        targets[e] = static_cast<Index>(ends[e] >> 32);
        weights[e] = __uint_as_float(static_cast<unsigned>(ends[e]));
    }
};

/// Targets ascend in every row of a symmetric graph: its edges by target are its rows.
void sort_rows(Cuda& cuda, DeviceGraph& graph) {
    CudaBuffer<Index> rows(graph.targets.size(), cuda.stream());
    CudaBuffer<std::uint64_t> ends(graph.targets.size(), cuda.stream());
    ends_of_edges<<<static_cast<unsigned>((graph.size() + 7) / 8), 256, 0, cuda.stream()>>>(graph.view(), rows.data(),
                                                                                            ends.data());
    numerics::sort_pairs(cuda, rows, ends, 0, 32 - __builtin_clz(static_cast<unsigned>(graph.size())));
    cuda.each(graph.edges(), TakeEnds{ends.data(), graph.targets.data(), graph.weights.data()});
}

void bench_reorder(Cuda& cuda, Index n) {
    const Lattice lattice(n);
    DeviceGraph p = tsne::affinities_on_device(cuda, neighbors_on(cuda, lattice), 30);
    descent::DescentState<Cuda> state = state_on(cuda, lattice);
    const MatrixView<float> force{state.attraction.data(), state.n, 2};
    const auto attraction = [&] {
        return milliseconds(cuda, [&] { forces::attract(cuda, forces::StudentT(), p, state.positions(), force); });
    };
    const double before = attraction();
    const double whole = milliseconds(cuda, [&] { descent::reorder(cuda, state, p); });  // but for the first: in order
    const double after = attraction();
    const DeviceGraph disordered = tsne::affinities_on_device(cuda, neighbors_on(cuda, lattice), 30);
    const double relabel =
        milliseconds(cuda, [&] { DeviceGraph q = graph::relabel(cuda, disordered, state.original); });
    sort_rows(cuda, p);
    const double sorted = attraction();
    const double sort = milliseconds(cuda, [&] { sort_rows(cuda, p); });
    std::printf(
        "reorder %9d points, %lld edges: whole %8.3f ms, graph from random order %8.3f ms (%6.1f GB/s)\n"
        "   attraction: random order %8.3f ms, Morton %8.3f, rows sorted too %8.3f (the sort %8.3f ms)\n",
        state.n, static_cast<long long>(p.edges()), whole, relabel,
        16.0 * static_cast<double>(p.edges()) / relabel * 1e-6, before, after, sorted, sort);
}

struct Tapering {
    float* x;
    Index cols;
    __device__ void operator()(Offset i) const {
        const double z = math::random_normal(3, static_cast<std::uint64_t>(i));
        x[i] = static_cast<float>(5 + z / static_cast<double>(i % cols + 1));
    }
};

void bench_pca(Cuda& cuda, Index n) {
    struct Case {
        Index cols;
        int components;
    };
    for (const Case c : {Case{50, 2}, {784, 2}, {784, 50}, {10000, 2}}) {
        if (Offset{n} * c.cols > Offset{2} << 30) continue;
        device::DevicePoints points{{nullptr, n, c.cols}, {}};
        cuda.resize(points.rows, static_cast<std::size_t>(n) * static_cast<std::size_t>(c.cols));
        cuda.each(Offset{n} * c.cols, Tapering{points.rows.data(), c.cols});
        cuda.wait();
        const auto begin = std::chrono::steady_clock::now();
        CudaBuffer<float> y = initialization::principal_coordinates_on_device(cuda, points, c.components);
        cuda.wait();
        const std::chrono::duration<double> first = std::chrono::steady_clock::now() - begin;
        const double time = milliseconds(
            cuda, [&] { y = initialization::principal_coordinates_on_device(cuda, points, c.components); });
        std::printf(
            "pca %9d x %5d -> %2d: %8.3f ms, the first time %8.3f (%6.1f GB/s, %5.1f Tflop/s if by covariance)\n", n,
            c.cols, c.components, time, first.count() * 1e3, 4.0 * n * c.cols / time * 1e-6,
            2.0 * n * c.cols * c.cols / time * 1e-9);
    }
}

void bench_kl(Cuda& cuda, Index n) {
    const Lattice lattice(n);
    const DeviceGraph p = tsne::affinities_on_device(cuda, neighbors_on(cuda, lattice), 30);
    const descent::DescentState<Cuda> state = state_on(cuda, lattice);
    scores::Score kl;
    const double time =
        milliseconds(cuda, [&] { kl = scores::kl_on_device(cuda, forces::StudentT(), p, state.positions()); });
    const auto rows = static_cast<double>(scores::rows_of_normalizer(state.n, {}, 1).size());
    std::printf("kl %9d points, %6.0f rows: %8.3f ms (%5.2f T pairs/s), %.5f +- %.5f\n", state.n, rows, time,
                rows * state.n / time * 1e-9, kl.value, kl.se);
}

void bench_upload(Cuda& cuda, Index n) {
    const std::vector<float> points(static_cast<std::size_t>(n) * 784, 1.0F);
    CudaBuffer<float> rows(points.size(), cuda.stream());
    const std::size_t bytes = points.size() * sizeof(float);
    const auto clock = [&](const auto& copy) {
        std::vector<double> times;
        for (int i = 0; i <= repetitions; ++i) {
            const auto begin = std::chrono::steady_clock::now();
            copy();
            cuda.wait();
            const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
            times.push_back(passed.count() * 1e3);
        }
        const double first = times[0];
        std::sort(times.begin() + 1, times.end());
        return std::pair(first, times[1 + repetitions / 2]);
    };
    const auto plain = clock([&] {
        device::cuda_check(cudaMemcpyAsync(rows.data(), points.data(), bytes, cudaMemcpyHostToDevice, cuda.stream()));
    });
    const auto staged = clock([&] { device::copy_in_staged(cuda, rows.data(), points.data(), bytes); });
    std::printf("upload %9d x 784: plain %8.3f ms (%5.1f GB/s), staged %8.3f ms (%5.1f GB/s), the first %8.3f ms\n", n,
                plain.second, static_cast<double>(bytes) / plain.second * 1e-6, staged.second,
                static_cast<double>(bytes) / staged.second * 1e-6, staged.first);
}

}  // namespace

int bench_main(int count, char** arguments) {
    const std::string what = count > 1 ? arguments[1] : "affinities";
    std::vector<Index> sizes;
    for (int i = 2; i < count; ++i) sizes.push_back(std::atoi(arguments[i]));
    if (sizes.empty()) sizes = {60000, 1000000, 10000000};
    Cuda cuda{dunlin::Run{}};
    for (const Index n : sizes) {
        if (what == "affinities") bench_affinities(cuda, n);
        if (what == "reorder") bench_reorder(cuda, n);
        if (what == "pca") bench_pca(cuda, n);
        if (what == "kl") bench_kl(cuda, n);
        if (what == "upload") bench_upload(cuda, n);
    }
    return 0;
}
