// SPDX-License-Identifier: Apache-2.0
#include "device/tensor_map.cuh"
#include "distance/cuda/wgmma.cuh"
#include "neighbors/cuda/hit_ring.cuh"
#include "neighbors/cuda/sieve_hopper.cuh"

namespace dunlin::neighbors {

namespace {

constexpr int group = 128;                   ///< threads of a warpgroup
constexpr int multipliers = 2, finders = 4;  ///< warpgroups that multiply; warps that find hits, for two warps each
constexpr int threads = group * (multipliers + 2);
constexpr int multiplier_warps = multipliers * group / 32, warps_per_finder = multiplier_warps / finders;

/// Single: a row is one chunk, so that the queries' stays.
template <bool Single>
struct Shared {
    static constexpr int stages = Single ? 4 : 3;
    __half queries[Single ? 1 : stages][query_tile * sketch_chunk];
    __half base[stages][base_tile * sketch_chunk];
    HitRing<8> hits[finders];
    Held<128> held[finders];
    Strip strip;
    distance::Barrier full[stages], empty[stages];
};
constexpr std::size_t alignment = 1024;  ///< of swizzled rows
template <bool Single>
constexpr std::size_t shared_bytes = sizeof(Shared<Single>) + alignment;

/// Copies chunk after chunk, by one thread.
template <bool Single>
__device__ void feed(const CUtensorMap& queries, const CUtensorMap& base, const Strip& strip, Index chunks,
                     Shared<Single>& shared) {
    constexpr std::uint32_t query_bytes = sizeof(shared.queries[0]), base_bytes = sizeof(shared.base[0]);
    distance::Turn<Shared<Single>::stages> turn;
    for (Index tile = 0; tile < strip.tiles; ++tile) {
        const Index row = strip.row(tile * base_tile);
        for (Index chunk = 0; chunk < chunks; ++chunk, turn.next()) {
            distance::wait_for(shared.empty[turn.slot], turn.parity ^ 1);
            distance::Barrier& full = shared.full[turn.slot];
            const bool with_queries = !Single || tile == 0;
            distance::arrive_expecting(full, base_bytes + (with_queries ? query_bytes : 0));
            const Index column = chunk * sketch_chunk;
            if (with_queries)
                distance::copy_box(shared.queries[Single ? 0 : turn.slot], queries, column, strip.query, full);
            distance::copy_box(shared.base[turn.slot], base, column, row, full);
        }
    }
}

constexpr int blocks = 2, halves = 2, steps = sketch_chunk / 16;
using Quarter = float[32];  ///< of a thread: 64 queries and 64 base rows of a warpgroup

/// A warp of the two warpgroups that multiply, each of which has half of a tile's queries in two blocks of 64.
template <bool Single>
class Multiplier {
public:
    __device__ Multiplier(Shared<Single>& shared)
        : shared_(shared),
          tiles_(shared.strip.tiles),
          warp_(static_cast<int>(threadIdx.x / 32) - group / 32),
          hits_(shared.hits[warp_ % finders]) {}

    /// Tile after tile, chunk after chunk: the products of one are under way while the next is enqueued.
    __device__ void run(Index chunks) {
        for (Index tile = 0; tile < tiles_; ++tile) {
            Sums sums[blocks];
            int before = -1;  // the stage whose products may be under way
            for (Index chunk = 0; chunk < chunks; ++chunk, turn_.next()) {
                distance::wait_for(shared_.full[turn_.slot], turn_.parity);
                distance::begin_products();
#pragma unroll
                for (int m = 0; m < blocks; ++m) multiply(m, chunk > 0, sums[m]);
                distance::end_products();
                distance::wait_for_products<1>();
                if (before >= 0) give_back(before);
                before = turn_.slot;
            }
            distance::wait_for_products<0>();
            give_back(before);
#pragma unroll
            for (int m = 0; m < blocks; ++m) {
                look(m, 0, tile, reinterpret_cast<Quarter&>(sums[m][0]));
                look(m, 1, tile, reinterpret_cast<Quarter&>(sums[m][32]));
            }
        }
        hits_.give(end_of_offers, nullptr);
    }

    /// Tile after tile of one chunk, whose queries stay in registers. While one quarter of a tile's products is looked
    /// at, one or more of the others are under way.
    __device__ void run_single() {
        Quarter first[halves], second[halves];
        Queries queries;
        distance::wait_for(shared_.full[0], 0);
        load(queries);
        for (Index tile = 0; tile < tiles_; ++tile, turn_.next()) {
            distance::wait_for(shared_.full[turn_.slot], turn_.parity);
            begin(queries[0], 0, first[0]);
            begin(queries[0], 1, first[1]);
            if (tile > 0) look(1, 0, tile - 1, second[0]);
            begin(queries[1], 0, second[0]);
            if (tile > 0) look(1, 1, tile - 1, second[1]);
            begin(queries[1], 1, second[1]);
            end<3>(first[0]);
            look(0, 0, tile, first[0]);
            end<2>(first[1]);
            look(0, 1, tile, first[1]);
            end<0>(second[0]);
            distance::hold_in_place(second[1]);
            give_back(turn_.slot);
        }
        look(1, 0, tiles_ - 1, second[0]);
        look(1, 1, tiles_ - 1, second[1]);
        hits_.give(end_of_offers, nullptr);
    }

private:
    using Sums = float[64];                           ///< of a thread: 64 queries and 128 base rows of a warpgroup
    using Queries = std::uint32_t[blocks][steps][4];  ///< of a warp, as distance::load_blocks leaves them

