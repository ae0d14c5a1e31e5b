// Eades' model on a GPU, rung by rung: the programs that "Force Directed Placement: GPU implementation" (Chan, So and
// Teper 2009) arrives at one after another, and two of today. Every rung starts from the same positions, is compared
// with the sequential program after ten steps, and then runs until the kinetic energy is below the threshold, which
// all but the last read after every step.
//
//   bench_eades_ladder_gpu [--runs N] [--commit NAME]       a CSV row for every graph and rung
//
// As their paper has it, edges are a matrix of n x n bytes and a pair's force goes through memory. The last rung holds
// everything in the shared memory of one cluster and settles in one launch.

#include <cooperative_groups.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include <dunlin/network.hpp>
#include <dunlin/run.hpp>

#include "device/cuda.cuh"
#include "eades_model.hpp"
#include "made_graphs.hpp"

namespace {

using namespace dunlin;
using bench::Eades;
using bench::Forces;
using device::CudaBuffer;

constexpr double stable = 1e-4;  // kinetic energy per vertex below which a drawing is settled
constexpr int most_steps = 20000;
constexpr int threads = 128;
constexpr int tile = 16;

unsigned blocks_for(Offset n, int size) { return static_cast<unsigned>((n + size - 1) / size); }

struct Drawing {
    std::vector<float2> at, velocity;
    double kinetic_energy = 0;
};

struct Input {
    std::string name;
    Graph graph;
    std::vector<std::uint8_t> linked;  // n x n

    Input(std::string called, Graph edges) : name(std::move(called)), graph(std::move(edges)) {
        const auto n = static_cast<std::size_t>(graph.size());
        linked.assign(n * n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            for (Offset e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
                linked[i * n + static_cast<std::size_t>(graph.targets[static_cast<std::size_t>(e)])] = 1;
            }
        }
    }
    [[nodiscard]] Index size() const { return graph.size(); }
    [[nodiscard]] double threshold() const { return stable * size(); }

    /// A sunflower's florets, one to a square of one edge's length: no two are close, so that rungs stay together.
    [[nodiscard]] Drawing start() const {
        Drawing drawing;
        for (Index i = 0; i < size(); ++i) {
            const double radius = std::sqrt((i + 0.5) / std::numbers::pi), angle = 2.399963 * i;
            drawing.at.push_back({float(radius * std::cos(angle)), float(radius * std::sin(angle))});
        }
        drawing.velocity.assign(drawing.at.size(), {0, 0});
        return drawing;
    }
};

/// The sequential program: what every rung is compared with.
class Sequential {
public:
    static constexpr const char* name = "sequential";

    Sequential(device::Cuda& /*cuda*/, const Input& input) : input_(input), drawing_(input.start()) {}

    double step() {
        const auto n = drawing_.at.size();
        std::vector<Forces> forces(n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                if (j != i) bench::meet(drawing_.at[i], drawing_.at[j], input_.linked[i * n + j] != 0, forces[i]);
            }
        }
        double energy = 0;
        for (std::size_t i = 0; i < n; ++i) {
            bench::move(Eades{}, forces[i], drawing_.at[i], drawing_.velocity[i]);
            energy += static_cast<double>(bench::energy_of(drawing_.velocity[i]));
        }
        return energy;
    }
    std::vector<float2> positions() { return drawing_.at; }

private:
    const Input& input_;
    Drawing drawing_;
};

/// What the rungs hold in device memory.
struct State {
    device::Cuda& cuda;
    Index n;
    CudaBuffer<float2> at, velocity;
    CudaBuffer<std::uint8_t> linked;
    CudaBuffer<float> energy;

    State(device::Cuda& on, const Input& input) : cuda(on), n(input.size()) {
        const Drawing start = input.start();
        cuda.upload(at, start.at);
        cuda.upload(velocity, start.velocity);
        cuda.upload(linked, input.linked);
        cuda.resize(energy, start.at.size());
    }
    [[nodiscard]] std::size_t pairs() const { return static_cast<std::size_t>(n) * static_cast<std::size_t>(n); }

