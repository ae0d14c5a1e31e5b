#include "neighbors/on_device/sieve_hopper.cuh"
#include "neighbors/on_device/wgmma.cuh"

namespace dunlin::neighbors {

namespace {

constexpr int stages = 4;
constexpr int multipliers = 2, group = 128;  ///< warpgroups that multiply, and threads of each; one more copies
constexpr int threads = group * (multipliers + 1);
constexpr int halves_down = query_tile / multipliers / 64;  ///< blocks of 64 queries that a warpgroup multiplies

using HopperHeld = Held<16, 128>;

struct Shared {
    __half queries[stages][query_tile * sketch_chunk];
    __half base[stages][base_tile * sketch_chunk];
    HopperHeld held[multipliers * group / 32];
    Barrier full[stages], empty[stages];
};
constexpr std::size_t alignment = 1024;  ///< of swizzled rows
constexpr std::size_t shared_bytes = sizeof(Shared) + alignment;

/// Which stage comes next, and the parity of its barriers' phase.
struct Turn {
    int stage = 0;
    std::uint32_t parity = 0;
    __device__ void next() {
        if (++stage < stages) return;
        stage = 0;
        parity ^= 1;
    }
};

/// Copies chunk after chunk, by one thread. The blocks of a cluster have the queries in common: each brings its part to
/// all.
template <int Cluster>
__device__ void feed(const CUtensorMap& queries, const CUtensorMap& base, Index query, Index strip, Index tiles,
                     Index chunks, Shared& shared) {
    constexpr std::uint32_t query_bytes = sizeof(shared.queries[0]), base_bytes = sizeof(shared.base[0]);
    Turn turn;
    Index fed = 0;
    for (Index tile = 0; tile < tiles; ++tile) {
        for (Index chunk = 0; chunk < chunks; ++chunk, ++fed, turn.next()) {
            wait_for(shared.empty[turn.stage], turn.parity ^ 1);
            Barrier& full = shared.full[turn.stage];
            const bool with_queries = chunks > 1 || fed < stages;  // a single chunk stays in every stage
            arrive_expecting(full, base_bytes + (with_queries ? query_bytes : 0));
            const Index column = chunk * sketch_chunk;
            if constexpr (Cluster == 1) {
                if (with_queries) copy_box(shared.queries[turn.stage], queries, column, query, full);
            } else if (with_queries) {
                constexpr int part = query_tile / Cluster;
                const auto first = static_cast<int>(rank_in_cluster()) * part;
                copy_box_to((1 << Cluster) - 1, shared.queries[turn.stage] + first * sketch_chunk, queries, column,
                            query + first, full);
            }
            copy_box(shared.base[turn.stage], base, column, strip + tile * base_tile, full);
        }
    }
}

using Sums = float[halves_down][64];

/// Enqueues the products of a stage for a warpgroup.
__device__ void multiply(const Shared& shared, int stage, int warpgroup, bool add, Sums& sums) {
    const std::uint64_t base = describe(shared.base[stage]);
    begin_products();
#pragma unroll
    for (int step = 0; step < sketch_chunk / 16; ++step) {
#pragma unroll
        for (int m = 0; m < halves_down; ++m) {
            const int row = (warpgroup * halves_down + m) * 64;
            const std::uint64_t queries = describe(shared.queries[stage] + row * sketch_chunk);
            multiply_64_by_128(sums[m], queries + 2 * step, base + 2 * step, add || step > 0);
        }
    }
    end_products();
}

/// The hits of a tile, of which `held` are then not yet in their lists.
__device__ int collect_tile(const SieveTask& task, TilePlace at, int row, Index column, const Sums& sums, int count,
                            HopperHeld& held) {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int m = 0; m < halves_down; ++m) {
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            float products[16];
#pragma unroll
            for (int v = 0; v < 16; ++v) products[v] = sums[m][16 * part + v];
            const auto place = [&](int v) {
                const int of_tile = row + 64 * m + lane / 4 + v / 2 % 2 * 8;
                const Index of_strip = column + 32 * part + v / 4 * 8 + lane % 4 * 2 + v % 2;
                return static_cast<std::uint32_t>(of_tile) << 20 | static_cast<std::uint32_t>(of_strip);
            };
            count = collect(task, at, products, place, count, held);
        }
    }
    return count;
}

/// Tells whoever fills it that this warp needs the stage no more.
template <int Cluster>
__device__ void give_back(Barrier& empty) {
    if (threadIdx.x % 32 >= Cluster) return;
    if constexpr (Cluster == 1) {
        arrive(empty);
    } else {
        arrive_at(threadIdx.x % 32, empty);
    }
}

