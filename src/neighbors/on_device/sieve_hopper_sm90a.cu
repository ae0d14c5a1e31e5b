#include "device/tensor_map.cuh"
#include "neighbors/on_device/sieve_hopper.cuh"
#include "neighbors/on_device/wgmma.cuh"

namespace dunlin::neighbors {

namespace {

constexpr int stages = 4;
constexpr int multipliers = 2, group = 128;  ///< warpgroups that multiply, and threads of each; one more copies
constexpr int threads = group * (multipliers + 1);

using HopperHeld = Held<16, 128>;

struct Shared {
    __half queries[stages][query_tile * sketch_chunk];
    __half base[stages][base_tile * sketch_chunk];
    HopperHeld held[multipliers * group / 32];
    Strip strip;
    Barrier full[stages], empty[stages];
};
constexpr std::size_t alignment = 1024;  ///< of swizzled rows
constexpr std::size_t shared_bytes = sizeof(Shared) + alignment;

/// Copies chunk after chunk, by one thread.
__device__ void feed(const CUtensorMap& queries, const CUtensorMap& base, const Strip& strip, Index chunks,
                     Shared& shared) {
    constexpr std::uint32_t query_bytes = sizeof(shared.queries[0]), base_bytes = sizeof(shared.base[0]);
    Turn<stages> turn;
    Index fed = 0;
    for (Index tile = 0; tile < strip.tiles; ++tile) {
        const Index row = strip.row(tile * base_tile);
        for (Index chunk = 0; chunk < chunks; ++chunk, ++fed, turn.next()) {
            wait_for(shared.empty[turn.slot], turn.parity ^ 1);
            Barrier& full = shared.full[turn.slot];
            const bool with_queries = chunks > 1 || fed < stages;  // a single chunk stays in every stage
            arrive_expecting(full, base_bytes + (with_queries ? query_bytes : 0));
            const Index column = chunk * sketch_chunk;
            if (with_queries) copy_box(shared.queries[turn.slot], queries, column, strip.query, full);
            copy_box(shared.base[turn.slot], base, column, row, full);
        }
    }
}

using Sums = float[64];  ///< of a thread: 64 queries and 128 base rows of a warpgroup

/// Enqueues the products of a stage for block m of a warpgroup.
__device__ void multiply(const Shared& shared, int stage, int block, bool add, Sums& sums) {
    const std::uint64_t queries = describe(shared.queries[stage] + block * 64 * sketch_chunk),
                        base = describe(shared.base[stage]);
#pragma unroll
    for (int step = 0; step < sketch_chunk / 16; ++step) {
        multiply_64_by_128(sums, queries + 2 * step, base + 2 * step, add || step > 0);
    }
}

/// A warp of the two warpgroups that multiply, each of which has half of a tile's queries in two blocks of 64.
class Multiplier {
public:
    __device__ Multiplier(const SieveTask& task, Shared& shared)
        : task_(task),
          at_(shared.strip),
          shared_(shared),
          warp_(static_cast<int>(threadIdx.x / 32) - group / 32),
          held_(shared.held[warp_]) {}

    /// Tile after tile, chunk after chunk: the products of one are under way while the next is enqueued.
    __device__ void run(Index chunks) {
        for (Index tile = 0; tile < at_.tiles; ++tile) {
            Sums sums[blocks];
            int before = -1;  // the stage whose products may be under way
            for (Index chunk = 0; chunk < chunks; ++chunk, turn_.next()) {
                wait_for(shared_.full[turn_.slot], turn_.parity);
                begin_products();
#pragma unroll
                for (int m = 0; m < blocks; ++m) multiply(shared_, turn_.slot, block(m), chunk > 0, sums[m]);
                end_products();
                wait_for_products<1>();
                if (before >= 0) give_back(before);
                before = turn_.slot;
            }
            wait_for_products<0>();
            give_back(before);
#pragma unroll
            for (int m = 0; m < blocks; ++m) collect_block(m, tile, sums[m]);
        }
        release(task_, at_, count_, held_);
    }

