#include <algorithm>

#include "neighbors/on_device/mma.cuh"
#include "neighbors/on_device/sieve.cuh"

namespace dunlin::neighbors {

namespace {

constexpr int warp_rows = 64, warp_columns = 64;  ///< queries and base rows of a warp's share of a tile
constexpr int warps_across = query_tile / warp_rows, warps = warps_across * (base_tile / warp_columns);
constexpr int threads = 32 * warps;
constexpr int row_blocks = warp_rows / 16, column_blocks = warp_columns / 8;
constexpr int held_hits = 192;  ///< per warp, between its tiles

struct Task {
    const __half *queries, *base;
    const float *reach, *base_errors;
    const Index* items;
    ListsView lists;
    Index query_count, begin, end, width;
    Index tiles_per_strip;
};

/// A chunk of columns of a tile. Rows of 64 bytes, whose four parts change places so that eight rows meet all banks.
struct Stage {
    __half queries[query_tile * sketch_chunk];
    __half base[base_tile * sketch_chunk];

    __device__ static int place(int row, int part) { return row * sketch_chunk + ((part ^ (row >> 1)) & 3) * 8; }
};

/// What a warp found and has not yet handed on.
struct Held {
    int count;
    std::uint32_t places[held_hits];  ///< query of the tile, above 20 bits of base row of the strip
    float products[held_hits];
};
constexpr Index longest_strip = 1 << 20;

template <int Rows>
__device__ void copy_rows(__half* to, const __half* from, Index width) {
#pragma unroll
    for (int i = static_cast<int>(threadIdx.x); i < Rows * 4; i += threads) {
        copy_16(to + Stage::place(i / 4, i % 4), from + Offset{i / 4} * width + i % 4 * 8);
    }
}

/// Enqueues the copies of one chunk after another, tile after tile.
class Feeder {
public:
    __device__ Feeder(const Task& task, Index query, Index column, Index tiles)
        : queries_(task.queries + Offset{query} * task.width),
          base_(task.base + Offset{column} * task.width),
          width_(task.width),
          left_(tiles * (task.width / sketch_chunk)) {}

    __device__ void next(Stage& stage) {
        if (left_ > 0) {
            copy_rows<query_tile>(stage.queries, queries_ + at_, width_);
            copy_rows<base_tile>(stage.base, base_ + at_, width_);
            advance();
        }
        end_copies();  // an empty group too, so that they can be counted
    }

private:
    __device__ void advance() {
        --left_;
        at_ += sketch_chunk;
        if (at_ < width_) return;
        at_ = 0;
        base_ += Offset{base_tile} * width_;
    }

    const __half *queries_, *base_;
    Index width_, at_ = 0;
    Index left_;
};

using Sums = float[row_blocks][column_blocks][4];

/// sums += the products of a chunk, for this warp's share of the tile.
__device__ void multiply(const Stage& stage, int row, int column, Sums& sums) {
    const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
    for (int step = 0; step < sketch_chunk / 16; ++step) {
        std::uint32_t a[row_blocks][4], b[column_blocks / 2][4];
#pragma unroll
        for (int i = 0; i < row_blocks; ++i) {
            load_blocks(a[i], stage.queries + Stage::place(row + 16 * i + lane % 16, 2 * step + lane / 16));
        }
#pragma unroll
        for (int j = 0; j < column_blocks / 2; ++j) {
            const int of = column + 16 * j + lane % 8 + lane / 16 * 8;
            load_blocks(b[j], stage.base + Stage::place(of, 2 * step + lane / 8 % 2));
        }
#pragma unroll
        for (int i = 0; i < row_blocks; ++i) {
#pragma unroll
            for (int j = 0; j < column_blocks; ++j) {
                multiply_add(sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
            }
        }
    }
}

/// The places in a tile of the element e of block (i, j) of a warp's share.
__device__ int row_of(int i, int e) { return 16 * i + static_cast<int>(threadIdx.x % 32 / 4) + e / 2 * 8; }
__device__ int column_of(int j, int e) { return 8 * j + static_cast<int>(threadIdx.x % 4) * 2 + e % 2; }

/// |x - y|^2, or less.
__device__ float square_of(const Task& task, float reach, Index place, float product) {
    const float sum = reach + task.base_errors[place];
    return sum * sum - 2 * product;
}

__device__ void hand_on(const Task& task, Index query, Index place, float product) {
    const float square = square_of(task, task.reach[query], place, product);
    task.lists.append(query, entry_of(square, task.items[place]));
}

/// Finds what is not negative among the products.
__device__ void collect(const Task& task, const Sums& sums, Index query, int row, Index strip, Index column,
                        Held& held) {
#pragma unroll
    for (int i = 0; i < row_blocks; ++i) {
        std::uint32_t negative = ~0U;
#pragma unroll
        for (int j = 0; j < column_blocks; ++j) {
#pragma unroll
            for (int e = 0; e < 4; ++e) negative &= __float_as_uint(sums[i][j][e]);
        }
        if (negative >> 31 != 0) continue;
#pragma unroll
        for (int j = 0; j < column_blocks; ++j) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const float product = sums[i][j][e];
                if (__float_as_uint(product) >> 31 != 0) continue;
                const int in_tile = row + row_of(i, e);
                const Index in_strip = column + column_of(j, e);
                const int slot = atomicAdd(&held.count, 1);
                if (slot < held_hits) {
                    held.places[slot] =
                        static_cast<std::uint32_t>(in_tile) << 20 | static_cast<std::uint32_t>(in_strip);
                    held.products[slot] = product;
                } else {
                    hand_on(task, query + in_tile, strip + in_strip, product);
                }
            }
        }
    }
}

/// Hands on what is held if it is `least` or more; by the whole warp.
__device__ void release(const Task& task, Index query, Index strip, int least, Held& held) {
    __syncwarp();
    const int count = min(held.count, held_hits);
    if (count < least) return;
    for (int i = static_cast<int>(threadIdx.x % 32); i < count; i += 32) {
        const std::uint32_t place = held.places[i];
        hand_on(task, query + static_cast<Index>(place >> 20), strip + static_cast<Index>(place & 0xfffff),
                held.products[i]);
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) held.count = 0;
    __syncwarp();
}

/// Writes every product's square to its own place of the list.
__device__ void list(const Task& task, const Sums& sums, Index query, Index column) {
#pragma unroll
    for (int i = 0; i < row_blocks; ++i) {
#pragma unroll
        for (int j = 0; j < column_blocks; ++j) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const Index q = query + row_of(i, e), place = column + column_of(j, e);
                if (q >= task.query_count || place >= task.end) continue;
                task.lists.entries[Offset{q} * task.lists.capacity + place] =
                    entry_of(square_of(task, 0, place, sums[i][j][e]), task.items[place]);
            }
        }
    }
}