/// One of the warpgroups that multiply: half of the tile's queries. Tiles beyond `tiles` hold nothing.
template <int Cluster>
__device__ void multiply_tiles(const SieveTask& task, TilePlace at, Index tiles, Index chunks, Shared& shared) {
    const int warp = static_cast<int>(threadIdx.x / 32) - group / 32, warpgroup = warp / 4;
    HopperHeld& held = shared.held[warp];
    Turn turn;
    int count = 0;
    for (Index tile = 0; tile < task.tiles_per_strip; ++tile) {
        Sums sums;
        int before = -1;  // the stage whose products may be under way
        for (Index chunk = 0; chunk < chunks; ++chunk, turn.next()) {
            wait_for(shared.full[turn.stage], turn.parity);
            multiply(shared, turn.stage, warpgroup, chunk > 0, sums);
            wait_for_products<1>();
            if (before >= 0) give_back<Cluster>(shared.empty[before]);
            before = turn.stage;
        }
        wait_for_products<0>();
        give_back<Cluster>(shared.empty[before]);
        if (tile >= tiles) continue;
        const int row = warpgroup * (query_tile / multipliers) + warp % 4 * 16;
        count = collect_tile(task, at, row, tile * base_tile, sums, count, held);
    }
    release(task, at, count, held);
}

/// Block (s, t): queries of tile t against strip s of the base.
template <int Cluster>
__global__ void __launch_bounds__(threads, 1)
    hopper_sieve_kernel(const __grid_constant__ CUtensorMap queries, const __grid_constant__ CUtensorMap base,
                        const SieveTask task) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ unsigned char raw[];
    auto& shared = *reinterpret_cast<Shared*>(raw + (alignment - shared_address(raw) % alignment) % alignment);
    const Index query = static_cast<Index>(blockIdx.y) * query_tile;
    const Index strip = task.begin + static_cast<Index>(blockIdx.x) * task.tiles_per_strip * base_tile;
    const Index tiles = max(0, min(task.tiles_per_strip, (task.end - strip + base_tile - 1) / base_tile));
    const Index chunks = task.width / sketch_chunk;
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            prepare_barrier(shared.full[s], 1);
            prepare_barrier(shared.empty[s], Cluster * multipliers * group / 32);
        }
        publish_barriers();
    }
    __syncthreads();
    if constexpr (Cluster > 1) wait_for_cluster();  // no block may be written to before its barriers are there
    if (threadIdx.x < group) {
        if (threadIdx.x == 0) feed<Cluster>(queries, base, query, strip, task.tiles_per_strip, chunks, shared);
        __syncwarp();
    } else {
        multiply_tiles<Cluster>(task, {query, strip}, tiles, chunks, shared);
    }
    if constexpr (Cluster > 1) wait_for_cluster();  // nor end while others may write to it
#endif
}

using Encode = decltype(&cuTensorMapEncodeTiled);

/// The driver's function, which the runtime library finds, so that nothing links to the driver; null if it has none.
Encode find_encode() {
    static const Encode encode = [] {
        void* function = nullptr;
        cudaDriverEntryPointQueryResult found{};
        const cudaError_t status =
            cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
        if (status != cudaSuccess) cudaGetLastError();
        const bool usable = status == cudaSuccess && found == cudaDriverEntryPointSuccess;
        return usable ? reinterpret_cast<Encode>(function) : nullptr;
    }();
    return encode;
}

/// rows x width halves, in boxes of a chunk of columns and so many rows.
CUtensorMap map_of(const __half* values, Index rows, Index width, Index box_rows) {
    CUtensorMap map{};
    const cuuint64_t sizes[] = {static_cast<cuuint64_t>(width), static_cast<cuuint64_t>(rows)};
    const cuuint64_t strides[] = {static_cast<cuuint64_t>(width) * sizeof(__half)};
    const cuuint32_t box[] = {sketch_chunk, static_cast<cuuint32_t>(box_rows)}, steps[] = {1, 1};
    const CUresult status =
        find_encode()(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, const_cast<__half*>(values), sizes, strides, box, steps,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    device::cuda_check(status == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue);
    return map;
}

template <int Cluster>
void launch(device::Cuda& cuda, const SieveTask& task, Index padded_queries, Index padded_base, dim3 grid) {
    const auto kernel = hopper_sieve_kernel<Cluster>;
    device::cuda_check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
    cudaLaunchAttribute clusters{};
    clusters.id = cudaLaunchAttributeClusterDimension;
    clusters.val.clusterDim = {Cluster, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3((grid.x + Cluster - 1) / Cluster * Cluster, grid.y);
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = cuda.stream();
    config.attrs = &clusters;
    config.numAttrs = 1;
    device::cuda_check(cudaLaunchKernelEx(&config, kernel,
                                          map_of(task.queries, padded_queries, task.width, query_tile / Cluster),
                                          map_of(task.base, padded_base, task.width, base_tile), task));
}

}  // namespace

bool has_hopper_sieve(const device::Cuda& cuda) {
    int major = 0, minor = 0;
    device::cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, cuda.run().device_index));
    device::cuda_check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, cuda.run().device_index));
    return major == 9 && minor == 0 && find_encode() != nullptr;
}

void sieve_on_hopper(device::Cuda& cuda, const SieveTask& task, Index padded_queries, Index padded_base, dim3 grid,
                     int cluster) {
    if (cluster == 2) return launch<2>(cuda, task, padded_queries, padded_base, grid);
    launch<1>(cuda, task, padded_queries, padded_base, grid);
}

}  // namespace dunlin::neighbors
