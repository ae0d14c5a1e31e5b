// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/score_hopper_producer.cuh"
#include "numerics/tensor_map.cuh"

namespace dunlin::kmeans {

namespace hopper {

namespace {

using Sums = float[64];  ///< of a thread: 64 rows and 128 centroids of a warpgroup

/// Best two scores of a row among a thread's columns, for each half of the tiles.
struct HalvesBestTwo {
    float first[halves], second[halves];
    Index tile[halves];  ///< in which the first is

    __device__ void clear() {
#pragma unroll
        for (int h = 0; h < halves; ++h) first[h] = second[h] = -INFINITY, tile[h] = 0;
    }
};

/// Whether it is true in one of the four lanes that share a row; for all four.
__device__ bool any_of_four(bool here) {
    const unsigned lane = threadIdx.x % 32;
    return (__ballot_sync(~0U, here) >> (lane & ~3U) & 15U) != 0;
}

__device__ float most_of_four(float value) {
    for (int lanes = 1; lanes < 4; lanes *= 2) value = fmaxf(value, __shfl_xor_sync(~0U, value, lanes));
    return value;
}

/// x.y of 8 halves each.
__device__ float product_of_8(const __half* x, const __half* y) {
    const auto a = *reinterpret_cast<const uint4*>(x), b = __ldg(reinterpret_cast<const uint4*>(y));
    const std::uint32_t of_a[] = {a.x, a.y, a.z, a.w}, of_b[] = {b.x, b.y, b.z, b.w};
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 two = __half22float2(reinterpret_cast<const __half2&>(of_a[i]));
        const float2 with = __half22float2(reinterpret_cast<const __half2&>(of_b[i]));
        sum += two.x * with.x + two.y * with.y;
    }
    return sum;
}

/// A warp of the warpgroups that multiply. The warpgroups take turns: while the products of one are under way, the
/// others read their scores. (Without the order, all multiply at once and then all read.)
template <bool Collects, int Chunks>
class ScoreMultiplier {
public:
    __device__ ScoreMultiplier(const ScoreTask& task, SharedTiles& shared, Offset rows)
        : task_(task),
          shared_(shared),
          rows_(rows),
          warp_(static_cast<int>(threadIdx.x / 32) - warpgroup / 32),
          order_(warp_ < 4 ? 1 : 0) {}

    __device__ void run() {
        Sums sums;
        for (BlockWork<Collects> work(task_, rows_); work.row() < rows_; work.next()) {
            const Offset row = work.row();
            const Index tiles = work.end(task_);
            clear(row);
            await_rows();
            if constexpr (!Collects) {
                if (task_.last != nullptr) begin_at_last(row);
            }
            for (Index tile = work.begin(); tile < tiles; ++tile) {
                await_centroids();
                begin(sums);
                await_order();
                multiply(sums);
                release(tile + 1 == tiles);
                take(tile, sums);
            }
            if constexpr (!Collects) label_row(row, 0), label_row(row, 1);
        }
    }

private:
    __device__ void await_rows() {
        RingCursor<row_slots> rows = row_at_;
        for (int c = 0; c < Chunks; ++c, rows.next()) shared_.row_ring.wait_full(rows);
    }

    __device__ void await_centroids() {
        RingCursor<stages> at = at_;
        for (int c = 0; c < Chunks; ++c, at.next()) shared_.centroid_ring.wait_full(at);
    }

    __device__ void await_order() {
        distance::wait_for(shared_.order[warp_ / 4], order_);
        order_ ^= 1;
    }

    __device__ void multiply(Sums& sums) {
        RingCursor<row_slots> rows = row_at_;
        RingCursor<stages> at = at_;
        distance::hold_in_place(sums);
        distance::begin_products();
#pragma unroll
        for (int c = 0; c < Chunks; ++c, rows.next(), at.next()) {
            const __half* a = shared_.rows[rows.slot] + warp_ / 4 * 64 * half_chunk;
            distance::multiply_chunk(sums, a, shared_.centroids[at.slot], true);
        }
        distance::end_products();
        if (threadIdx.x % 32 == 0) distance::arrive(shared_.order[(warp_ / 4 + 1) % multipliers]);
        distance::wait_for_products<0>();
        distance::hold_in_place(sums);
    }

