// SPDX-License-Identifier: Apache-2.0
#include "layout/stress_pairs.cuh"

#include <algorithm>

#include "graph/paths.cuh"
#include "layout/drawing.hpp"
#include "progress/cancel.hpp"

namespace dunlin::layout {

namespace {

using device::Cuda;
using device::CudaBuffer;

constexpr Index sources_at_once = 1024;  // enough for all multiprocessors
constexpr int lanes = stress_block;
constexpr unsigned whole_warp = ~0U;

/// Scatters the path lengths from some sources to the order of PairIndex.
struct StorePairs {
    PairIndex index;
    const Index* slot_of;
    Index n, first_source;
    const float* rows;
    float *distances, *max;
    __device__ void operator()(Offset k) const {
        const Offset i = slot_of[first_source + k / n], j = slot_of[k % n];
        const float length = rows[k];
        if (!PairIndex::is_stored(i, j) || isinf(length)) return;
        distances[index.of(i, j)] = length;
        if (length > *static_cast<volatile float*>(max)) atomicMax(reinterpret_cast<int*>(max), __float_as_int(length));
    }
};

/// The vertex of a block that a lane holds.
template <int D>
struct LaneVertex {
    float at[D], free;

    __device__ LaneVertex(const StressBlock& block, int lane) : free(block.free != nullptr ? block.free[lane] : 1) {
        for (int d = 0; d < D; ++d) at[d] = block.at[d * lanes + lane];
    }
    __device__ void store(const StressBlock& block, int lane) const {
        for (int d = 0; d < D; ++d) block.at[d * lanes + lane] = at[d];
    }
    /// The vertex of lane `from`; every lane of the warp must call it.
    __device__ LaneVertex of_lane(int from) const {
        LaneVertex other = *this;
        for (int d = 0; d < D; ++d) other.at[d] = __shfl_sync(whole_warp, at[d], from);
        other.free = __shfl_sync(whole_warp, free, from);
        return other;
    }
    /// One SGD step of this vertex and its partner.
    __device__ void step(LaneVertex& other, float distance, float eta) {
        float apart[D], d2 = 0;
        for (int d = 0; d < D; ++d) {
            apart[d] = other.at[d] - at[d];
            d2 += apart[d] * apart[d];
        }
        const float share = step_of_pair(d2, distance, eta);
        const float own = share * pinned_factor(free, other.free), others = share * pinned_factor(other.free, free);
        for (int d = 0; d < D; ++d) {
            at[d] += own * apart[d];
            other.at[d] -= others * apart[d];
        }
    }
};

/// One warp for two blocks. Vertices of the second rotate through the lanes by shuffles. All distances are loaded
/// before the rounds, which depend on each other.
template <int D>
__global__ void __launch_bounds__(lanes) step_kernel(BlockedMap blocked, Offset round, float eta) {
    const Offset a = blockIdx.x, b = blocked.partner(a, round);
    if (a > b) return;
    const int lane = static_cast<int>(threadIdx.x);
    const float* distances = blocked.distances + blocked.index.begin(a, b) + lane;
    float wanted[lanes];
#pragma unroll
    for (int t = 0; t < lanes; ++t) wanted[t] = distances[(a < b ? t : round_of(lane, lane ^ t)) * lanes];
    LaneVertex<D> one(blocked.block(a), lane), other(blocked.block(b), lane);
    if (a < b) {
#pragma unroll
        for (int t = 0; t < lanes; ++t) {
            one.step(other, wanted[t], eta);
            other = other.of_lane((lane + 1) % lanes);
        }
        other.store(blocked.block(b), lane);
    } else {
#pragma unroll
        for (int t = 1; t < lanes; ++t) {
            other = one.of_lane(lane ^ t);
            one.step(other, wanted[t], eta);
        }
    }
    one.store(blocked.block(a), lane);
}

}  // namespace

PairDistances<Cuda> measure_distances(Cuda& cuda, const graph::DeviceLevel& level, const PairIndex& index,
                                      const CudaBuffer<Index>& slot_of) {
    const Index n = level.graph->size();
    PairDistances<Cuda> pairs;
    cuda.fill(pairs.distances, static_cast<std::size_t>(index.count()), 0.0F);
    device::CudaCell<float> max;
    cuda.set(max, 0.0F);
    const CudaBuffer<float> rows(static_cast<std::size_t>(Offset{n} * std::min(n, sources_at_once)), cuda.stream());
    for (Index first = 0; first < n; first += sources_at_once) {
        progress::cancellation_point();
        const Index count = std::min(sources_at_once, n - first);
        graph::measure_paths(cuda, level, first, count, rows.data());
        cuda.each(Offset{count} * n,
                  StorePairs{index, slot_of.data(), n, first, rows.data(), pairs.distances.data(), cuda.address(max)});
        cuda.wait();  // so that a request to cancel does not find all searches enqueued
    }
    pairs.max = cuda.read(max);
    return pairs;
}

void step_round(Cuda& cuda, const BlockedMap& blocked, Offset round, float eta) {
    by_dimension(blocked.dim, [&]<int D>() {
        step_kernel<D><<<static_cast<unsigned>(blocked.index.blocks), lanes, 0, cuda.stream()>>>(blocked, round, eta);
    });
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::layout
