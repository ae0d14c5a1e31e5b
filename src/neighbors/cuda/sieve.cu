// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/tensor_map.cuh"
#include "distance/cuda/mma.cuh"
#include "neighbors/cuda/hits.cuh"
#include "neighbors/cuda/sieve.cuh"
#include "neighbors/cuda/sieve_hopper.cuh"

namespace dunlin::neighbors {

namespace {

constexpr int warp_rows = 64, warp_columns = 64;  ///< queries and base rows of a warp's share of a tile
constexpr int warps_across = query_tile / warp_rows, warps = warps_across * (base_tile / warp_columns);
constexpr int threads = 32 * warps;
constexpr int row_blocks = warp_rows / 16, column_blocks = warp_columns / 8;
using Task = SieveTask;
using WarpHits = Collected<32, 256>;

/// A chunk of columns of a tile. Rows of 128 bytes, whose eight parts change places so that eight rows meet all banks.
struct Stage {
    __half queries[query_tile * sketch_chunk];
    __half base[base_tile * sketch_chunk];

    static constexpr int parts = sketch_chunk / 8;
    __device__ static int place(int row, int part) { return row * sketch_chunk + (part ^ (row & (parts - 1))) * 8; }
};

template <int Rows>
__device__ void copy_rows(__half* to, const __half* from, Index width) {
#pragma unroll
    for (int i = static_cast<int>(threadIdx.x); i < Rows * Stage::parts; i += threads) {
        const int row = i / Stage::parts, part = i % Stage::parts;
        distance::copy_16(to + Stage::place(row, part), from + Offset{row} * width + part * 8);
    }
}

/// Enqueues the copies of one chunk after another, tile after tile.
template <int Stages>
class Feeder {
public:
    __device__ Feeder(const Task& task, const Strip& strip)
        : queries_(task.queries + Offset{strip.query} * task.width),
          base_(task.base),
          strip_(strip),
          width_(task.width) {}

    __device__ void next(Stage& stage) {
        if (tile_ < strip_.tiles) {
            if (width_ > sketch_chunk || fed_ < Stages) copy_rows<query_tile>(stage.queries, queries_ + at_, width_);
            copy_rows<base_tile>(stage.base, base_ + Offset{strip_.row(tile_ * base_tile)} * width_ + at_, width_);
            advance();
        }
        distance::end_copies();  // an empty group too, so that they can be counted
    }

private:
    __device__ void advance() {
        ++fed_;  // where all of a row is one chunk, the queries' stay in every stage
        at_ += sketch_chunk;
        if (at_ < width_) return;
        at_ = 0;
        ++tile_;
    }

    const __half *queries_, *base_;
    Strip strip_;
    Index width_, at_ = 0, fed_ = 0, tile_ = 0;
};

/// What a warp multiplies in one step of 16 columns.
struct Fragments {
    std::uint32_t queries[row_blocks][4], base[column_blocks / 2][4];

