// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/score_task.cuh"
#include "numerics/tensor_map.cuh"

namespace dunlin::kmeans {

namespace {

/// Scores all rows, or (collects) lists the candidates that reach the thresholds of undecided rows.
void run(device::Cuda& cuda, const DeviceState& state, const HalfPoints& rows, const HalfCentroids& centroids,
         const Index* last, Index* labels, Undecided& undecided, bool collects) {
    const bool by_warpgroups = numerics::has_warpgroup_products(cuda) && suits_hopper(rows.width);
    const Index chunks = rows.width / distance::half_chunk;
    const ScoreTask task{
        rows.values.data(),
        centroids.values.data(),
        centroids.biases.data(),
        rows.errors.data(),
        rows.lengths.data(),
        centroids.errors.data(),
        centroids.lengths.data(),
        centroids.most.data(),
        last,
        labels,
        undecided.rows.data(),
        undecided.unlisted.data(),
        undecided.centroids.data(),
        undecided.count.data(),
        undecided.unlisted_count.data(),
        undecided.listed.data(),
        undecided.thresholds.data(),
        state.progress.value.data(),
        state.n,
        state.clusters,
        rows.width,
        by_warpgroups ? score_slack(chunks * distance::chunk_steps, 0) : score_slack(distance::chunk_steps, chunks)};
    if (by_warpgroups) return score_on_hopper(cuda, task, collects);
    score_by_warps(cuda, task, collects);
}

}  // namespace

void Undecided::prepare(device::Cuda& cuda, Index n) {
    const auto all = static_cast<std::size_t>(n);
    cuda.resize(rows, all);
    cuda.resize(thresholds, all);
    cuda.resize(listed, all);
    cuda.resize(centroids, all * most_listed);
    cuda.resize(overflowed, all);
    cuda.resize(unlisted, all);
    cuda.fill(count, 1, 0U);
    cuda.fill(unlisted_count, 1, 0U);
    cuda.fill(overflowed_count, 1, 0U);
}

void score(device::Cuda& cuda, const DeviceState& state, const HalfPoints& rows, const HalfCentroids& centroids,
           const Index* last, Index* labels, Undecided& undecided) {
    for (const device::CudaBuffer<unsigned>* count : {&undecided.count, &undecided.unlisted_count}) {
        device::cuda_check(cudaMemsetAsync(count->data(), 0, sizeof(unsigned), cuda.stream()));
    }
    run(cuda, state, rows, centroids, last, labels, undecided, false);
}

void list_candidates(device::Cuda& cuda, const DeviceState& state, const HalfPoints& rows,
                     const HalfCentroids& centroids, Undecided& undecided) {
    run(cuda, state, rows, centroids, nullptr, nullptr, undecided, true);
}

}  // namespace dunlin::kmeans