    /// Kinetic energies come to the host, which adds them.
    double energy_on_host() {
        double sum = 0;
        for (const float e : cuda.host(energy)) sum += static_cast<double>(e);
        return sum;
    }
};

__global__ void energy_kernel(Index n, const float2* velocity, float* energy) {
    const Index i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) energy[i] = bench::energy_of(velocity[i]);
}

// 1. A thread per vertex: the sequential program's outer loop

__global__ void vertex_kernel(Index n, const float2* at, const std::uint8_t* linked, float2* next, float2* velocity) {
    const Index i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    float2 force{0, 0};
    for (Index j = 0; j < n; ++j) {
        if (j != i) bench::add(force, bench::force_between(Eades{}, at[i], at[j], linked[Offset{i} * n + j] != 0));
    }
    float2 here = at[i];
    bench::move(Eades{}, force, here, velocity[i]);
    next[i] = here;
}

class ThreadPerVertex {
public:
    static constexpr const char* name = "thread per vertex";

    ThreadPerVertex(device::Cuda& cuda, const Input& input) : s_(cuda, input) { cuda.resize(next_, s_.at.size()); }
    double step() {
        vertex_kernel<<<blocks_for(s_.n, threads), threads, 0, s_.cuda.stream()>>>(s_.n, s_.at.data(), s_.linked.data(),
                                                                                   next_.data(), s_.velocity.data());
        s_.at.swap(next_);
        s_.cuda.wait();
        energy_kernel<<<blocks_for(s_.n, threads), threads, 0, s_.cuda.stream()>>>(s_.n, s_.velocity.data(),
                                                                                   s_.energy.data());
        return s_.energy_on_host();
    }
    std::vector<float2> positions() { return s_.cuda.host(s_.at); }

private:
    State s_;
    CudaBuffer<float2> next_;
};

// 2. A thread per pair, each of whose forces goes to memory; then a thread per vertex adds its row

__global__ void pair_kernel(Index n, const float2* at, const std::uint8_t* linked, float2* force) {
    const Offset pair = Offset{blockIdx.x} * blockDim.x + threadIdx.x;
    if (pair >= Offset{n} * n) return;
    const auto i = static_cast<Index>(pair / n), j = static_cast<Index>(pair % n);
    force[pair] = i == j ? float2{0, 0} : bench::force_between(Eades{}, at[i], at[j], linked[pair] != 0);
}

__global__ void add_row_kernel(Index n, const float2* force, float2* at, float2* velocity) {
    const Index i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    float2 sum{0, 0};
    for (Index j = 0; j < n; ++j) bench::add(sum, force[Offset{i} * n + j]);
    bench::move(Eades{}, sum, at[i], velocity[i]);
}

class ThreadPerPair {
public:
    static constexpr const char* name = "thread per pair";

    ThreadPerPair(device::Cuda& cuda, const Input& input) : s_(cuda, input) { cuda.resize(force_, s_.pairs()); }
    double step() {
        const auto stream = s_.cuda.stream();
        pair_kernel<<<blocks_for(Offset{s_.n} * s_.n, threads), threads, 0, stream>>>(s_.n, s_.at.data(),
                                                                                      s_.linked.data(), force_.data());
        add_row_kernel<<<blocks_for(s_.n, threads), threads, 0, stream>>>(s_.n, force_.data(), s_.at.data(),
                                                                          s_.velocity.data());
        s_.cuda.wait();
        energy_kernel<<<blocks_for(s_.n, threads), threads, 0, stream>>>(s_.n, s_.velocity.data(), s_.energy.data());
        return s_.energy_on_host();
    }
    std::vector<float2> positions() { return s_.cuda.host(s_.at); }

private:
    State s_;
    CudaBuffer<float2> force_;
};

// 3 to 5. Repulsion and attraction are kept apart and multiplied by their constants once, after the sums; a vertex's
// energy is written where its velocity is made, so that the host waits once