    /// This warp needs a tile's centroids no more, and after the last tile the rows.
    __device__ void release(bool with_rows) {
#pragma unroll
        for (int c = 0; c < Chunks; ++c) {
            shared_.centroid_ring.release(at_.slot);
            at_.next();
            if (!with_rows) continue;
            shared_.row_ring.release(row_at_.slot);
            row_at_.next();
        }
    }

    [[nodiscard]] __device__ Offset row_of(Offset row, int r) const {
        return row + warp_ * 16 + distance::product_row(2 * r);
    }
    __device__ void clear(Offset row) {
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            const Offset at = row_of(row, r);
            if constexpr (Collects) {
                entry_[r] = at < rows_ ? task_.unlisted[at] : -1;
                threshold_[r] = entry_[r] >= 0 ? task_.thresholds[entry_[r]] : INFINITY;
            } else {
                best_[r].clear();
                reach_[r] = at < rows_ ? 2 * error_of(task_, at) : 0;
                limit_[r] = at < rows_ ? -INFINITY : INFINITY;
                own_[r] = -1;
                own_score_[r] = -INFINITY;
            }
        }
    }

    /// The score of a row's last centroid is a limit that others must reach.
    __device__ void begin_at_last(Offset row) {
#pragma unroll
        for (int r = 0; r < thread_rows; ++r) {
            const Offset at = row_of(row, r);
            const Index last = at < rows_ ? task_.last[at] : -1;
            const float score = score_with(max(last, 0), r);
            if (last < 0 || !(score > -INFINITY)) continue;
            own_score_[r] = score;
            limit_[r] = fmaxf(limit_[r], score - reach_[r]);
            const Index column = last % score_tile;
            if (column / 2 % 4 == static_cast<Index>(threadIdx.x % 4)) {
                own_[r] = last / score_tile * 32 + column / 8 * 2 + column % 2;
            }
        }
    }

    /// Score of a row and a centroid in float32, as accurate as the tensor cores' sums; for the four lanes that share
    /// the row.
    [[nodiscard]] __device__ float score_with(Index centroid, int r) const {
        const int lane = static_cast<int>(threadIdx.x % 32), row = warp_ * 16 + distance::product_row(2 * r);
        const __half* of_centroid = task_.centroids + Offset{centroid} * task_.width;
        RingCursor<row_slots> rows = row_at_;
        float sum = 0;
#pragma unroll
        for (int c = 0; c < Chunks; ++c, rows.next()) {
#pragma unroll
            for (int part = lane % 4; part < distance::chunk_parts; part += 4) {
                sum += product_of_8(shared_.rows[rows.slot] + distance::swizzled(row, part),
                                    of_centroid + c * half_chunk + part * 8);
            }
        }
        for (int lanes = 1; lanes < 4; lanes *= 2) sum += __shfl_xor_sync(~0U, sum, lanes);
        return sum + __ldg(task_.biases + centroid);
    }

    /// Scores begin at -|c|^2 / 2.
    __device__ void begin(Sums& sums) const {
        const auto* from = reinterpret_cast<const float2*>(shared_.biases[at_.slot]) + threadIdx.x % 4;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            const float2 two = from[4 * i];
            sums[4 * i] = sums[4 * i + 2] = two.x;
            sums[4 * i + 1] = sums[4 * i + 3] = two.y;
        }
    }

    /// Score number i of a row's 16 of a half.
    [[nodiscard]] __device__ static float score_of(const Sums& scores, int r, int half, int i) {
        return scores[32 * half + 4 * (i / 2) + 2 * r + i % 2];
    }

