// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "distance/cuda/half_tiles.cuh"
#include "kmeans/cuda/score.cuh"

/// Parts of the scoring kernels that do not depend on the instructions that multiply.
namespace dunlin::kmeans {

struct ScoreTask {
    const __half *rows, *centroids;
    const float *biases, *errors, *lengths;
    const float *centroid_errors, *centroid_lengths, *most;  ///< half_rows.cuh
    const Index* last;                                       ///< previous labels, -1: none; may be null
    Index* labels;
    Index *undecided, *unlisted, *candidates;
    unsigned *undecided_count, *unlisted_count, *listed;
    float* thresholds;
    const LoopState* progress;
    Index n, clusters, width;
    float slack;            ///< half_rows.cuh
    unsigned upper = ~15U;  ///< mask of all but the lowest four bits; as a constant it would take two instructions
};

/// Scores all rows, or (collects) lists the candidates that reach the thresholds of undecided rows. By mma.sync, on all
/// GPUs, rows of any width.
void score_by_warps(device::Cuda& cuda, const ScoreTask& task, bool collects);
/// Scores by wgmma and the bulk copy engine (numerics/tensor_map.cuh). Rows stay in shared memory while all centroids
/// pass, so suits_hopper() limits their width.
void score_on_hopper(device::Cuda& cuda, const ScoreTask& task, bool collects);
bool suits_hopper(Index width);

/// Updates the best two by 16 scores of a row, whose lowest four bits become their number. Returns whether the best
/// has changed.
template <class Score>
__device__ bool update_best_two(const ScoreTask& task, float& first, float& second, const Score& score) {
    const float before = first;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        const float named = __uint_as_float((__float_as_uint(score(i)) & task.upper) | static_cast<unsigned>(i));
        second = fmaxf(second, fminf(first, named));
        first = fmaxf(first, named);
    }
    return first != before;
}
__device__ inline int number_of(float score) { return static_cast<int>(__float_as_uint(score) & 15U); }

/// Joins the best two of two lanes or warps.
__device__ inline void join(float& best, float& second, Index& label, float other_best, float other_second,
                            Index other_label) {
    second = fmaxf(fmaxf(second, other_second), fminf(best, other_best));
    label = other_best > best ? other_label : label;
    best = fmaxf(best, other_best);
}

[[nodiscard]] __device__ inline float error_of(const ScoreTask& task, Offset row) {
    return score_error(task.errors[row], task.lengths[row], task.most[0], task.most[1], task.slack);
}

/// Lists an undecided row with the number of its candidates, 0: not listed yet; returns its entry.
__device__ inline Index list_row(const ScoreTask& task, Offset row, float threshold, int candidates) {
    const auto entry = static_cast<Index>(atomicAdd(task.undecided_count, 1U));
    task.undecided[entry] = static_cast<Index>(row);
    task.thresholds[entry] = threshold;
    task.listed[entry] = static_cast<unsigned>(candidates);
    if (candidates == 0) task.unlisted[atomicAdd(task.unlisted_count, 1U)] = entry;
    return entry;
}

/// Lists those of 16 scores that reach the threshold of an undecided row's entry, which is rare. entry: -1 for none; an
/// overflowed score reaches even its infinite threshold.
template <class Score, class Column>
__device__ void list_reaching(const ScoreTask& task, Offset entry, float threshold, const Score& score,
                              const Column& column) {
    float most = -INFINITY;
#pragma unroll
    for (int i = 0; i < 16; ++i) most = fmaxf(most, score(i));
    if (entry < 0 || most < threshold) return;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        if (score(i) < threshold || column(i) >= task.clusters) continue;
        const unsigned at = atomicAdd(task.listed + entry, 1U);
        if (at < Undecided::most_listed) task.candidates[entry * Undecided::most_listed + at] = column(i);
    }
}

}  // namespace dunlin::kmeans
