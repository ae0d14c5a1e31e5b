// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/filter_rows.cuh"
#include "neighbors/cuda/lists.cuh"
#include "neighbors/cuda/visits.cuh"

/// Hits of the candidate filter: pairs whose product is not negative. For both kinds of tensor-core kernels.
namespace dunlin::neighbors {

struct FilterTask {
    const __half *queries, *base;
    const float *limits, *base_errors;
    const Index* items;
    ListsView lists;
    Index query_count, width;
    Index begin, end;  ///< tiles of the base; with visits: positions in each query tile's list of tiles
    Index tiles_per_strip;
    VisitsView visits;
};

/// The filter by wgmma and the bulk copy engine, for compute capability 9.0. The same rows pass as on other GPUs,
/// except for the rounding of sums, which the slack covers.
void filter_on_hopper(device::Cuda& cuda, const FilterTask& task, Index padded_queries, Index padded_base, dim3 grid);

constexpr Index longest_strip = 1 << 20;  ///< rows

/// The work of a thread block: a tile of queries and a strip of the base.
struct Strip {
    Index query, first;    ///< the first row of each
    Index tiles;           ///< of the base; may be 0
    const Index* visited;  ///< their numbers; null: those from `first` on

    /// Base row at this position in the strip.
    [[nodiscard]] __device__ Index row(Index position) const {
        if (visited == nullptr) return first + position;
        return visited[position / base_tile] * base_tile + position % base_tile;
    }
};

/// The strip of this thread block: block (s, t) searches strip s for the queries of tile t.
__device__ inline Strip strip_of(const FilterTask& task) {
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

/// Lower bound of |x - y|^2 from the product of two rows (filter_rows.cuh) and what is searched: the query's limit plus
/// the base row's error.
__device__ inline float square_of(float reach, float product) {
    return fmaf(reach, reach, -(2 * product));  // not left to the compiler, so that all kernels round alike
}

/// Hits of a warp that are not yet in their lists.
template <int Most>
struct HeldHits {
    std::uint32_t places[Most];  ///< query of the tile, above 20 bits of position in the strip
    float products[Most];
};

/// Appends the `count` held hits to their lists; by the whole warp. Issues all atomics before it uses the result of the
/// first, to hide their latency.
template <int Most>
__device__ void flush(const FilterTask& task, const Strip& at, int count, const HeldHits<Most>& held) {
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

/// Sign bits of a lane's products: bit Values - 1 - v is that of value v.
template <int Values>
__device__ std::uint32_t signs_of(const float (&products)[Values]) {
    std::uint32_t signs = 0;
#pragma unroll
    for (int v = 0; v < Values; ++v) signs = __funnelshift_l(__float_as_uint(products[v]), signs, 1);
    return signs;
}

/// Adds the hits of all lanes to the held ones, and flushes these when they are many; returns their number. Bit 31 - v
/// of `hits`: value v is a hit. product(v) is value v, place(v) as in HeldHits.
template <class Product, class Place, int Most>
__device__ int hold(const FilterTask& task, const Strip& at, std::uint32_t hits, const Product& product,
                    const Place& place, int count, HeldHits<Most>& held) {
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
            flush(task, at, count, held);
            count = 0;
        }
    } while (__any_sync(~0U, hits != 0));
    return count;
}

/// Hits of a warp, and its last products, those of a lane in a column.
template <int Values, int Most>
struct HitBuffer {
    float block[Values][32];
    HeldHits<Most> held;
};

/// Finds the hits among the products of all lanes; returns the number of held hits. Hits are rare, so their code is
/// kept small: it reads products from shared memory, where they can be indexed, and not from registers.
template <int Values, int Most, class Place>
__device__ int collect(const FilterTask& task, const Strip& at, const float (&products)[Values], const Place& place,
                       int count, HitBuffer<Values, Most>& collected) {
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
