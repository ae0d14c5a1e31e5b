// SPDX-License-Identifier: Apache-2.0
#include "distance/cuda/tile_products_hopper.cuh"
#include "neighbors/cuda/hit_queue.cuh"
#include "numerics/tensor_map.cuh"

namespace dunlin::neighbors {

namespace {

using distance::chunk_steps;
using distance::half_chunk;
using distance::warpgroup;

constexpr int multipliers = 2, finders = 4;  ///< warpgroups that multiply; warps that find hits, for two warps each
constexpr int threads = warpgroup * (multipliers + 2);
constexpr int multiplier_warps = multipliers * warpgroup / 32, warps_per_finder = multiplier_warps / finders;

/// Single: a row is one chunk, so that the chunk of the queries stays.
template <bool Single>
struct FilterShared {
    static constexpr int stages = Single ? 4 : 3;
    __half queries[Single ? 1 : stages][query_tile * half_chunk];
    __half base[stages][base_tile * half_chunk];
    HitQueue<8> hits[finders];
    HeldHits<128> held[finders];
    Strip strip;
    distance::ChunkRing<stages> ring;
};

/// Copies chunk after chunk, by one thread.
template <bool Single>
__device__ void produce(const CUtensorMap& queries, const CUtensorMap& base, const Strip& strip, Index chunks,
                        FilterShared<Single>& shared) {
    distance::RingCursor<FilterShared<Single>::stages> at;
    for (Index tile = 0; tile < strip.tiles; ++tile) {
        const Index row = strip.row(tile * base_tile);
        for (Index chunk = 0; chunk < chunks; ++chunk, at.next()) {
            shared.ring.wait_empty(at);
            const bool with_queries = !Single || tile == 0;
            distance::Barrier& full =
                shared.ring.begin_fill(at, sizeof(shared.base[0]) + (with_queries ? sizeof(shared.queries[0]) : 0));
            const Index column = chunk * half_chunk;
            if (with_queries)
                distance::copy_box(shared.queries[Single ? 0 : at.slot], queries, column, strip.query, full);
            distance::copy_box(shared.base[at.slot], base, column, row, full);
        }
    }
}

constexpr int blocks = 2, halves = 2;
using Quarter = float[32];  ///< of a thread: 64 queries and 64 base rows of a warpgroup

/// A warp of the two warpgroups that multiply, each of which has half of a tile's queries in two blocks of 64.
template <bool Single>
class FilterMultiplier {
public:
    __device__ FilterMultiplier(FilterShared<Single>& shared)
        : shared_(shared),
          tiles_(shared.strip.tiles),
          warp_(static_cast<int>(threadIdx.x / 32) - warpgroup / 32),
          hits_(shared.hits[warp_ % finders]) {}

    /// Tile after tile, chunk after chunk: the products of one are under way while the next is enqueued.
    __device__ void run(Index chunks) {
        for (Index tile = 0; tile < tiles_; ++tile) {
            Sums sums[blocks];
            int before = -1;  // the slot whose products may be under way
            for (Index chunk = 0; chunk < chunks; ++chunk, at_.next()) {
                shared_.ring.wait_full(at_);
                distance::begin_products();
#pragma unroll
                for (int m = 0; m < blocks; ++m) multiply(m, chunk > 0, sums[m]);
                distance::end_products();
                distance::wait_for_products<1>();
                if (before >= 0) shared_.ring.release(before);
                before = at_.slot;
            }
            distance::wait_for_products<0>();
            shared_.ring.release(before);
#pragma unroll
            for (int m = 0; m < blocks; ++m) {
                take(m, 0, tile, reinterpret_cast<Quarter&>(sums[m][0]));
                take(m, 1, tile, reinterpret_cast<Quarter&>(sums[m][32]));
            }
        }
        hits_.push(end_of_batches, nullptr);
    }

    /// Tile after tile of one chunk, whose queries stay in registers. While one quarter of a tile's products is read,
    /// one or more of the others are under way.
    __device__ void run_single() {
        Quarter first[halves], second[halves];
        Queries queries;
        shared_.ring.wait_full(at_);
        load(queries);
        for (Index tile = 0; tile < tiles_; ++tile, at_.next()) {
            shared_.ring.wait_full(at_);
            begin(queries[0], 0, first[0]);
            begin(queries[0], 1, first[1]);
            if (tile > 0) take(1, 0, tile - 1, second[0]);
            begin(queries[1], 0, second[0]);
            if (tile > 0) take(1, 1, tile - 1, second[1]);
            begin(queries[1], 1, second[1]);
            end<3>(first[0]);
            take(0, 0, tile, first[0]);
            end<2>(first[1]);
            take(0, 1, tile, first[1]);
            end<0>(second[0]);
            distance::hold_in_place(second[1]);
            shared_.ring.release(at_.slot);
        }
        take(1, 0, tiles_ - 1, second[0]);
        take(1, 1, tiles_ - 1, second[1]);
        hits_.push(end_of_batches, nullptr);
    }

private:
    using Sums = float[64];  ///< of a thread: 64 queries and 128 base rows of a warpgroup
    using Queries = std::uint32_t[blocks][chunk_steps][4];  ///< of a warp (distance::load_a)