    [[nodiscard]] __device__ int block(int m) const { return warp_ / 4 * blocks + m; }

    /// Enqueues the products of a stage for block m.
    __device__ void multiply(int m, bool add, Sums& sums) {
        const std::uint64_t queries = distance::describe(shared_.queries[turn_.slot] + block(m) * 64 * sketch_chunk),
                            base = distance::describe(shared_.base[turn_.slot]);
#pragma unroll
        for (int step = 0; step < steps; ++step) {
            distance::multiply_64_by_128(sums, queries + 2 * step, base + 2 * step, add || step > 0);
        }
    }

    /// The queries of both blocks.
    __device__ void load(Queries& queries) const {
        const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
        for (int m = 0; m < blocks; ++m) {
            const int row = 64 * block(m) + warp_ % 4 * 16 + lane % 16;
#pragma unroll
            for (int step = 0; step < steps; ++step) {
                const int part = (2 * step + lane / 16) ^ (row % 8);  // parts of 16 bytes change places
                distance::load_blocks(queries[m][step], shared_.queries[0] + row * sketch_chunk + 8 * part);
            }
        }
    }

    __device__ void begin(const std::uint32_t (&queries)[steps][4], int half, Quarter& quarter) {
        distance::hold_in_place(quarter);
        distance::begin_products();
        const std::uint64_t base = distance::describe(shared_.base[turn_.slot] + half * 64 * sketch_chunk);
#pragma unroll
        for (int step = 0; step < steps; ++step)
            distance::multiply_64_by_64(quarter, queries[step], base + 2 * step, step > 0);
        distance::end_products();
    }

    /// Waits until no more than so many quarters are under way, of which this is none.
    template <int Left>
    static __device__ void end(Quarter& quarter) {
        distance::wait_for_products<Left>();
        distance::hold_in_place(quarter);
    }

    /// Tells the thread that fills it that this warp needs the stage no more.
    __device__ void give_back(int stage) {
        if (threadIdx.x % 32 == 0) distance::arrive(shared_.empty[stage]);
    }

    /// Offers those products of block m and half of a tile's base rows among which are hits.
    __device__ void look(int m, int half, Index tile, float (&products)[32]) {
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
            hits_.give(row << 20 | (column + 32 * part), products + 16 * part);
        }
    }

    Shared<Single>& shared_;
    Index tiles_;
    int warp_;
    HitRing<8>& hits_;
    distance::Turn<Shared<Single>::stages> turn_;
};

/// Prepares what warps tell each other by; by one thread.
template <bool Single>
__device__ void prepare(const Strip& strip, Shared<Single>& shared) {
    shared.strip = strip;
    for (int s = 0; s < Shared<Single>::stages; ++s) {
        distance::prepare_barrier(shared.full[s], 1);
        distance::prepare_barrier(shared.empty[s], multiplier_warps);
    }
    for (HitRing<8>& ring : shared.hits) ring.prepare();
    distance::publish_barriers();
}

/// Block (s, t): queries of tile t against strip s of the base. A warpgroup feeds, two multiply, one finds hits.
template <bool Single>
__global__ void __launch_bounds__(threads, 1)
    hopper_sieve_kernel(const __grid_constant__ CUtensorMap queries, const __grid_constant__ CUtensorMap base,
                        const SieveTask task) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ unsigned char raw[];
    auto& shared =
        *reinterpret_cast<Shared<Single>*>(raw + (alignment - distance::shared_address(raw) % alignment) % alignment);
    const Strip strip = strip_of(task);
    if (strip.tiles <= 0) return;
    const Index chunks = task.width / sketch_chunk;
    if (threadIdx.x == 0) prepare(strip, shared);
    __syncthreads();
    if (threadIdx.x < group) {
        distance::give_registers<24>();
        if (threadIdx.x == 0) feed(queries, base, strip, chunks, shared);
    } else if (threadIdx.x < group * (multipliers + 1)) {
        distance::take_registers<208>();
        Multiplier<Single> multiplier(shared);
        if (chunks == 1) {  // asked again: where ptxas (13.0) sees but one way, it waits for products in between
            multiplier.run_single();
        } else {
            multiplier.run(chunks);
        }
    } else {
        distance::give_registers<72>();
        const auto finder = static_cast<int>(threadIdx.x / 32) - multiplier_warps - group / 32;
        shared.hits[finder].find_hits(task, shared.strip, warps_per_finder, shared.held[finder]);
    }
#endif
}

template <bool Single>
void launch(device::Cuda& cuda, const SieveTask& task, Index padded_queries, Index padded_base, dim3 grid) {
    device::cuda_check(cudaFuncSetAttribute(hopper_sieve_kernel<Single>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(shared_bytes<Single>)));
    hopper_sieve_kernel<Single><<<grid, threads, shared_bytes<Single>, cuda.stream()>>>(
        device::tensor_map(task.queries, padded_queries, task.width, sketch_chunk, query_tile),
        device::tensor_map(task.base, padded_base, task.width, sketch_chunk, base_tile), task);
    device::cuda_check(cudaGetLastError());
}

}  // namespace

void sieve_on_hopper(device::Cuda& cuda, const SieveTask& task, Index padded_queries, Index padded_base, dim3 grid) {
    if (task.width == sketch_chunk) return launch<true>(cuda, task, padded_queries, padded_base, grid);
    launch<false>(cuda, task, padded_queries, padded_base, grid);
}

}  // namespace dunlin::neighbors
