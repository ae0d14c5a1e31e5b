// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distance/cuda/wgmma.cuh"
#include "neighbors/cuda/hits.cuh"

/// How the warps that multiply hand products among which are hits to one that finds these, so that they need not wait.
namespace dunlin::neighbors {

/// Sixteen products of each lane of a warp: value v is part v % 4 of products[v / 4][lane].
struct Offer {
    float4 products[4][32];
    std::uint32_t place;  ///< of the first value of lane 0; end_of_offers: none will come from that warp
};
constexpr std::uint32_t end_of_offers = ~0U;

/// Of value v of a lane, after that of value 0 of lane 0: as the sums of a warpgroup's products lie.
__device__ inline std::uint32_t place_after(int lane, int v) {
    return static_cast<std::uint32_t>(lane / 4 + v / 2 % 2 * 8) << 20 |
           static_cast<std::uint32_t>(lane % 4 * 2 + v / 4 * 8 + v % 2);
}

/// Offers of some warps to one. All lanes distance::arrive at a barrier, though one could for its warp: racecheck
/// follows no less.
template <int Slots>
struct HitRing {
    Offer offers[Slots];
    distance::Barrier full[Slots], empty[Slots];
    int given;  ///< offers, so far

    __device__ void prepare() {
        for (int s = 0; s < Slots; ++s) {
            distance::prepare_barrier(full[s], 32);
            distance::prepare_barrier(empty[s], 32);
        }
        given = 0;
    }

    /// By a whole warp; waits for a slot.
    __device__ void give(std::uint32_t place, const float* products) {
        const auto lane = static_cast<int>(threadIdx.x % 32);
        const int turn = __shfl_sync(~0U, lane == 0 ? atomicAdd(&given, 1) : 0, 0);
        Offer& offer = offers[turn % Slots];
        distance::wait_for(empty[turn % Slots], (turn / Slots & 1) ^ 1);
        if (place != end_of_offers) {
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                offer.products[j][lane] =
                    make_float4(products[4 * j], products[4 * j + 1], products[4 * j + 2], products[4 * j + 3]);
            }
        }
        if (lane == 0) offer.place = place;
        __syncwarp();
        distance::arrive(full[turn % Slots]);
    }

    /// Puts what is found in all offers of so many warps into the lists; by a whole warp.
    template <int Most>
    __device__ void find_hits(const SieveTask& task, const Strip& at, int warps, Held<Most>& held) {
        distance::Turn<Slots> turn;
        int count = 0;
        for (; warps > 0; turn.next()) {
            distance::wait_for(full[turn.slot], turn.parity);
            const Offer& offer = offers[turn.slot];
            if (offer.place == end_of_offers) {
                --warps;
            } else {
                count = find(task, at, offer, count, held);
            }
            __syncwarp();
            distance::arrive(empty[turn.slot]);
        }
        release(task, at, count, held);
    }

private:
    template <int Most>
    __device__ static int find(const SieveTask& task, const Strip& at, const Offer& offer, int count,
                               Held<Most>& held) {
        const auto lane = static_cast<int>(threadIdx.x % 32);
        std::uint32_t signs = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float4 four = offer.products[j][lane];
            signs = signs << 4 | signs_of({four.x, four.y, four.z, four.w});
        }
        const auto product = [&](int v) { return reinterpret_cast<const float*>(&offer.products[v / 4][lane])[v % 4]; };
        const auto place = [&](int v) { return offer.place + place_after(lane, v); };
        return hold(task, at, ~signs << 16, product, place, count, held);
    }
};

}  // namespace dunlin::neighbors