    __device__ void load(const Stage& stage, int row, int column, int step) {
        const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
        for (int i = 0; i < row_blocks; ++i) {
            distance::load_blocks(queries[i],
                                  stage.queries + Stage::place(row + 16 * i + lane % 16, 2 * step + lane / 16));
        }
#pragma unroll
        for (int j = 0; j < column_blocks / 2; ++j) {
            const int of = column + 16 * j + lane % 8 + lane / 16 * 8;
            distance::load_blocks(base[j], stage.base + Stage::place(of, 2 * step + lane / 8 % 2));
        }
    }
};

using Sums = float[row_blocks][4 * column_blocks];

__device__ void multiply(const Fragments& of, Sums& sums) {
#pragma unroll
    for (int i = 0; i < row_blocks; ++i) {
#pragma unroll
        for (int j = 0; j < column_blocks; ++j) {
            distance::multiply_add(&sums[i][4 * j], of.queries[i], of.base[j / 2][j % 2 * 2],
                                   of.base[j / 2][j % 2 * 2 + 1]);
        }
    }
}

/// The places in a tile of the element e of block (i, j) of a warp's share.
__device__ int row_of(int i, int e) { return 16 * i + static_cast<int>(threadIdx.x % 32 / 4) + e / 2 * 8; }
__device__ int column_of(int j, int e) { return 8 * j + static_cast<int>(threadIdx.x % 4) * 2 + e % 2; }

/// Writes every product's square to its own place of the list; what is no row becomes no_entry. column: of the strip.
__device__ void list(const Task& task, const Strip& strip, const Sums& sums, Index query, Index column) {
    const Index before = static_cast<Index>(blockIdx.x) * task.tiles_per_strip * base_tile;
#pragma unroll
    for (int i = 0; i < row_blocks; ++i) {
#pragma unroll
        for (int j = 0; j < column_blocks; ++j) {
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const Index q = query + row_of(i, e), place = column + column_of(j, e), row = strip.row(place);
                if (q >= task.query_count) continue;
                const Index item = task.items[row];
                task.lists.entries[Offset{q} * task.lists.capacity + before + place] =
                    item < 0 ? no_entry : entry_of(length_of(task, 0, row, sums[i][4 * j + e]), item);
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
    WarpHits& hits = reinterpret_cast<WarpHits*>(stages + Stages)[warp];
    const int row = warp % warps_across * warp_rows, column = warp / warps_across * warp_columns;
    const Strip strip = strip_of(task);
    if (strip.tiles <= 0) return;
    const Index chunks = task.width / sketch_chunk;
    constexpr int steps = sketch_chunk / 16;

    // The fragments of a step are loaded while those of the step before are multiplied
    Feeder<Stages> feeder(task, strip);
    for (int s = 0; s + 1 < Stages; ++s) feeder.next(stages[s]);
    distance::wait_for_copies<Stages - 2>();
    __syncthreads();
    Fragments fragments[2];
    fragments[0].load(stages[0], row, column, 0);
    int now = 0, count = 0;
    for (Index tile = 0; tile < strip.tiles; ++tile) {
        Sums sums = {};
        for (Index chunk = 0; chunk < chunks; ++chunk) {
            feeder.next(stages[now == 0 ? Stages - 1 : now - 1]);
#pragma unroll
            for (int step = 0; step < steps; ++step) {
                if (step + 1 < steps) {
                    fragments[(step + 1) % 2].load(stages[now], row, column, step + 1);
                } else {
                    now = now + 1 == Stages ? 0 : now + 1;
                    distance::wait_for_copies<Stages - 2>();
                    __syncthreads();  // the next stage has come, and this one may be overwritten
                    fragments[0].load(stages[now], row, column, 0);
                }
                multiply(fragments[step % 2], sums);
            }
        }
        if constexpr (All) {
            list(task, strip, sums, strip.query + row, tile * base_tile + column);
        } else {
#pragma unroll
            for (int i = 0; i < row_blocks; ++i) {
                const Index in_strip = tile * base_tile + column;
                const auto place = [&](int v) {
                    return static_cast<std::uint32_t>(row + row_of(i, v % 4)) << 20 |
                           static_cast<std::uint32_t>(in_strip + column_of(v / 4, v % 4));
                };
                count = collect(task, strip, sums[i], place, count, hits);
            }
        }
    }
    if constexpr (!All) release(task, strip, count, hits.held);
    distance::wait_for_copies<0>();
}

template <int Stages>
constexpr std::size_t shared_bytes = Stages * sizeof(Stage) + warps * sizeof(WarpHits);

template <int Stages, bool All>
void launch(device::Cuda& cuda, const Task& task, dim3 grid) {
    device::cuda_check(cudaFuncSetAttribute(sieve_kernel<Stages, All>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(shared_bytes<Stages>)));
    sieve_kernel<Stages, All><<<grid, threads, shared_bytes<Stages>, cuda.stream()>>>(task);
    device::cuda_check(cudaGetLastError());
}

/// The most that a block may ask for.
std::size_t shared_memory(const device::Cuda& cuda) {
    int most = 0;
    device::cuda_check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.run().gpu()));
    return static_cast<std::size_t>(most);
}

template <bool All>
void run(device::Cuda& cuda, const HalfRows& queries, const float* limits, const HalfRows& base,
         const VisitsView& visits, Index begin, Index end, const CandidateLists& lists) {
    if (begin >= end) return;
    const Index tiles = end - begin, across = queries.padded / query_tile;
    // Strips side by side run at once and share the queries' tile; long ones waste less on filling their stages
    const Offset wanted = 8 * cuda.multiprocessors(),
                 met = visits.tiles == nullptr ? Offset{tiles} * across : visits.met;
    const auto per_strip = static_cast<Index>(
        std::clamp<Offset>((met + wanted - 1) / wanted, std::min<Index>(tiles, 16), longest_strip / base_tile));
    const Task task{queries.values.data(),
                    base.values.data(),
                    limits,
                    base.errors.data(),
                    base.items,
                    lists.view(),
                    queries.count,
                    base.width,
                    begin,
                    end,
                    per_strip,
                    visits};
    const dim3 grid(static_cast<unsigned>((tiles + per_strip - 1) / per_strip), static_cast<unsigned>(across));
    if (!All && device::has_warpgroup_products(cuda))
        return sieve_on_hopper(cuda, task, queries.padded, base.padded, grid);
    if (shared_memory(cuda) >= shared_bytes<3>) return launch<3, All>(cuda, task, grid);
    launch<2, All>(cuda, task, grid);
}

}  // namespace

bool can_sieve(const device::Cuda& cuda) { return shared_memory(cuda) >= shared_bytes<2>; }

void sieve(device::Cuda& cuda, const HalfRows& queries, const float* limits, const HalfRows& base,
           const VisitsView& visits, Index begin, Index end, const CandidateLists& lists) {
    run<false>(cuda, queries, limits, base, visits, begin, end, lists);
}

void list_all(device::Cuda& cuda, const HalfRows& queries, const HalfRows& base, const VisitsView& visits, Index end,
              const CandidateLists& lists) {
    run<true>(cuda, queries, nullptr, base, visits, 0, end, lists);
}

}  // namespace dunlin::neighbors