/// Where the force of j on i goes.
struct ByRows {
    static __device__ Offset place(Offset i, Offset j, Index n) { return i * n + j; }
};
struct ByColumns {
    static __device__ Offset place(Offset i, Offset j, Index n) { return j * n + i; }
};

__global__ void hoisted_pair_kernel(Index n, const float2* at, const std::uint8_t* linked, float2* apart,
                                    float2* together) {
    const Offset pair = Offset{blockIdx.x} * blockDim.x + threadIdx.x;
    if (pair >= Offset{n} * n) return;
    const auto i = static_cast<Index>(pair / n), j = static_cast<Index>(pair % n);
    Forces forces;
    if (i != j) bench::meet(at[i], at[j], linked[pair] != 0, forces);
    apart[pair] = forces.apart;
    together[pair] = forces.together;
}

/// A block's 16 x 16 pairs read the 32 positions that they need once, into shared memory.
template <class Order>
__global__ void tile_kernel(Index n, const float2* at, const std::uint8_t* linked, float2* apart, float2* together) {
    __shared__ float2 rows[tile], columns[tile];
    const Index first_row = static_cast<Index>(blockIdx.y) * tile, first_column = static_cast<Index>(blockIdx.x) * tile;
    const auto x = static_cast<Index>(threadIdx.x), y = static_cast<Index>(threadIdx.y);
    if (y == 0 && first_row + x < n) rows[x] = at[first_row + x];
    if (y == 1 && first_column + x < n) columns[x] = at[first_column + x];
    __syncthreads();
    // Neighbouring threads write to neighbouring places
    constexpr bool by_rows = std::is_same_v<Order, ByRows>;
    const Index i = first_row + (by_rows ? y : x), j = first_column + (by_rows ? x : y);
    if (i >= n || j >= n) return;
    Forces forces;
    if (i != j) {
        // The matrix is symmetric: it is read in the order in which forces are written
        const bool is_linked = linked[Order::place(i, j, n)] != 0;
        bench::meet(rows[i - first_row], columns[j - first_column], is_linked, forces);
    }
    apart[Order::place(i, j, n)] = forces.apart;
    together[Order::place(i, j, n)] = forces.together;
}

template <class Order>
__global__ void add_forces_kernel(Index n, const float2* apart, const float2* together, float2* at, float2* velocity,
                                  float* energy) {
    const Index i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    Forces sum;
    for (Index j = 0; j < n; ++j) {
        bench::add(sum.apart, apart[Order::place(i, j, n)]);
        bench::add(sum.together, together[Order::place(i, j, n)]);
    }
    bench::move(Eades{}, sum, at[i], velocity[i]);
    energy[i] = bench::energy_of(velocity[i]);
}

template <class Order>
class ApartAndTogether {
public:
    ApartAndTogether(device::Cuda& cuda, const Input& input) : s_(cuda, input) {
        cuda.resize(apart_, s_.pairs());
        cuda.resize(together_, s_.pairs());
    }
    std::vector<float2> positions() { return s_.cuda.host(s_.at); }

protected:
    double add() {
        add_forces_kernel<Order><<<blocks_for(s_.n, threads), threads, 0, s_.cuda.stream()>>>(
            s_.n, apart_.data(), together_.data(), s_.at.data(), s_.velocity.data(), s_.energy.data());
        return s_.energy_on_host();
    }
    void meet_by_tiles() {
        const dim3 grid(blocks_for(s_.n, tile), blocks_for(s_.n, tile));
        tile_kernel<Order><<<grid, dim3(tile, tile), 0, s_.cuda.stream()>>>(s_.n, s_.at.data(), s_.linked.data(),
                                                                            apart_.data(), together_.data());
    }

    State s_;
    CudaBuffer<float2> apart_, together_;
};

