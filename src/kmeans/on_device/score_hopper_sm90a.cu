#include "device/tensor_map.cuh"
#include "kmeans/on_device/score_hopper.cuh"
#include "neighbors/on_device/wgmma.cuh"

namespace dunlin::kmeans {

namespace {

using neighbors::arrive;
using neighbors::Barrier;
using neighbors::Turn;
using neighbors::wait_for;

constexpr int row_slots = 4, stages = 5;  ///< chunks of a tile of rows, of centroids, in shared memory
constexpr int most_chunks = 4;
static_assert(most_chunks <= row_slots && most_chunks < stages);
constexpr int group = 128;                  ///< threads of a warpgroup
constexpr int multipliers = row_tile / 64;  ///< warpgroups that multiply, 64 rows each; one more copies
constexpr int threads = group * (multipliers + 1);
constexpr int thread_rows = 2, halves = 2;  ///< of a warpgroup's rows; of a tile of centroids

struct Shared {
    __half rows[row_slots][row_tile * chunk];
    __half centroids[stages][score_tile * chunk];
    Barrier rows_full[row_slots], rows_empty[row_slots], full[stages], empty[stages];
    Barrier order[multipliers];  ///< whose turn it is to multiply
};
constexpr std::size_t alignment = 1024;  ///< of swizzled rows
constexpr std::size_t shared_bytes = sizeof(Shared) + alignment;

struct Maps {
    CUtensorMap rows, centroids;
};

__device__ Index tiles_of(const ScoreTask& task) { return (task.clusters + score_tile - 1) / score_tile; }

/// Tiles of rows, one block after another.
__device__ Offset first_row() { return Offset{blockIdx.x} * row_tile; }
__device__ Offset row_step() { return Offset{gridDim.x} * row_tile; }

/// The fillers: one thread, or where rows are gathered all of a warpgroup.
template <bool Collects>
class Filler {
public:
    __device__ Filler(const ScoreTask& task, const Maps& maps, Shared& shared, Offset rows)
        : task_(task), maps_(maps), shared_(shared), rows_(rows) {}

    __device__ void run() {
        for (Offset row = first_row(); row < rows_; row += row_step()) {
            for (Index tile = 0; tile < tiles_of(task_); ++tile) {
                for (Index column = 0; column < task_.width; column += chunk) {
                    if (tile == 0) fill_rows(row, column);
                    if (threadIdx.x == 0) fill_centroids(tile, column);
                    turn_.next();
                }
            }
        }
    }

private:
    static constexpr int warp_rows = row_tile / (group / 32);

    __device__ void fill_rows(Offset row, Index column) {
        const int slot = row_turn_.slot;
        if (Collects && column == 0) find_rows(row);
        wait_for(shared_.rows_empty[slot], row_turn_.parity ^ 1);
        if constexpr (Collects) {
            gather(shared_.rows[slot], column);
            arrive(shared_.rows_full[slot]);
        } else {
            neighbors::arrive_expecting(shared_.rows_full[slot], sizeof(shared_.rows[0]));
            neighbors::copy_box(shared_.rows[slot], maps_.rows, column, static_cast<Index>(row),
                                shared_.rows_full[slot]);
        }
        row_turn_.next();
    }

    /// Undecided rows lie anywhere. A warp brings 64 of a tile's; each lane knows where two of them are.
    __device__ void find_rows(Offset row) {
        const Offset first = row + static_cast<Offset>(threadIdx.x / 32 * warp_rows + threadIdx.x % 32);
#pragma unroll
        for (int i = 0; i < 2; ++i) at_[i] = task_.undecided[task_.unlisted[min(first + 32 * i, rows_ - 1)]];
    }
    __device__ void gather(__half* to, Index column) {
        const int lane = static_cast<int>(threadIdx.x % 32), part = lane % parts;
#pragma unroll
        for (int i = 0; i < warp_rows; i += 32 / parts) {
            const Offset from = __shfl_sync(~0U, at_[i / 32], i % 32 + lane / parts);
            const int row = static_cast<int>(threadIdx.x / 32) * warp_rows + i + lane / parts;
            neighbors::copy_16(to + place(row, part), task_.rows + from * task_.width + column + part * 8);
        }
        neighbors::end_copies();
        neighbors::wait_for_copies<0>();
        neighbors::publish_writes();
    }