    __device__ void take(Index tile, const Sums& scores) {
        if constexpr (Collects) {
#pragma unroll
            for (int r = 0; r < thread_rows; ++r) collect(tile, r, scores);
        } else {
            const std::uint32_t reach[thread_rows] = {reaching(tile, 0, scores), reaching(tile, 1, scores)};
            if (!__any_sync(~0U, (reach[0] | reach[1]) != 0)) return;
#pragma unroll
            for (int r = 0; r < thread_rows; ++r) {
                if (__any_sync(~0U, reach[r] != 0)) update(tile, r, reach[r], scores);
            }
        }
    }

    __device__ void collect(Index tile, int r, const Sums& scores) {
#pragma unroll
        for (int half = 0; half < halves; ++half) {
            const Index first = tile * score_tile + half * (score_tile / halves);
            list_reaching(
                task_, entry_[r], threshold_[r], [&](int i) { return score_of(scores, r, half, i); },
                [&](int i) { return first + distance::column_in_row(i); });
        }
    }

    /// A bit for each of a thread's 32 scores of a row that reaches its limit, without that of the last centroid.
    [[nodiscard]] __device__ std::uint32_t reaching(Index tile, int r, const Sums& scores) const {
        std::uint32_t below = 0;  // signs, shifted in one by one
#pragma unroll
        for (int i = 31; i >= 0; --i) {
            below = __funnelshift_l(__float_as_uint(score_of(scores, r, i / 16, i % 16) - limit_[r]), below, 1);
        }
        const auto own = static_cast<std::uint32_t>(own_[r] - tile * 32);
        return ~below & ~(own < 32 ? 1U << own : 0U);
    }

    /// Updates the best two of the halves in which a score of the warp reaches its limit, and raises the limit.
    __device__ void update(Index tile, int r, std::uint32_t reach, const Sums& scores) {
        HalvesBestTwo& best = best_[r];
#pragma unroll
        for (int half = 0; half < halves; ++half) {
            if (!__any_sync(~0U, (reach >> 16 * half & 0xffffU) != 0)) continue;
            if (update_best_two(task_, best.first[half], best.second[half],
                                [&](int i) { return score_of(scores, r, half, i); })) {
                best.tile[half] = tile;
            }
        }
        limit_[r] = fmaxf(limit_[r], most_of_four(fmaxf(best.first[0], best.first[1])) - reach_[r]);
    }

    [[nodiscard]] __device__ Index label_of(const HalvesBestTwo& best, int half) const {
        return best.tile[half] * score_tile + half * (score_tile / halves) +
               distance::column_in_row(number_of(best.first[half]));
    }

    /// Labels a row, or lists it as undecided. Its candidates are known, unless one of the second best is within reach
    /// too: others may be hidden behind it.
    __device__ void label_row(Offset row, int r) {
        const HalvesBestTwo& found = best_[r];
        const Offset at = row_of(row, r);
        const bool here = at < rows_, leads = threadIdx.x % 4 == 0;
        const Index own = here && own_score_[r] > -INFINITY ? task_.last[at] : -1;
        const float best = fmaxf(most_of_four(fmaxf(found.first[0], found.first[1])), own_score_[r]);
        const float threshold = best - reach_[r];
        const bool hides = any_of_four(!(fmaxf(found.second[0], found.second[1]) < threshold));
        const bool owns = leads && own >= 0 && !(own_score_[r] < threshold);
        const auto counts = [&](int h) { return !(found.first[h] < threshold) && label_of(found, h) != own; };
        const int reach = (owns ? 1 : 0) + (counts(0) ? 1 : 0) + (counts(1) ? 1 : 0);
        int before = reach;  // of this lane and those before
        for (int lanes = 1; lanes < 4; lanes *= 2) {
            const int more = __shfl_up_sync(~0U, before, lanes, 4);
            if (threadIdx.x % 4 >= lanes) before += more;
        }
        const int all = __shfl_sync(~0U, before, 3, 4);
        if (owns && own_score_[r] == best) task_.labels[at] = own;
        for (int h = 0; h < halves; ++h) {
            if (here && found.first[h] == best) task_.labels[at] = label_of(found, h);
        }
        const bool undecided = here && (hides || all > 1);
        int entry = undecided && leads ? list_row(task_, at, threshold, hides ? 0 : all) : 0;
        entry = __shfl_sync(~0U, entry, 0, 4);
        if (!undecided || hides) return;
        Index* candidates = task_.candidates + Offset{entry} * Undecided::most_listed + before - reach;
        if (owns) *candidates++ = own;
        for (int h = 0; h < halves; ++h) {
            if (counts(h)) *candidates++ = label_of(found, h);
        }
    }