/// Block (s, t): queries of tile t against strip s of the base. With All, every row is listed.
template <int Stages, bool All>
__global__ void __launch_bounds__(threads, 1) sieve_kernel(Task task) {
    extern __shared__ __align__(128) unsigned char shared[];
    auto* stages = reinterpret_cast<Stage*>(shared);
    const int warp = static_cast<int>(threadIdx.x / 32);
    Held& held = reinterpret_cast<Held*>(stages + Stages)[warp];
    const int row = warp % warps_across * warp_rows, column = warp / warps_across * warp_columns;
    const Index query = static_cast<Index>(blockIdx.y) * query_tile;
    const Index strip = task.begin + static_cast<Index>(blockIdx.x) * task.tiles_per_strip * base_tile;
    const Index tiles = min(task.tiles_per_strip, (task.end - strip + base_tile - 1) / base_tile);
    const Index chunks = task.width / sketch_chunk;
    if (threadIdx.x % 32 == 0) held.count = 0;
    __syncwarp();

    Feeder feeder(task, query, strip, tiles);
    for (int s = 0; s + 1 < Stages; ++s) feeder.next(stages[s]);
    int now = 0;
    for (Index tile = 0; tile < tiles; ++tile) {
        Sums sums = {};
        for (Index chunk = 0; chunk < chunks; ++chunk) {
            wait_for_copies<Stages - 2>();
            __syncthreads();  // this stage has come, and the one before it may be overwritten
            feeder.next(stages[now == 0 ? Stages - 1 : now - 1]);
            multiply(stages[now], row, column, sums);
            now = now + 1 == Stages ? 0 : now + 1;
        }
        if constexpr (All) {
            list(task, sums, query + row, strip + tile * base_tile + column);
        } else {
            collect(task, sums, query, row, strip, tile * base_tile + column, held);
            release(task, query, strip, held_hits / 2, held);
        }
    }
    if constexpr (!All) release(task, query, strip, 1, held);
    wait_for_copies<0>();
}

template <int Stages>
constexpr std::size_t shared_bytes = Stages * sizeof(Stage) + warps * sizeof(Held);

template <int Stages, bool All>
void launch(device::Cuda& cuda, const Task& task, dim3 grid) {
    device::cuda_check(cudaFuncSetAttribute(sieve_kernel<Stages, All>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(shared_bytes<Stages>)));
    sieve_kernel<Stages, All><<<grid, threads, shared_bytes<Stages>, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

template <bool All>
void run(device::Cuda& cuda, const Sketch& queries, const float* reach, const Sketch& base, Index begin, Index end,
         const Lists& lists) {
    if (begin >= end) return;
    const Index tiles = (end - begin + base_tile - 1) / base_tile, across = queries.padded / query_tile;
    // Strips side by side run at once and share the queries' tile; long ones waste less on filling their stages
    const Index wanted = std::max<Index>(1, 8 * cuda.multiprocessors() / across);
    const Index per_strip =
        std::clamp<Index>((tiles + wanted - 1) / wanted, std::min<Index>(tiles, 16), longest_strip / base_tile);
    const Task task{queries.values.data(),
                    base.values.data(),
                    reach,
                    base.errors.data(),
                    base.items.data(),
                    lists.view(),
                    queries.count,
                    begin,
                    end,
                    base.width,
                    per_strip};
    const dim3 grid(static_cast<unsigned>((tiles + per_strip - 1) / per_strip), static_cast<unsigned>(across));
    int most = 0;
    device::cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.run().device_index));
    if (static_cast<std::size_t>(most) >= shared_bytes<5>) return launch<5, All>(cuda, task, grid);
    launch<2, All>(cuda, task, grid);
}

}  // namespace

void sieve(device::Cuda& cuda, const Sketch& queries, const float* reach, const Sketch& base, Index begin, Index end,
           const Lists& lists) {
    run<false>(cuda, queries, reach, base, begin, end, lists);
}

void list_all(device::Cuda& cuda, const Sketch& queries, const Sketch& base, Index end, const Lists& lists) {
    run<true>(cuda, queries, nullptr, base, 0, end, lists);
}

}  // namespace dunlin::neighbors
