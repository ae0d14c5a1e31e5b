// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "distance/cuda/tile_products.cuh"
#include "neighbors/cuda/filter.cuh"
#include "neighbors/cuda/hits.cuh"
#include "numerics/tensor_map.cuh"

namespace dunlin::neighbors {

namespace {

using distance::TileCursor;
using Tile = distance::WarpTile<64>;
static_assert(query_tile == Tile::a_rows && base_tile == Tile::b_rows);
using WarpHits = HitBuffer<4 * Tile::column_blocks, 256>;

/// Appends the base rows that a query's limit does not exclude to its list. With All, lists every row.
template <bool All>
class ThresholdFilter {
public:
    static constexpr bool sums_chunks = false;

    __device__ ThresholdFilter(const FilterTask& task, const Strip& strip, WarpHits& hits)
        : task_(task), strip_(strip), hits_(hits) {}

    __device__ void copy_a(__half* to, const TileCursor& at) {
        distance::copy_chunk<query_tile>(to, task_.queries + Offset{strip_.query} * task_.width + at.column,
                                         task_.width);
    }
    __device__ void copy_b(__half* to, const TileCursor& at) {
        distance::copy_chunk<base_tile>(
            to, task_.base + Offset{strip_.row(at.tile * base_tile)} * task_.width + at.column, task_.width);
    }

    __device__ void begin(const TileCursor&, Tile::Sums& sums) { Tile::clear(sums); }

    __device__ void take(const TileCursor& at, const TileCursor&, const Tile::Sums& sums) {
        const Index column = at.tile * base_tile + Tile::column();
        if constexpr (All) {
            list(sums, column);
        } else {
            find_hits(sums, column);
        }
    }

    /// Appends the hits that are still held.
    __device__ void finish() const { flush(task_, strip_, count_, hits_.held); }

private:
    /// Writes the square distance of every product to its own position of the list; no_entry where the base has no row.
    /// column: the warp's first, of the strip.
    __device__ void list(const Tile::Sums& sums, Index column) const {
        const Index before = static_cast<Index>(blockIdx.x) * task_.tiles_per_strip * base_tile;
#pragma unroll
        for (int c = 0; c < 2 * Tile::column_blocks; ++c) {
            const int v = c / 2 * 4 + c % 2;
            const Index position = column + distance::product_column(v), row = strip_.row(position);
            const Index item = task_.items[row];
            const float error = task_.base_errors[row];
#pragma unroll
            for (int r = 0; r < 2 * Tile::row_blocks; ++r) {
                const int of_row = v + r % 2 * 2;
                const Index q = strip_.query + Tile::row() + r / 2 * 16 + distance::product_row(of_row);
                if (q >= task_.query_count) continue;
                task_.lists.entries[Offset{q} * task_.lists.capacity + before + position] =
                    item < 0 ? no_entry : entry_of(square_of(error, sums[r / 2][of_row]), item);
            }
        }
    }

    __device__ void find_hits(const Tile::Sums& sums, Index column) {
#pragma unroll
        for (int i = 0; i < Tile::row_blocks; ++i) {
            const auto place = [&](int v) {
                return static_cast<std::uint32_t>(Tile::row() + 16 * i + distance::product_row(v)) << 20 |
                       static_cast<std::uint32_t>(column + distance::product_column(v));
            };
            count_ = collect(task_, strip_, sums[i], place, count_, hits_);
        }
    }

    const FilterTask& task_;
    const Strip strip_;
    WarpHits& hits_;
    int count_ = 0;  ///< of hits that are held
};

/// Block (s, t): queries of tile t against strip s of the base.
template <int Stages, bool All>
__global__ void __launch_bounds__(Tile::threads, 1) filter_kernel(FilterTask task) {
    extern __shared__ __align__(128) unsigned char shared[];
    auto* query_chunks = reinterpret_cast<Tile::ChunkA*>(shared);
    auto* base_chunks = reinterpret_cast<Tile::ChunkB*>(query_chunks + Stages);
    auto* hits = reinterpret_cast<WarpHits*>(base_chunks + Stages);
    const Strip strip = strip_of(task);
    if (strip.tiles <= 0) return;
    ThresholdFilter<All> filter(task, strip, hits[threadIdx.x / 32]);
    const bool one_chunk = task.width == distance::half_chunk;
    const distance::TileWork work{.a_first = 0,
                                  .a_end = 1,
                                  .a_step = 1,
                                  .b_tiles = strip.tiles,
                                  .width = task.width,
                                  .a_slots = one_chunk ? 1 : Stages,
                                  .keeps_a = one_chunk};
    distance::tile_products<Tile, Stages>(work, query_chunks, base_chunks, filter);
    if constexpr (!All) filter.finish();
}

template <int Stages>
constexpr std::size_t shared_bytes =
    Stages * (sizeof(Tile::ChunkA) + sizeof(Tile::ChunkB)) + Tile::warps * sizeof(WarpHits);

template <int Stages, bool All>
void launch(device::Cuda& cuda, const FilterTask& task, dim3 grid) {
    distance::launch_with_shared(cuda, filter_kernel<Stages, All>, grid, Tile::threads, shared_bytes<Stages>, task);
}

template <bool All>
void run(device::Cuda& cuda, const FilterRows& queries, const float* limits, const FilterRows& base,
         const VisitsView& visits, Index begin, Index end, const CandidateLists& lists) {
    if (begin >= end) return;
    const Index tiles = end - begin, across = queries.padded / query_tile;
    // Neighboring strips run at the same time and share the tile of queries; longer ones fill their ring less often
    const Offset wanted = 8 * cuda.multiprocessors(),
                 visited = visits.tiles == nullptr ? Offset{tiles} * across : visits.met;
    const auto per_strip = static_cast<Index>(
        std::clamp<Offset>((visited + wanted - 1) / wanted, std::min<Index>(tiles, 16), longest_strip / base_tile));
    const FilterTask task{queries.values.data(),
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
    if (!All && numerics::has_warpgroup_products(cuda))
        return filter_on_hopper(cuda, task, queries.padded, base.padded, grid);
    if (distance::most_shared_memory(cuda) >= shared_bytes<3>) return launch<3, All>(cuda, task, grid);
    launch<2, All>(cuda, task, grid);
}

}  // namespace

bool can_filter(const device::Cuda& cuda) { return distance::most_shared_memory(cuda) >= shared_bytes<2>; }

void filter_candidates(device::Cuda& cuda, const FilterRows& queries, const float* limits, const FilterRows& base,
                       const VisitsView& visits, Index begin, Index end, const CandidateLists& lists) {
    run<false>(cuda, queries, limits, base, visits, begin, end, lists);
}

void list_all(device::Cuda& cuda, const FilterRows& queries, const FilterRows& base, const VisitsView& visits,
              Index end, const CandidateLists& lists) {
    run<true>(cuda, queries, nullptr, base, visits, 0, end, lists);
}

}  // namespace dunlin::neighbors