    const ScoreTask& task_;
    SharedTiles& shared_;
    Offset rows_;
    int warp_;
    std::uint32_t order_;  ///< parity of the phase that the next products wait for
    RingCursor<row_slots> row_at_;
    RingCursor<stages> at_;
    HalvesBestTwo best_[thread_rows];
    float reach_[thread_rows];      ///< centroids whose scores are this close to the best are candidates
    float limit_[thread_rows];      ///< scores below it are ignored
    float own_score_[thread_rows];  ///< with the row's last centroid
    Index own_[thread_rows];        ///< that centroid among the thread's scores, 32 a tile; -1: it has not
    Index entry_[thread_rows];      ///< of the undecided row whose candidates are collected
    float threshold_[thread_rows];
};

template <bool Collects, int Chunks>
__global__ void __launch_bounds__(threads, 1)
    hopper_score_kernel(const __grid_constant__ ScoreMaps maps, const __grid_constant__ ScoreTask task) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    auto& shared = distance::aligned_shared<SharedTiles>();
    if (task.progress->reason != Reason::going_on) return;
    const Offset rows = Collects ? Offset{*task.unlisted_count} : Offset{task.n};
    if (BlockWork<Collects>(task, rows).row() >= rows) return;
    if (threadIdx.x == 0) {
        constexpr int warps = multipliers * warpgroup / 32;
        shared.row_ring.prepare(Collects ? warpgroup : 1, warps);
        shared.centroid_ring.prepare(1, warps);
        for (distance::Barrier& order : shared.order) distance::prepare_barrier(order, warpgroup / 32);
        distance::publish_barriers();
    }
    __syncthreads();
    if (threadIdx.x < warpgroup) {
        distance::give_registers<32>();
        if (Collects || threadIdx.x == 0) ScoreProducer<Collects>(task, maps, shared, rows).run();
    } else {
        distance::take_registers<112>();
        ScoreMultiplier<Collects, Chunks>(task, shared, rows).run();
    }
#endif
}

template <bool Collects, int Chunks>
void launch(device::Cuda& cuda, const ScoreTask& task) {
    const Offset tiles = (Offset{task.n} + row_tile - 1) / row_tile;
    const Index padded = (task.clusters + score_tile - 1) / score_tile * score_tile;
    const ScoreMaps maps{
        numerics::tensor_map(task.rows, static_cast<Index>(tiles * row_tile), task.width, half_chunk, row_tile),
        numerics::tensor_map(task.centroids, padded, task.width, half_chunk, score_tile)};
    const auto grid = static_cast<unsigned>(std::min<Offset>(tiles, cuda.multiprocessors()));
    distance::launch_with_shared(cuda, hopper_score_kernel<Collects, Chunks>, grid, threads,
                                 distance::aligned_bytes<SharedTiles>, maps, task);
}

template <bool Collects>
void launch_for_width(device::Cuda& cuda, const ScoreTask& task) {
    constexpr void (*by_chunks[most_chunks])(device::Cuda&, const ScoreTask&) = {
        launch<Collects, 1>, launch<Collects, 2>, launch<Collects, 3>, launch<Collects, 4>};
    by_chunks[task.width / half_chunk - 1](cuda, task);
}

}  // namespace

}  // namespace hopper

bool suits_hopper(Index width) { return width <= hopper::most_chunks * distance::half_chunk; }

void score_on_hopper(device::Cuda& cuda, const ScoreTask& task, bool collects) {
    collects ? hopper::launch_for_width<true>(cuda, task) : hopper::launch_for_width<false>(cuda, task);
}

}  // namespace dunlin::kmeans