    /// Tile after tile of one chunk: while one block's hits are collected, the products of the other are under way.
    __device__ void run_short() {
        Sums first, second;
        for (Index tile = 0; tile < at_.tiles; ++tile) {
            wait_for(shared_.full[turn_.slot], turn_.parity);
            begin(0, first);
            if (tile > 0) collect_block(1, tile - 1, second);
            end(first);
            begin(1, second);
            collect_block(0, tile, first);
            end(second);
            give_back(turn_.slot);
            turn_.next();
        }
        collect_block(1, at_.tiles - 1, second);
        release(task_, at_, count_, held_);
    }

private:
    static constexpr int blocks = 2;

    [[nodiscard]] __device__ int block(int m) const { return warp_ / 4 * blocks + m; }

    __device__ void begin(int m, Sums& sums) {
        hold_in_place(sums);
        begin_products();
        multiply(shared_, turn_.slot, block(m), false, sums);
        end_products();
    }

    __device__ static void end(Sums& sums) {
        wait_for_products<0>();
        hold_in_place(sums);
    }

    /// Tells the thread that fills it that this warp needs the stage no more.
    __device__ void give_back(int stage) {
        if (threadIdx.x % 32 == 0) arrive(shared_.empty[stage]);
    }

    __device__ void collect_block(int m, Index tile, const Sums& sums) {
        const int lane = static_cast<int>(threadIdx.x % 32), row = 64 * block(m) + warp_ % 4 * 16 + lane / 4;
        const Index column = tile * base_tile + lane % 4 * 2;
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            float products[16];
#pragma unroll
            for (int v = 0; v < 16; ++v) products[v] = sums[16 * part + v];
            const auto place = [&](int v) {
                return static_cast<std::uint32_t>(row + v / 2 % 2 * 8) << 20 |
                       static_cast<std::uint32_t>(column + 32 * part + v / 4 * 8 + v % 2);
            };
            count_ = collect(task_, at_, products, place, count_, held_);
        }
    }

    const SieveTask& task_;
    const Strip& at_;
    Shared& shared_;
    int warp_;
    HopperHeld& held_;
    Turn<stages> turn_;
    int count_ = 0;  ///< of hits that are held
};

/// Block (s, t): queries of tile t against strip s of the base.
__global__ void __launch_bounds__(threads, 1)
    hopper_sieve_kernel(const __grid_constant__ CUtensorMap queries, const __grid_constant__ CUtensorMap base,
                        const SieveTask task) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ unsigned char raw[];
    auto& shared = *reinterpret_cast<Shared*>(raw + (alignment - shared_address(raw) % alignment) % alignment);
    const Strip strip = strip_of(task);
    if (strip.tiles <= 0) return;
    const Index chunks = task.width / sketch_chunk;
    if (threadIdx.x == 0) {
        shared.strip = strip;
        for (int s = 0; s < stages; ++s) {
            prepare_barrier(shared.full[s], 1);
            prepare_barrier(shared.empty[s], multipliers * group / 32);
        }
        publish_barriers();
    }
    __syncthreads();
    if (threadIdx.x < group) {
        give_registers<40>();
        if (threadIdx.x == 0) feed(queries, base, strip, chunks, shared);
    } else {
        take_registers<232>();
        Multiplier multiplier(task, shared);
        if (chunks == 1) {
            multiplier.run_short();
        } else {
            multiplier.run(chunks);
        }
    }
#endif
}

}  // namespace

void sieve_on_hopper(device::Cuda& cuda, const SieveTask& task, Index padded_queries, Index padded_base, dim3 grid) {
    device::cuda_check(cudaFuncSetAttribute(hopper_sieve_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(shared_bytes)));
    hopper_sieve_kernel<<<grid, threads, shared_bytes, cuda.stream()>>>(
        device::tensor_map(task.queries, padded_queries, task.width, sketch_chunk, query_tile),
        device::tensor_map(task.base, padded_base, task.width, sketch_chunk, base_tile), task);
    device::cuda_check(cudaGetLastError());
}

}  // namespace dunlin::neighbors