struct Hoisted : ApartAndTogether<ByRows> {
    static constexpr const char* name = "hoisted constants and one wait";
    using ApartAndTogether::ApartAndTogether;
    double step() {
        hoisted_pair_kernel<<<blocks_for(Offset{s_.n} * s_.n, threads), threads, 0, s_.cuda.stream()>>>(
            s_.n, s_.at.data(), s_.linked.data(), apart_.data(), together_.data());
        return add();
    }
};

struct Tiles : ApartAndTogether<ByRows> {
    static constexpr const char* name = "shared-memory tiles";
    using ApartAndTogether::ApartAndTogether;
    double step() {
        meet_by_tiles();
        return add();
    }
};

struct Transposed : ApartAndTogether<ByColumns> {
    static constexpr const char* name = "transposed storage";
    using ApartAndTogether::ApartAndTogether;
    double step() {
        meet_by_tiles();
        return add();
    }
};

// 6. A warp adds a vertex's row

__global__ void reduce_kernel(Index n, const float2* apart, const float2* together, float2* at, float2* velocity,
                              float* energy) {
    const Index i = static_cast<Index>(blockIdx.x);
    math::Vec<float, 4> sum;
    for (auto j = static_cast<Index>(threadIdx.x); j < n; j += 32) {
        const float2 a = apart[Offset{i} * n + j], t = together[Offset{i} * n + j];
        sum += math::Vec<float, 4>{{a.x, a.y, t.x, t.y}};
    }
    sum = device::group_sum<32>(sum);
    if (threadIdx.x != 0) return;
    bench::move(Eades{}, Forces{{sum.at[0], sum.at[1]}, {sum.at[2], sum.at[3]}}, at[i], velocity[i]);
    energy[i] = bench::energy_of(velocity[i]);
}

struct Reduction : ApartAndTogether<ByRows> {
    static constexpr const char* name = "parallel reduction";
    using ApartAndTogether::ApartAndTogether;
    double step() {
        meet_by_tiles();
        reduce_kernel<<<static_cast<unsigned>(s_.n), 32, 0, s_.cuda.stream()>>>(
            s_.n, apart_.data(), together_.data(), s_.at.data(), s_.velocity.data(), s_.energy.data());
        return s_.energy_on_host();
    }
};

// 7. Both forces of a pair in one load and one store

__global__ void vector_pair_kernel(Index n, const float2* at, const std::uint8_t* linked, float4* force) {
    __shared__ float2 rows[tile], columns[tile];
    const Index first_row = static_cast<Index>(blockIdx.y) * tile, first_column = static_cast<Index>(blockIdx.x) * tile;
    const auto x = static_cast<Index>(threadIdx.x), y = static_cast<Index>(threadIdx.y);
    if (y == 0 && first_row + x < n) rows[x] = at[first_row + x];
    if (y == 1 && first_column + x < n) columns[x] = at[first_column + x];
    __syncthreads();
    const Index i = first_row + y, j = first_column + x;
    if (i >= n || j >= n) return;
    Forces forces;
    if (i != j) bench::meet(rows[y], columns[x], linked[Offset{i} * n + j] != 0, forces);
    force[Offset{i} * n + j] = {forces.apart.x, forces.apart.y, forces.together.x, forces.together.y};
}

__global__ void vector_reduce_kernel(Index n, const float4* force, float2* at, float2* velocity, float* energy) {
    const Index i = static_cast<Index>(blockIdx.x);
    math::Vec<float, 4> sum;
    for (auto j = static_cast<Index>(threadIdx.x); j < n; j += 32) {
        const float4 f = force[Offset{i} * n + j];
        sum += math::Vec<float, 4>{{f.x, f.y, f.z, f.w}};
    }
    sum = device::group_sum<32>(sum);
    if (threadIdx.x != 0) return;
    bench::move(Eades{}, Forces{{sum.at[0], sum.at[1]}, {sum.at[2], sum.at[3]}}, at[i], velocity[i]);
    energy[i] = bench::energy_of(velocity[i]);
}

class VectorLoads {
public:
    static constexpr const char* name = "vector loads";

