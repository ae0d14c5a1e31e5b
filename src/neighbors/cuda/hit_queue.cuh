// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distance/cuda/tile_products_hopper.cuh"
#include "neighbors/cuda/hits.cuh"

/// A queue from warps that multiply to a warp that finds the hits, so that products need not wait.
namespace dunlin::neighbors {

/// Sixteen products of each lane of a warp: value v is part v % 4 of products[v / 4][lane].
struct ProductBatch {
    float4 products[4][32];
    std::uint32_t place;  ///< of the first value of lane 0; end_of_batches: that warp will push no more
};
constexpr std::uint32_t end_of_batches = ~0U;

/// Batches of some warps for one. All lanes arrive at a barrier, although one per warp would do: compute-sanitizer's
/// racecheck does not follow the latter.
template <int Slots>
struct HitQueue {
    ProductBatch batches[Slots];
    distance::ChunkRing<Slots> ring;
    int pushed;  ///< batches so far

    __device__ void prepare() {
        ring.prepare(32, 32);
        pushed = 0;
    }

    /// By a whole warp; waits for a slot.
    __device__ void push(std::uint32_t place, const float* products) {
        const auto lane = static_cast<int>(threadIdx.x % 32);
        const int number = __shfl_sync(~0U, lane == 0 ? atomicAdd(&pushed, 1) : 0, 0);
        ProductBatch& batch = batches[number % Slots];
        distance::wait_for(ring.empty[number % Slots], (number / Slots & 1) ^ 1);
        if (place != end_of_batches) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                batch.products[j][lane] =
                    make_float4(products[4 * j], products[4 * j + 1], products[4 * j + 2], products[4 * j + 3]);
            }
        }
        if (lane == 0) batch.place = place;
        __syncwarp();
        distance::arrive(ring.full[number % Slots]);
    }

    /// Appends the hits in all batches of `warps` warps to the lists; by a whole warp.
    template <int Most>
    __device__ void find_hits(const FilterTask& task, const Strip& at, int warps, HeldHits<Most>& held) {
        distance::RingCursor<Slots> next;
        int count = 0;
        for (; warps > 0; next.next()) {
            ring.wait_full(next);
            const ProductBatch& batch = batches[next.slot];
            if (batch.place == end_of_batches) {
                --warps;
            } else {
                count = find(task, at, batch, count, held);
            }
            __syncwarp();
            distance::arrive(ring.empty[next.slot]);
        }
        flush(task, at, count, held);
    }

private:
    template <int Most>
    __device__ static int find(const FilterTask& task, const Strip& at, const ProductBatch& batch, int count,
                               HeldHits<Most>& held) {
        const auto lane = static_cast<int>(threadIdx.x % 32);
        std::uint32_t signs = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float4 four = batch.products[j][lane];
            signs = signs << 4 | signs_of({four.x, four.y, four.z, four.w});
        }
        const auto product = [&](int v) { return reinterpret_cast<const float*>(&batch.products[v / 4][lane])[v % 4]; };
        const auto place = [&](int v) {
            return batch.place + (static_cast<std::uint32_t>(distance::product_row(v)) << 20 |
                                  static_cast<std::uint32_t>(distance::product_column(v)));
        };
        return hold(task, at, ~signs << 16, product, place, count, held);
    }
};

}  // namespace dunlin::neighbors