    __device__ void fill_centroids(Index tile, Index column) {
        wait_for(shared_.empty[turn_.slot], turn_.parity ^ 1);
        neighbors::arrive_expecting(shared_.full[turn_.slot], sizeof(shared_.centroids[0]));
        neighbors::copy_box(shared_.centroids[turn_.slot], maps_.centroids, column, tile * score_tile,
                            shared_.full[turn_.slot]);
    }

    const ScoreTask& task_;
    const Maps& maps_;
    Shared& shared_;
    Offset rows_;
    Turn<row_slots> row_turn_;
    Turn<stages> turn_;
    Index at_[2];  ///< gathered rows
};

using Sums = float[64];  ///< of a thread: 64 rows and 128 centroids of a warpgroup

/// What a thread knows of a row: the best two scores of each half of the tiles' columns.
struct Found {
    float first[halves], second[halves];
    Index tile[halves];  ///< in which the first is

    __device__ void open() {
#pragma unroll
        for (int h = 0; h < halves; ++h) first[h] = second[h] = -INFINITY, tile[h] = 0;
    }
};

/// Whether one of the four lanes that share a row says so; for all four.
__device__ bool any_of_four(bool says) {
    const unsigned lane = threadIdx.x % 32;
    return (__ballot_sync(~0U, says) >> (lane & ~3U) & 15U) != 0;
}

/// A warp of the warpgroups that multiply. They take turns at it: while one's products are under way, the others look
/// at their scores. (Left alone, all would multiply at once and then all look.)
template <bool Collects, int Chunks>
class Multiplier {
public:
    __device__ Multiplier(const ScoreTask& task, Shared& shared, Offset rows)
        : task_(task),
          shared_(shared),
          rows_(rows),
          warp_(static_cast<int>(threadIdx.x / 32) - group / 32),
          order_(warp_ < 4 ? 1 : 0) {}

    __device__ void run() {
        const Index tiles = tiles_of(task_);
        Sums sums;
        float less[16];
        for (Offset row = first_row(); row < rows_; row += row_step()) {
            open(row);
            for (Index tile = 0; tile < tiles; ++tile) {
                load(tile, 0, less);
                await(tile == 0);
                multiply(sums);
                give_back(tile + 1 == tiles);
                look(tile, 0, sums, less);
                load(tile, 1, less);
                look(tile, 1, sums, less);
            }
            if constexpr (!Collects) close(row, 0), close(row, 1);
        }
    }

private:
    /// Until the chunks of a tile of centroids have come, and of the rows.
    __device__ void await(bool with_rows) {
        Turn<row_slots> rows = row_turn_;
        Turn<stages> turn = turn_;
#pragma unroll
        for (int c = 0; c < Chunks; ++c, rows.next(), turn.next()) {
            if (with_rows) wait_for(shared_.rows_full[rows.slot], rows.parity);
            wait_for(shared_.full[turn.slot], turn.parity);
        }
        wait_for(shared_.order[warp_ / 4], order_);
        order_ ^= 1;
    }

    __device__ void multiply(Sums& sums) {
        Turn<row_slots> rows = row_turn_;
        Turn<stages> turn = turn_;
        neighbors::hold_in_place(sums);
        neighbors::begin_products();
#pragma unroll
        for (int c = 0; c < Chunks; ++c, rows.next(), turn.next()) {
            const std::uint64_t a = neighbors::describe(shared_.rows[rows.slot] + warp_ / 4 * 64 * chunk);
            const std::uint64_t b = neighbors::describe(shared_.centroids[turn.slot]);
#pragma unroll
            for (int step = 0; step < chunk / 16; ++step) {
                neighbors::multiply_64_by_128(sums, a + 2 * step, b + 2 * step, c + step > 0);
            }
        }
        neighbors::end_products();
        if (threadIdx.x % 32 == 0) arrive(shared_.order[(warp_ / 4 + 1) % multipliers]);
        neighbors::wait_for_products<0>();
        neighbors::hold_in_place(sums);
    }