    VectorLoads(device::Cuda& cuda, const Input& input) : s_(cuda, input) { cuda.resize(force_, s_.pairs()); }
    double step() {
        const dim3 grid(blocks_for(s_.n, tile), blocks_for(s_.n, tile));
        vector_pair_kernel<<<grid, dim3(tile, tile), 0, s_.cuda.stream()>>>(s_.n, s_.at.data(), s_.linked.data(),
                                                                            force_.data());
        vector_reduce_kernel<<<static_cast<unsigned>(s_.n), 32, 0, s_.cuda.stream()>>>(
            s_.n, force_.data(), s_.at.data(), s_.velocity.data(), s_.energy.data());
        return s_.energy_on_host();
    }
    std::vector<float2> positions() { return s_.cuda.host(s_.at); }

private:
    State s_;
    CudaBuffer<float4> force_;
};

// 8. No pair goes through memory: a warp keeps a vertex, and meets positions and edges with its lanes

__global__ void fused_kernel(Index n, const float2* at, const std::uint8_t* linked, float2* next, float2* velocity,
                             float* energy) {
    const Index i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (i >= n) return;  // a whole warp
    const float2 here = at[i];
    Forces forces;
    for (auto j = static_cast<Index>(threadIdx.x % 32); j < n; j += 32) {
        if (j != i) bench::meet(here, at[j], linked[Offset{i} * n + j] != 0, forces);
    }
    const auto sum = device::group_sum<32>(
        math::Vec<float, 4>{{forces.apart.x, forces.apart.y, forces.together.x, forces.together.y}});
    if (threadIdx.x % 32 != 0) return;
    float2 place = here;
    bench::move(Eades{}, Forces{{sum.at[0], sum.at[1]}, {sum.at[2], sum.at[3]}}, place, velocity[i]);
    next[i] = place;
    energy[i] = bench::energy_of(velocity[i]);
}

class Fused {
public:
    static constexpr const char* name = "one kernel and nothing stored";

    Fused(device::Cuda& cuda, const Input& input) : s_(cuda, input) { cuda.resize(next_, s_.at.size()); }
    double step() {
        fused_kernel<<<blocks_for(Offset{s_.n} * 32, threads), threads, 0, s_.cuda.stream()>>>(
            s_.n, s_.at.data(), s_.linked.data(), next_.data(), s_.velocity.data(), s_.energy.data());
        s_.at.swap(next_);
        return s_.energy_on_host();
    }
    std::vector<float2> positions() { return s_.cuda.host(s_.at); }

private:
    State s_;
    CudaBuffer<float2> next_;
};

// 9. The whole run in one launch: a cluster of blocks whose shared memories hold all positions and a share of the
// edges each; positions and energies go from block to block

constexpr int cluster_blocks = 8, cluster_threads = 512, cluster_warps = cluster_threads / 32;
constexpr Index most_in_cluster = 1024;

