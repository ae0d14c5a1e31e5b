// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/lists.cuh"
#include "neighbors/cuda/sketch.cuh"
#include "neighbors/cuda/visits.cuh"

/// What becomes of the products of halves that are not negative, for both kinds of tensor cores.
namespace dunlin::neighbors {

struct SieveTask {
    const __half *queries, *base;
    const float *limits, *base_errors;
    const Index* items;
    ListsView lists;
    Index query_count, width;
    Index begin, end;  ///< tiles of the base; with visits: places in each query tile's list of them
    Index tiles_per_strip;
    VisitsView visits;
};
constexpr Index longest_strip = 1 << 20;  ///< rows

/// What a block looks at: the queries of a tile, and a strip of the base.
struct Strip {
    Index query, first;    ///< the first row of each
    Index tiles;           ///< how many of the base; may be none
    const Index* visited;  ///< which these are; null: those from `first` on

    /// The row of the base at this place in the strip.
    [[nodiscard]] __device__ Index row(Index place) const {
        return visited == nullptr ? first + place : visited[place / base_tile] * base_tile + place % base_tile;
    }
};

/// Of block (s, t): queries of tile t, strip s.
__device__ inline Strip strip_of(const SieveTask& task) {
    const auto tile = static_cast<Index>(blockIdx.y);
    const Index from = task.begin + static_cast<Index>(blockIdx.x) * task.tiles_per_strip;
    Index end = task.end;
    const Index* visited = nullptr;
    if (task.visits.tiles != nullptr) {
        end = min(end, task.visits.counts[tile]);
        visited = task.visits.tiles + task.visits.begins[tile] + from;
    }
    return {tile * query_tile, from * base_tile, min(task.tiles_per_strip, end - from), visited};
}

/// Lower bound of |x - y|^2 from the product of two rows (sketch.cuh) and what is searched: the query's limit plus the
/// base row's error.
__device__ inline float square_of(float reach, float product) {
    return fmaf(reach, reach, -(2 * product));  // not left to the compiler, so that all kernels round alike
}

/// A warp's hits that are not yet in their lists.
template <int Most>
struct Held {
    std::uint32_t places[Most];  ///< query of the tile, above 20 bits of base row of the strip
    float products[Most];
};

/// Puts the `count` hits that are held into their lists; by the whole warp. All places in the lists are asked for
/// before the first is needed: one takes as long as a hundred.
template <int Most>
__device__ void release(const SieveTask& task, const Strip& at, int count, const Held<Most>& held) {
    constexpr int share = Most / 32;
    const auto lane = static_cast<int>(threadIdx.x % 32);
    Index queries[share] = {};
    int places[share] = {};
    __syncwarp();
#pragma unroll
    for (int s = 0; s < share; ++s) {
        const int i = 32 * s + lane;
        if (i >= count) continue;
        queries[s] = at.query + static_cast<Index>(held.places[i] >> 20);
        places[s] = task.lists.take(queries[s]);
    }
#pragma unroll
    for (int s = 0; s < share; ++s) {
        const int i = 32 * s + lane;
        if (i >= count) continue;
        const Index row = at.row(static_cast<Index>(held.places[i] & 0xfffff));
        const float square = square_of(task.limits[queries[s]] + task.base_errors[row], held.products[i]);
        task.lists.put(queries[s], places[s], entry_of(square, task.items[row]));
    }
    __syncwarp();
}

/// Which of a lane's products are negative: bit Values - 1 - v says it of value v.
template <int Values>
__device__ std::uint32_t signs_of(const float (&products)[Values]) {
    std::uint32_t signs = 0;
#pragma unroll
    for (int v = 0; v < Values; ++v) signs = __funnelshift_l(__float_as_uint(products[v]), signs, 1);
    return signs;
}

/// Holds the hits of all lanes, of which bit 31 - v says it of value v, and releases them when they are many; returns
/// how many are held then. product(v) is value v, place(v) the query of the tile above 20 bits of base row of the
/// strip.
template <class Product, class Place, int Most>
__device__ int hold(const SieveTask& task, const Strip& at, std::uint32_t hits, const Product& product,
                    const Place& place, int count, Held<Most>& held) {
    const auto lane = static_cast<int>(threadIdx.x % 32);
    do {  // up to one of each lane
        const std::uint32_t having = __ballot_sync(~0U, hits != 0);
        if (hits != 0) {
            const int v = __clz(static_cast<int>(hits)), slot = count + __popc(having & ((1U << lane) - 1));
            held.places[slot] = place(v);
            held.products[slot] = product(v);
            hits &= ~(0x80000000U >> v);
        }
        count += __popc(having);
        if (count > Most - 32) {
            release(task, at, count, held);
            count = 0;
        }
    } while (__any_sync(~0U, hits != 0));
    return count;
}

/// A warp's hits, and room for the products of a lane in a column.
template <int Values, int Most>
struct Collected {
    float block[Values][32];
    Held<Most> held;
};

/// Finds what is not negative among a lane's products; returns how many hits are held then. Hits are few, so the code
/// for them is kept small: it finds products in shared memory, not in registers.
template <int Values, int Most, class Place>
__device__ int collect(const SieveTask& task, const Strip& at, const float (&products)[Values], const Place& place,
                       int count, Collected<Values, Most>& collected) {
    const auto lane = static_cast<int>(threadIdx.x % 32);
    std::uint32_t negative = ~0U;
#pragma unroll
    for (int v = 0; v < Values; ++v) negative &= __float_as_uint(products[v]);
    if (__all_sync(~0U, negative >> 31 != 0)) return count;
#pragma unroll
    for (int v = 0; v < Values; ++v) collected.block[v][lane] = products[v];
    const auto product = [&](int v) { return collected.block[v][lane]; };
    return hold(task, at, ~signs_of(products) << (32 - Values), product, place, count, collected.held);
}

}  // namespace dunlin::neighbors
