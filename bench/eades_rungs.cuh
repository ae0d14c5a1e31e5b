// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rungs 1 to 8 of Eades' model on a GPU: a launch or more for every step.

#include "eades_program.cuh"

namespace dunlin::bench::eades {

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

// 2. A thread per pair stores its force; then a thread per vertex adds its row

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

// 3 to 5. Repulsion and attraction are kept apart and multiplied by their constants once, after the sums; the energy of
// a vertex is written together with its velocity, so that the host waits once

/// Index of the force of j on i.
struct ByRows {
    static __device__ Offset place(Offset i, Offset j, Index n) { return i * n + j; }
};
struct ByColumns {
    static __device__ Offset place(Offset i, Offset j, Index n) { return j * n + i; }
};

template <class Link>
__global__ void hoisted_pair_kernel(Index n, const float2* at, const Link* linked, float2* apart, float2* together) {
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
    // Adjacent threads write to adjacent addresses
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

/// The same with the sums in device memory, read and written for every term.
__global__ void add_forces_in_memory_kernel(Index n, const float2* apart, const float2* together, volatile float4* sums,
                                            float2* at, float2* velocity, float* energy) {
    const Index i = static_cast<Index>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    volatile float4& sum = sums[i];
    sum.x = 0;
    sum.y = 0;
    sum.z = 0;
    sum.w = 0;
    for (Index j = 0; j < n; ++j) {
        const float2 a = apart[Offset{i} * n + j], t = together[Offset{i} * n + j];
        sum.x = sum.x + a.x;
        sum.y = sum.y + a.y;
        sum.z = sum.z + t.x;
        sum.w = sum.w + t.y;
    }
    bench::move(Eades{}, Forces{{sum.x, sum.y}, {sum.z, sum.w}}, at[i], velocity[i]);
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

class HoistedBase : public ApartAndTogether<ByRows> {
public:
    using ApartAndTogether::ApartAndTogether;

protected:
    template <class Link>
    void meet_by_pairs(const CudaBuffer<Link>& linked) {
        hoisted_pair_kernel<<<blocks_for(Offset{s_.n} * s_.n, threads), threads, 0, s_.cuda.stream()>>>(
            s_.n, s_.at.data(), linked.data(), apart_.data(), together_.data());
    }
};

class SumsInMemory : public HoistedBase {
public:
    static constexpr const char* name = "sums in memory";
    SumsInMemory(device::Cuda& cuda, const Input& input) : HoistedBase(cuda, input) {
        cuda.resize(sums_, s_.at.size());
    }
    double step() {
        meet_by_pairs(s_.linked);
        add_forces_in_memory_kernel<<<blocks_for(s_.n, threads), threads, 0, s_.cuda.stream()>>>(
            s_.n, apart_.data(), together_.data(), sums_.data(), s_.at.data(), s_.velocity.data(), s_.energy.data());
        return s_.energy_on_host();
    }

private:
    CudaBuffer<float4> sums_;
};

struct Hoisted : HoistedBase {
    static constexpr const char* name = "hoisted constants and one wait";
    using HoistedBase::HoistedBase;
    double step() {
        meet_by_pairs(s_.linked);
        return add();
    }
};

class EdgesAsIntegers : public HoistedBase {
public:
    static constexpr const char* name = "edges of 4 bytes";
    EdgesAsIntegers(device::Cuda& cuda, const Input& input) : HoistedBase(cuda, input) {
        cuda.upload(linked_, std::vector<int>(input.linked.begin(), input.linked.end()));
    }
    double step() {
        meet_by_pairs(linked_);
        return add();
    }

private:
    CudaBuffer<int> linked_;
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

// 8. No pair is stored: a warp keeps a vertex, and its lanes read positions and edges

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

}  // namespace dunlin::bench::eades