/// Vertices of a warp: w, w + all warps, ..
__global__ void __launch_bounds__(cluster_threads)
    settle_kernel(Index n, float2* all_at, const std::uint8_t* linked, int most, double threshold, int* steps,
                  double* energy) {
    namespace cg = cooperative_groups;
    __shared__ float2 at[2][most_in_cluster];
    __shared__ double energies[2][cluster_blocks], of_warp[cluster_warps];
    extern __shared__ std::uint8_t row_of[];  // of the block's vertices, n each
    const cg::cluster_group cluster = cg::this_cluster();
    const auto block = static_cast<int>(cluster.block_rank());
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    constexpr int warps = cluster_blocks * cluster_warps, most_own = most_in_cluster / warps;
    const auto own = [&](int k) { return k * warps + block * cluster_warps + warp; };

    for (Index i = threadIdx.x; i < n; i += cluster_threads) at[0][i] = all_at[i];
    for (int k = 0; k < most_own; ++k) {
        for (Index j = lane; own(k) < n && j < n; j += 32) {
            row_of[(k * cluster_warps + warp) * n + j] = linked[Offset{own(k)} * n + j];
        }
    }
    float2 velocity[most_own] = {};
    cluster.sync();
    for (int step = 0; step < most; ++step) {
        const int now = step % 2;
        double warp_energy = 0;
        for (int k = 0; k < most_own; ++k) {
            const Index i = own(k);
            if (i >= n) break;
            float2 here = at[now][i];
            Forces forces;
            for (Index j = lane; j < n; j += 32) {
                if (j != i) bench::meet(here, at[now][j], row_of[(k * cluster_warps + warp) * n + j] != 0, forces);
            }
            math::Vec<float, 4> sum{{forces.apart.x, forces.apart.y, forces.together.x, forces.together.y}};
            for (int other = 16; other > 0; other /= 2) {
                for (float& s : sum.at) s += __shfl_xor_sync(~0U, s, other);
            }
            bench::move(Eades{}, Forces{{sum.at[0], sum.at[1]}, {sum.at[2], sum.at[3]}}, here, velocity[k]);
            if (lane < cluster_blocks) cluster.map_shared_rank(&at[0][0], lane)[(1 - now) * most_in_cluster + i] = here;
            warp_energy += static_cast<double>(bench::energy_of(velocity[k]));
        }
        if (lane == 0) of_warp[warp] = warp_energy;
        __syncthreads();
        if (warp == 0 && lane < cluster_blocks) {
            double sum = 0;
            for (const double e : of_warp) sum += e;
            cluster.map_shared_rank(&energies[0][0], lane)[now * cluster_blocks + block] = sum;
        }
        cluster.sync();
        double sum = 0;
        for (const double e : energies[now]) sum += e;
        if (sum < threshold || step + 1 == most) {
            if (block == 0) {
                for (Index i = threadIdx.x; i < n; i += cluster_threads) all_at[i] = at[1 - now][i];
                if (threadIdx.x == 0) *energy = sum, *steps = step + 1;
            }
            break;
        }
    }
    cluster.sync();  // nobody leaves while others may write here
}

class OneCluster {
public:
    static constexpr const char* name = "one launch of one cluster";

    OneCluster(device::Cuda& cuda, const Input& input) : s_(cuda, input) {
        cuda.resize(steps_, 1);
        cuda.resize(sum_, 1);
        rows_ = static_cast<std::size_t>(s_.n) * ((static_cast<std::size_t>(s_.n) + 127) / 128) * cluster_warps;
        device::cuda_check(
            cudaFuncSetAttribute(settle_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(rows_)));
    }
    /// Until the energy is below the threshold.
    double settle(int most, double threshold) {
        cudaLaunchAttribute shape{};
        shape.id = cudaLaunchAttributeClusterDimension;
        shape.val.clusterDim = {cluster_blocks, 1, 1};
        cudaLaunchConfig_t launch{};
        launch.gridDim = cluster_blocks;
        launch.blockDim = cluster_threads;
        launch.dynamicSmemBytes = rows_;
        launch.stream = s_.cuda.stream();
        launch.attrs = &shape;
        launch.numAttrs = 1;
        device::cuda_check(cudaLaunchKernelEx(&launch, settle_kernel, s_.n, s_.at.data(),
                                              static_cast<const std::uint8_t*>(s_.linked.data()), most, threshold,
                                              steps_.data(), sum_.data()));
        steps = s_.cuda.host(steps_)[0];
        return s_.cuda.host(sum_)[0];
    }
    std::vector<float2> positions() { return s_.cuda.host(s_.at); }
    int steps = 0;

private:
    State s_;
    CudaBuffer<int> steps_;
    CudaBuffer<double> sum_;
    std::size_t rows_ = 0;
};

struct Outcome {
    double seconds = 0, energy = 0, difference = 0;
    int steps = 0;
};

/// Runs a rung for at most so many steps; returns how many and leaves the energy.
template <class Rung>
int settle(Rung& rung, int most, double threshold, double& energy) {
    if constexpr (std::is_same_v<Rung, OneCluster>) {
        energy = rung.settle(most, threshold);
        return rung.steps;
    } else {
        for (int step = 1;; ++step) {
            energy = rung.step();
            if (energy < threshold || step == most) return step;
        }
    }
}