    /// Tells who fills them that this warp needs a tile's centroids no more, and after the last the rows.
    __device__ void give_back(bool with_rows) {
#pragma unroll
        for (int c = 0; c < Chunks; ++c) {
            if (threadIdx.x % 32 == 0) arrive(shared_.empty[turn_.slot]);
            turn_.next();
            if (!with_rows) continue;
            if (threadIdx.x % 32 == 0) arrive(shared_.rows_empty[row_turn_.slot]);
            row_turn_.next();
        }
    }

    [[nodiscard]] __device__ Offset row_of(Offset row, int r) const {
        return row + warp_ * 16 + static_cast<int>(threadIdx.x % 32) / 4 + 8 * r;
    }
    /// Number i of a thread's 16 columns of a half of a tile.
    [[nodiscard]] __device__ static int column_of(int i) {
        return 8 * (i / 2) + static_cast<int>(threadIdx.x % 4) * 2 + i % 2;
    }

    __device__ void open(Offset row) {
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            found_[r].open();
            if constexpr (!Collects) continue;
            entry_[r] = row_of(row, r) < rows_ ? task_.unlisted[row_of(row, r)] : -1;
            threshold_[r] = entry_[r] >= 0 ? task_.thresholds[entry_[r]] : INFINITY;
        }
    }

    /// Half the squared lengths of a thread's 16 centroids of a half.
    __device__ void load(Index tile, int half, float (&less)[16]) const {
        const auto* from = reinterpret_cast<const float2*>(task_.half_squares + Offset{tile} * score_tile) +
                           half * (score_tile / halves / 2) + threadIdx.x % 4;
#pragma unroll
        for (int i = 0; i < 16; i += 2) {
            const float2 two = __ldg(from + 2 * i);
            less[i] = two.x, less[i + 1] = two.y;
        }
    }

    __device__ void look(Index tile, int half, const Sums& sums, const float (&less)[16]) {
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            const auto score = [&](int i) { return sums[32 * half + 4 * (i / 2) + 2 * r + i % 2] - less[i]; };
            if constexpr (Collects) {
                const Index first = tile * score_tile + half * (score_tile / halves);
                list_reaching(task_, entry_[r], threshold_[r], score, [&](int i) { return first + column_of(i); });
            } else if (meet_16(task_, found_[r].first[half], found_[r].second[half], score)) {
                found_[r].tile[half] = tile;
            }
        }
    }

    [[nodiscard]] __device__ Index label_of(const Found& found, int half) const {
        return found.tile[half] * score_tile + half * (score_tile / halves) + column_of(number_of(found.first[half]));
    }

    /// Labels a row, or lists it. Its candidates are known, unless one of the seconds is within reach too: it may hide
    /// others.
    __device__ void close(Offset row, int r) {
        const Found& found = found_[r];
        const Offset at = row_of(row, r);
        const bool here = at < task_.n, leads = threadIdx.x % 4 == 0;
        float best = fmaxf(found.first[0], found.first[1]);
        for (int lanes = 1; lanes < 4; lanes *= 2) best = fmaxf(best, __shfl_xor_sync(~0U, best, lanes));
        const float threshold = best - 2 * (here ? error_of(task_, at) : 0);
        const bool hides = any_of_four(!(fmaxf(found.second[0], found.second[1]) < threshold));
        const int reach = (found.first[0] < threshold ? 0 : 1) + (found.first[1] < threshold ? 0 : 1);
        int before = reach;  // of this lane and those before
        for (int lanes = 1; lanes < 4; lanes *= 2) {
            const int more = __shfl_up_sync(~0U, before, lanes, 4);
            if (threadIdx.x % 4 >= lanes) before += more;
        }
        const int all = __shfl_sync(~0U, before, 3, 4);
        for (int h = 0; h < halves; ++h) {
            if (here && found.first[h] == best) task_.labels[at] = label_of(found, h);
        }
        const bool undecided = here && (hides || all > 1);
        int entry = undecided && leads ? list_row(task_, at, threshold, hides ? 0 : all) : 0;
        entry = __shfl_sync(~0U, entry, 0, 4);
        if (!undecided || hides) return;
        int place = before - reach;
        for (int h = 0; h < halves; ++h) {
            if (found.first[h] < threshold) continue;
            task_.candidates[Offset{entry} * Undecided::most_listed + place++] = label_of(found, h);
        }
    }

