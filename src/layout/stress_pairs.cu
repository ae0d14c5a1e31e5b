// SPDX-License-Identifier: Apache-2.0
#include "layout/stress_pairs.cuh"

#include <algorithm>

#include "device/cancel.hpp"
#include "graph/paths.cuh"
#include "layout/drawing.hpp"

namespace dunlin::layout {

namespace {

using device::Cuda;
using device::CudaBuffer;

constexpr Index sources_at_once = 1024;  // enough for all multiprocessors
constexpr int lanes = stress_block;
constexpr unsigned whole_warp = ~0U;

/// The lengths of paths from some sources, where the meetings look for them.
struct KeepPairs {
    PairPlaces places;
    const Index* place_of;
    Index n, first_source;
    const float* rows;
    float *distances, *longest;
    __device__ void operator()(Offset k) const {
        const Offset i = place_of[first_source + k / n], j = place_of[k % n];
        const float length = rows[k];
        if (!PairPlaces::keeps(i, j) || isinf(length)) return;
        distances[places.of(i, j)] = length;
        if (length > *static_cast<volatile float*>(longest))
            atomicMax(reinterpret_cast<int*>(longest), __float_as_int(length));
    }
};

/// A vertex of a block: a lane's.
template <int D>
struct Guest {
    float at[D], free;

    __device__ Guest(const StressBlock& block, int lane) : free(block.free != nullptr ? block.free[lane] : 1) {
        for (int d = 0; d < D; ++d) at[d] = block.at[d * lanes + lane];
    }
    __device__ void leave(const StressBlock& block, int lane) const {
        for (int d = 0; d < D; ++d) block.at[d * lanes + lane] = at[d];
    }
    /// What lane `from` has; every lane of the warp must call it.
    __device__ Guest of_lane(int from) const {
        Guest other = *this;
        for (int d = 0; d < D; ++d) other.at[d] = __shfl_sync(whole_warp, at[d], from);
        other.free = __shfl_sync(whole_warp, free, from);
        return other;
    }
    /// Moves this one and its partner.
    __device__ void meet(Guest& other, float distance, float eta) {
        float way[D], r2 = 0;
        for (int d = 0; d < D; ++d) {
            way[d] = other.at[d] - at[d];
            r2 += way[d] * way[d];
        }
        const float share = step_of_pair(r2, distance, eta);
        const float own = share * part_of_move(free, other.free), others = share * part_of_move(other.free, free);
        for (int d = 0; d < D; ++d) {
            at[d] += own * way[d];
            other.at[d] -= others * way[d];
        }
    }
};

/// A warp for two blocks that meet. Those of the second go from lane to lane. What one turn after the other does not
/// need, the loads, comes first.
template <int D>
__global__ void __launch_bounds__(lanes) meet_kernel(Meetings meetings, Offset round, float eta) {
    const Offset a = blockIdx.x, b = meetings.partner(a, round);
    if (a > b) return;
    const int lane = static_cast<int>(threadIdx.x);
    const float* distances = meetings.distances + meetings.places.begin(a, b) + lane;
    float wanted[lanes];
#pragma unroll
    for (int t = 0; t < lanes; ++t) wanted[t] = distances[(a < b ? t : turn_of(lane, lane ^ t)) * lanes];
    Guest<D> one(meetings.block(a), lane), other(meetings.block(b), lane);
    if (a < b) {
#pragma unroll
        for (int t = 0; t < lanes; ++t) {
            one.meet(other, wanted[t], eta);
            other = other.of_lane((lane + 1) % lanes);
        }
        other.leave(meetings.block(b), lane);
    } else {
#pragma unroll
        for (int t = 1; t < lanes; ++t) {
            other = one.of_lane(lane ^ t);
            one.meet(other, wanted[t], eta);
        }
    }
    one.leave(meetings.block(a), lane);
}

}  // namespace

Pairs<Cuda> measure_pairs(Cuda& cuda, const graph::DeviceLevel& level, const PairPlaces& places,
                          const CudaBuffer<Index>& place_of) {
    const Index n = level.graph->size();
    Pairs<Cuda> pairs;
    cuda.fill(pairs.distances, static_cast<std::size_t>(places.all()), 0.0F);
    device::CudaCell<float> longest;
    cuda.set(longest, 0.0F);
    const CudaBuffer<float> rows(static_cast<std::size_t>(Offset{n} * std::min(n, sources_at_once)), cuda.stream());
    for (Index first = 0; first < n; first += sources_at_once) {
        device::cancellation_point();
        const Index count = std::min(sources_at_once, n - first);
        graph::measure_paths(cuda, level, first, count, rows.data());
        cuda.each(Offset{count} * n, KeepPairs{places, place_of.data(), n, first, rows.data(), pairs.distances.data(),
                                               cuda.address(longest)});
        cuda.wait();  // so that a request to cancel does not find all searches enqueued
    }
    pairs.longest = cuda.read(longest);
    return pairs;
}

void meet(Cuda& cuda, const Meetings& meetings, Offset round, float eta) {
    by_dimension(meetings.dim, [&]<int D>() {
        meet_kernel<D>
            <<<static_cast<unsigned>(meetings.places.blocks), lanes, 0, cuda.stream()>>>(meetings, round, eta);
    });
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::layout