    [[nodiscard]] __device__ int block(int m) const { return warp_ / 4 * blocks + m; }

    /// Enqueues the products of a chunk for block m.
    __device__ void multiply(int m, bool add, Sums& sums) {
        distance::multiply_chunk(sums, shared_.queries[at_.slot] + block(m) * 64 * half_chunk, shared_.base[at_.slot],
                                 add);
    }

    /// The queries of both blocks.
    __device__ void load(Queries& queries) const {
#pragma unroll
        for (int m = 0; m < blocks; ++m) {
#pragma unroll
            for (int step = 0; step < chunk_steps; ++step) {
                distance::load_a(queries[m][step], shared_.queries[0], 64 * block(m) + warp_ % 4 * 16, step);
            }
        }
    }

    __device__ void begin(const std::uint32_t (&queries)[chunk_steps][4], int half, Quarter& quarter) {
        distance::hold_in_place(quarter);
        distance::begin_products();
        distance::multiply_chunk(quarter, queries, shared_.base[at_.slot] + half * 64 * half_chunk);
        distance::end_products();
    }

    /// Waits until at most `Left` later quarters are under way, and this one is complete.
    template <int Left>
    static __device__ void end(Quarter& quarter) {
        distance::wait_for_products<Left>();
        distance::hold_in_place(quarter);
    }

    /// Pushes those products of block m and half of a tile's base rows among which are hits.
    __device__ void take(int m, int half, Index tile, float (&products)[32]) {
        distance::hold_in_place(products);
        std::uint32_t negative[2] = {~0U, ~0U};
#pragma unroll
        for (int v = 0; v < 32; ++v) negative[v / 16] &= __float_as_uint(products[v]);
        if (__all_sync(~0U, (negative[0] & negative[1]) >> 31 != 0)) return;
        const auto row = static_cast<std::uint32_t>(64 * block(m) + warp_ % 4 * 16);
        const auto column = static_cast<std::uint32_t>(tile * base_tile + 64 * half);
#pragma unroll
        for (int part = 0; part < 2; ++part) {
            if (__all_sync(~0U, negative[part] >> 31 != 0)) continue;
            hits_.push(row << 20 | (column + 32 * part), products + 16 * part);
        }
    }

    FilterShared<Single>& shared_;
    Index tiles_;
    int warp_;
    HitQueue<8>& hits_;
    distance::RingCursor<FilterShared<Single>::stages> at_;
};

/// Prepares the barriers, by one thread.
template <bool Single>
__device__ void prepare(const Strip& strip, FilterShared<Single>& shared) {
    shared.strip = strip;
    shared.ring.prepare(1, multiplier_warps);
    for (HitQueue<8>& queue : shared.hits) queue.prepare();
    distance::publish_barriers();
}

/// Block (s, t): queries of tile t against strip s of the base. A warpgroup copies, two multiply, one finds hits.
template <bool Single>
__global__ void __launch_bounds__(threads, 1)
    hopper_filter_kernel(const __grid_constant__ CUtensorMap queries, const __grid_constant__ CUtensorMap base,
                         const FilterTask task) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    auto& shared = distance::aligned_shared<FilterShared<Single>>();
    const Strip strip = strip_of(task);
    if (strip.tiles <= 0) return;
    const Index chunks = task.width / half_chunk;
    if (threadIdx.x == 0) prepare(strip, shared);
    __syncthreads();
    if (threadIdx.x < warpgroup) {
        distance::give_registers<24>();
        if (threadIdx.x == 0) produce(queries, base, strip, chunks, shared);
    } else if (threadIdx.x < warpgroup * (multipliers + 1)) {
        distance::take_registers<208>();
        FilterMultiplier<Single> multiplier(shared);
        if (chunks == 1) {  // not `if constexpr (Single)`: with one branch only, ptxas (13.0) serializes the products
            multiplier.run_single();
        } else {
            multiplier.run(chunks);
        }
    } else {
        distance::give_registers<72>();
        const auto finder = static_cast<int>(threadIdx.x / 32) - multiplier_warps - warpgroup / 32;
        shared.hits[finder].find_hits(task, shared.strip, warps_per_finder, shared.held[finder]);
    }
#endif
}

template <bool Single>
void launch(device::Cuda& cuda, const FilterTask& task, Index padded_queries, Index padded_base, dim3 grid) {
    distance::launch_with_shared(cuda, hopper_filter_kernel<Single>, grid, threads,
                                 distance::aligned_bytes<FilterShared<Single>>,
                                 numerics::tensor_map(task.queries, padded_queries, task.width, half_chunk, query_tile),
                                 numerics::tensor_map(task.base, padded_base, task.width, half_chunk, base_tile), task);
}

}  // namespace

void filter_on_hopper(device::Cuda& cuda, const FilterTask& task, Index padded_queries, Index padded_base, dim3 grid) {
    if (task.width == half_chunk) return launch<true>(cuda, task, padded_queries, padded_base, grid);
    launch<false>(cuda, task, padded_queries, padded_base, grid);
}

}  // namespace dunlin::neighbors