    const ScoreTask& task_;
    Shared& shared_;
    Offset rows_;
    int warp_;
    std::uint32_t order_;  ///< parity of the phase that the next turn waits for
    Turn<row_slots> row_turn_;
    Turn<stages> turn_;
    Found found_[thread_rows];
    Index entry_[thread_rows];  ///< where candidates are collected: of the undecided row
    float threshold_[thread_rows];
};

template <bool Collects, int Chunks>
__global__ void __launch_bounds__(threads, 1)
    hopper_score_kernel(const __grid_constant__ Maps maps, const __grid_constant__ ScoreTask task) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    extern __shared__ unsigned char raw[];
    auto& shared =
        *reinterpret_cast<Shared*>(raw + (alignment - neighbors::shared_address(raw) % alignment) % alignment);
    if (task.progress->reason != Reason::going_on) return;
    const Offset rows = Collects ? Offset{*task.unlisted_count} : Offset{task.n};
    if (first_row() >= rows) return;
    if (threadIdx.x == 0) {
        constexpr int warps = multipliers * group / 32;
        for (int s = 0; s < row_slots; ++s) {
            neighbors::prepare_barrier(shared.rows_full[s], Collects ? group : 1);
            neighbors::prepare_barrier(shared.rows_empty[s], warps);
        }
        for (int s = 0; s < stages; ++s) {
            neighbors::prepare_barrier(shared.full[s], 1);
            neighbors::prepare_barrier(shared.empty[s], warps);
        }
        for (Barrier& turn : shared.order) neighbors::prepare_barrier(turn, group / 32);
        neighbors::publish_barriers();
    }
    __syncthreads();
    if (threadIdx.x < group) {
        neighbors::give_registers<32>();
        if (Collects || threadIdx.x == 0) Filler<Collects>(task, maps, shared, rows).run();
    } else {
        neighbors::take_registers<112>();
        Multiplier<Collects, Chunks>(task, shared, rows).run();
    }
#endif
}

template <bool Collects, int Chunks>
void launch(device::Cuda& cuda, const ScoreTask& task) {
    const Offset tiles = (Offset{task.n} + row_tile - 1) / row_tile;
    const Index padded = (task.clusters + score_tile - 1) / score_tile * score_tile;
    const Maps maps{device::tensor_map(task.rows, static_cast<Index>(tiles * row_tile), task.width, chunk, row_tile),
                    device::tensor_map(task.centroids, padded, task.width, chunk, score_tile)};
    device::cuda_check(cudaFuncSetAttribute(hopper_score_kernel<Collects, Chunks>,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(shared_bytes)));
    const auto grid = static_cast<unsigned>(std::min<Offset>(tiles, cuda.multiprocessors()));
    hopper_score_kernel<Collects, Chunks><<<grid, threads, shared_bytes, cuda.stream()>>>(maps, task);
    device::cuda_check(cudaGetLastError());
}

template <bool Collects>
void launch_for_width(device::Cuda& cuda, const ScoreTask& task) {
    switch (task.width / chunk) {
        case 1:
            return launch<Collects, 1>(cuda, task);
        case 2:
            return launch<Collects, 2>(cuda, task);
        case 3:
            return launch<Collects, 3>(cuda, task);
        default:
            return launch<Collects, most_chunks>(cuda, task);
    }
}

}  // namespace

bool suits_hopper(Index width) { return width <= most_chunks * chunk; }

void score_on_hopper(device::Cuda& cuda, const ScoreTask& task, bool collects) {
    collects ? launch_for_width<true>(cuda, task) : launch_for_width<false>(cuda, task);
}

}  // namespace dunlin::kmeans
