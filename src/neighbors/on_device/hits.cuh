#pragma once

#include "neighbors/on_device/lists.cuh"
#include "neighbors/on_device/sketch.cuh"
#include "neighbors/on_device/visits.cuh"

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

/// |x - y|^2, or less.
__device__ inline float length_of(const SieveTask& task, float limit, Index place, float product) {
    const float sum = limit + task.base_errors[place];
    return sum * sum - 2 * product;
}

/// A warp's hits that are not yet in their lists, and room for the products of a lane in a column.
template <int Values, int Most>
struct Held {
    float block[Values][32];
    std::uint32_t places[Most];  ///< query of the tile, above 20 bits of base row of the strip
    float products[Most];
};

/// Puts the `count` hits that are held into their lists; by the whole warp.
template <int Values, int Most>
__device__ void release(const SieveTask& task, const Strip& at, int count, const Held<Values, Most>& held) {
    __syncwarp();
    for (int i = static_cast<int>(threadIdx.x % 32); i < count; i += 32) {
        const Index query = at.query + static_cast<Index>(held.places[i] >> 20),
                    place = at.row(static_cast<Index>(held.places[i] & 0xfffff));
        const float length = length_of(task, task.limits[query], place, held.products[i]);
        task.lists.append(query, entry_of(length, task.items[place]));
    }
    __syncwarp();
}

/// Finds what is not negative among a lane's products; returns how many hits are held then. Hits are few, so the code
/// for them is kept small: it finds products in shared memory, not in registers. place(v): query of the tile, above 20
/// bits of base row of the strip, of value v.
template <int Values, int Most, class Place>
__device__ int collect(const SieveTask& task, const Strip& at, const float (&products)[Values], const Place& place,
                       int count, Held<Values, Most>& held) {
    const auto lane = static_cast<int>(threadIdx.x % 32);
    std::uint32_t negative = ~0U;
#pragma unroll
    for (int v = 0; v < Values; ++v) negative &= __float_as_uint(products[v]);
    if (__all_sync(~0U, negative >> 31 != 0)) return count;
    std::uint32_t misses = 0;
#pragma unroll
    for (int v = 0; v < Values; ++v) {
        misses = __funnelshift_l(__float_as_uint(products[v]), misses, 1);
        held.block[v][lane] = products[v];
    }
    std::uint32_t hits = ~misses << (32 - Values);  // bit 31 - v: value v
    do {                                            // up to one of each lane
        const std::uint32_t having = __ballot_sync(~0U, hits != 0);
        if (hits != 0) {
            const int v = __clz(static_cast<int>(hits)), slot = count + __popc(having & ((1U << lane) - 1));
            held.places[slot] = place(v);
            held.products[slot] = held.block[v][lane];
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

}  // namespace dunlin::neighbors