/// The largest distance between two drawings' vertices.
double distance(const std::vector<float2>& a, const std::vector<float2>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double apart = std::hypot(double(a[i].x) - double(b[i].x), double(a[i].y) - double(b[i].y));
        most = std::isfinite(apart) ? std::max(most, apart) : INFINITY;
    }
    return most;
}

template <class Rung>
std::vector<float2> after_ten_steps(device::Cuda& cuda, const Input& input) {
    Rung rung(cuda, input);
    double energy = 0;
    settle(rung, 10, 0, energy);
    return rung.positions();
}

template <class Rung>
Outcome measure(device::Cuda& cuda, const Input& input, int runs) {
    Outcome outcome;
    outcome.difference = distance(after_ten_steps<Rung>(cuda, input), after_ten_steps<Sequential>(cuda, input));
    std::vector<double> seconds;
    for (int run = 0; run < runs; ++run) {
        Rung rung(cuda, input);
        cuda.wait();
        const auto begin = std::chrono::steady_clock::now();
        outcome.steps = settle(rung, most_steps, input.threshold(), outcome.energy);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::nth_element(seconds.begin(), seconds.begin() + runs / 2, seconds.end());
    outcome.seconds = seconds[static_cast<std::size_t>(runs / 2)];
    return outcome;
}

bool all_agree = true;

template <class... Rungs>
void climb(device::Cuda& cuda, const Input& input, int runs, const std::string& head) {
    double sequential = 0;
    const auto row = [&](const char* name, const Outcome& o) {
        if (sequential == 0) sequential = o.seconds;
        const bool agrees = o.difference < 1e-3 && o.energy < input.threshold();
        all_agree = all_agree && agrees;
        std::printf("%s,%s,%d,%lld,%s,%d,%d,%.6f,%.2f,%.1f,%.4g,%.1e,%s\n", head.c_str(), input.name.c_str(),
                    input.size(), static_cast<long long>(input.graph.edges() / 2), name, runs, o.steps, o.seconds,
                    1e6 * o.seconds / o.steps, sequential / o.seconds, o.energy, o.difference, agrees ? "yes" : "no");
        std::fflush(stdout);
    };
    (row(Rungs::name, measure<Rungs>(cuda, input, runs)), ...);
}

}  // namespace

int main(int argc, char** argv) {
    int runs = 5;
    std::string commit = "unknown";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--runs") == 0) runs = std::atoi(argv[i + 1]);
        if (std::strcmp(argv[i], "--commit") == 0) commit = argv[i + 1];
    }
    const char* folder = std::getenv("DUNLIN_DATA");
    const std::string data = folder != nullptr ? folder : "../shared/data";
    std::vector<Input> inputs;
    inputs.emplace_back("rand32", made::random_graph(32, 31));
    inputs.emplace_back("actors", made::random_graph(100, 260));
    inputs.emplace_back("actors2", made::random_graph(232, 698));
    inputs.emplace_back("rand256", made::random_graph(256, 1599));
    if (const std::string isp = data + "/graphs/rocketfuel/1755.weights.intra"; std::filesystem::exists(isp)) {
        Graph graph = io::read_network(isp).graph;
        graph.weights.assign(graph.weights.size(), 1.0F);
        inputs.emplace_back("rocketfuel-1755", std::move(graph));
    }
    device::Cuda cuda{Run{}};
    std::printf(
        "commit,graph,vertices,edges,rung,runs,steps,seconds,us_per_step,speed_up,kinetic_energy,difference,"
        "agrees\n");
    for (const Input& input : inputs) {
        climb<Sequential, ThreadPerVertex, ThreadPerPair, Hoisted, Tiles, Transposed, Reduction, VectorLoads, Fused,
              OneCluster>(cuda, input, runs, commit);
    }
    return all_agree ? 0 : 1;
}
