// SPDX-License-Identifier: Apache-2.0
// k-means on a GPU, points in device memory. Device time by events, median of 7 after a warm-up.
//   bench_kmeans_gpu [few|many|million|start]...   (all by default; million: the first of the many alone)
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "kmeans/cuda/d2_sampler.cuh"
#include "kmeans/cuda/small_k.cuh"
#include "kmeans/cuda/tensor_core.cuh"
#include "kmeans/d2_sampling.hpp"
#include "math/rng.hpp"
#include "progress/stopwatch.hpp"

using namespace dunlin;

namespace {

struct Draw {
    float* values;
    Index cols, blobs;
    std::uint64_t seed;
    __device__ void operator()(Offset i) const {
        const auto row = static_cast<std::uint64_t>(i);
        const std::uint64_t blob = math::random_below(static_cast<std::uint64_t>(blobs), seed, row, 1000);
        for (Index c = 0; c < cols; ++c) {
            const auto column = static_cast<std::uint64_t>(c);
            const double place = blobs > 1 ? 4 * math::random_normal(seed + 1, blob, column) : 0;
            values[i * cols + c] = static_cast<float>(place + math::random_normal(seed + 2, row, column));
        }
    }
};

kmeans::DeviceState state_of(device::Cuda& cuda, Index n, Index cols, Index clusters, Index blobs) {
    kmeans::DeviceState state;
    state.n = n;
    state.cols = cols;
    state.clusters = clusters;
    cuda.fill(state.rows, (static_cast<std::size_t>(n) + 4) * static_cast<std::size_t>(cols), 0.0F);
    cuda.each(n, Draw{state.rows.data(), cols, blobs, 1});
    cuda.upload(state.scales, std::vector<double>(static_cast<std::size_t>(cols) + 1, 0x1p24));
    cuda.resize(state.centroids, static_cast<std::size_t>(clusters) * static_cast<std::size_t>(cols));
    cuda.resize(state.sums, static_cast<std::size_t>(clusters) * static_cast<std::size_t>(cols + 1));
    return state;
}

/// Milliseconds of all iterations from the first rows as centroids, median of 7.
template <class Engine>
double milliseconds(device::Cuda& cuda, kmeans::DeviceState& state, Engine& engine, int iterations) {
    cudaEvent_t begin, end;
    device::cuda_check(cudaEventCreate(&begin));
    device::cuda_check(cudaEventCreate(&end));
    std::vector<float> times;
    for (int run = 0; run < 8; ++run) {
        engine.prepare(cuda, state);
        cuda.fill(state.sums, state.sums.size(), kmeans::Bits{0});
        cuda.set(state.progress, kmeans::LoopState{});
        device::cuda_check(cudaMemcpyAsync(state.centroids.data(), state.rows.data(),
                                           state.centroids.size() * sizeof(float), cudaMemcpyDeviceToDevice,
                                           cuda.stream()));
        cuda.wait();
        device::cuda_check(cudaEventRecord(begin, cuda.stream()));
        engine.iterate(cuda, state, {.tolerated_empty = state.clusters}, iterations, false);
        device::cuda_check(cudaEventRecord(end, cuda.stream()));
        device::cuda_check(cudaEventSynchronize(end));
        float time = 0;
        device::cuda_check(cudaEventElapsedTime(&time, begin, end));
        if (run > 0) times.push_back(time);
    }
    std::nth_element(times.begin(), times.begin() + 3, times.end());
    const kmeans::LoopState at = cuda.read(state.progress);
    if (at.iterations != iterations) std::printf("stopped after %d, reason %d\n", at.iterations, int(at.reason));
    return static_cast<double>(times[3]);
}

void few(device::Cuda& cuda, Index n, Index cols, Index clusters, Index blobs, int iterations) {
    kmeans::DeviceState state = state_of(cuda, n, cols, clusters, blobs);
    kmeans::SmallKLloyd engine;
    const double time = milliseconds(cuda, state, engine, iterations);
    const double floor = 4.0 * n * cols / 4.6e12 * 1e3 * iterations;
    std::printf(
        "%10d x %d, K %4d, %3d blobs, %3d iterations: %8.3f ms, %7.2f us each; the points once an iteration at 4.6 "
        "TB/s: %6.2f ms, %3.0f %%\n",
        n, cols, clusters, blobs, iterations, time, time * 1e3 / iterations, floor, 100 * floor / time);
}

/// Milliseconds of one call, median of 7; the preparation of each is not counted.
template <class Before, class Call>
double alone(device::Cuda& cuda, const Before& before, const Call& call) {
    cudaEvent_t begin, end;
    device::cuda_check(cudaEventCreate(&begin));
    device::cuda_check(cudaEventCreate(&end));
    std::vector<float> times(7);
    for (float& time : times) {
        before();
        device::cuda_check(cudaEventRecord(begin, cuda.stream()));
        call();
        device::cuda_check(cudaEventRecord(end, cuda.stream()));
        device::cuda_check(cudaEventSynchronize(end));
        device::cuda_check(cudaEventElapsedTime(&time, begin, end));
    }
    std::nth_element(times.begin(), times.begin() + 3, times.end());
    return static_cast<double>(times[3]);
}

void many(device::Cuda& cuda, Index n, Index cols, Index clusters, Index blobs, int iterations) {
    kmeans::DeviceState state = state_of(cuda, n, cols, clusters, blobs);
    distance::HalfFrame frame;
    cuda.fill(frame.middle, static_cast<std::size_t>(cols), 0.0);
    frame.scale = 512;
    kmeans::RowStream feed;
    kmeans::TensorCoreLloyd engine(std::move(frame), feed);
    const double time = milliseconds(cuda, state, engine, iterations);
    const double products = 2.0 * n * cols * clusters / 790e12 * 1e3, halves = 2.0 * n * cols / 4.6e12 * 1e3;
    const double floor = std::max(products, halves);
    std::printf(
        "%10d x %d, K %4d, %d blobs, %3d iterations: %8.3f ms, %7.3f ms each, floor %.3f ms (%s), %.1f %% of it, "
        "%.2f %% undecided at last\n",
        n, cols, clusters, blobs, iterations, time, time / iterations, floor,
        products > halves ? "products at 790 T/s" : "halves at 4.6 TB/s", 100 * floor * iterations / time,
        100.0 * engine.undecided(cuda) / n);
    kmeans::HalfPoints rows;
    kmeans::HalfCentroids centroids;
    kmeans::Undecided undecided;
    distance::HalfFrame again;
    cuda.fill(again.middle, static_cast<std::size_t>(cols), 0.0);
    again.scale = 512;
    cuda.set(state.progress, kmeans::LoopState{});
    cuda.wait();
    device::CudaBuffer<Index> labels, last;
    cuda.resize(labels, static_cast<std::size_t>(n));
    cuda.upload(last, engine.labels(cuda, state));
    undecided.prepare(cuda, n);
    kmeans::round_rows(cuda, state, again, rows);
    kmeans::prepare_centroids(cuda, state, centroids);
    const auto scores = [&] { kmeans::score(cuda, state, rows, centroids, last.data(), labels.data(), undecided); };
    const auto lists = [&] { kmeans::list_candidates(cuda, state, rows, centroids, undecided); };
    const auto nothing = [] {};
    const double round = alone(cuda, nothing, [&] { kmeans::round_centroids(cuda, state, again, centroids); });
    const double score = alone(cuda, nothing, scores);
    const double list = alone(cuda, scores, lists);
    const double decide = alone(
        cuda, [&] { scores(), lists(); }, [&] { kmeans::decide(cuda, state, centroids, undecided, labels.data()); });
    std::printf("           round %.3f, score %.3f (%.0f TFLOP/s), list %.3f, decide %.3f ms, hard rows %u\n", round,
                score, 2e-9 * n * cols * clusters / score, list, decide, cuda.host(undecided.overflowed_count)[0]);
}

/// Milliseconds of a whole initialization, until its rows are on the host; once after a warm-up.
void start(device::Cuda& cuda, Index n, Index cols, Index clusters) {
    const kmeans::DeviceState state = state_of(cuda, n, cols, clusters, clusters);
    for (const bool draws : {false, true}) {
        double seconds = 0;
        for (int run = 0; run < 2; ++run) {
            kmeans::CudaD2Sampler sampler(cuda, state, clusters);
            cuda.wait();
            progress::Stopwatch watch;
            draws ? kmeans::plus_plus(sampler, 0, clusters, 1, {})
                  : kmeans::parallel_candidates(sampler, 0, clusters, 1);
            seconds = watch.lap();
        }
        const double values = 1.0 * n * cols;
        const double floor = draws ? 2 * 4.0 * values * (clusters - 1) / 4.6e12
                                   : 3 * values * kmeans::parallel_rounds * kmeans::draws_per_round(clusters) / 30e12;
        std::printf("%10d x %d, K %4d, %s: %8.1f ms, floor %.1f ms (%s), %.0f %% of it\n", n, cols, clusters,
                    draws ? "k-means++" : "candidates of k-means||", 1e3 * seconds, 1e3 * floor,
                    draws ? "the points twice a step at 4.6 TB/s" : "three instructions a column at 30 T/s",
                    100 * floor / seconds);
    }
}

struct Case {
    Index n, cols, clusters;
    int iterations;
    Index blobs = 1;
};

constexpr Case few_cases[] = {{10'000'000, 2, 4, 100, 4},  {10'000'000, 2, 4, 20, 4}, {10'000'000, 2, 4, 1, 4},
                              {10'000'000, 2, 4, 100},     {10'000'000, 2, 4, 20},    {1'000'000, 2, 4, 100, 4},
                              {100'000, 2, 2, 100, 2},     {100'000, 2, 128, 100},    {1'000'000, 2, 128, 100},
                              {10'000'000, 4, 16, 20, 16}, {10'000'000, 4, 16, 20},   {10'000'000, 1, 4, 20, 4}};
constexpr Case many_cases[] = {{1'000'000, 128, 1024, 25}, {1'000'000, 128, 1024, 25, 1024}, {1'000'000, 64, 1024, 10},
                               {100'000, 784, 100, 10},    {10'000, 10'000, 64, 10},         {1'000, 10'000, 8, 10}};

}  // namespace

int bench_main(int count, char** words) {
    const auto wanted = [&](const char* name) {
        return count == 1 || std::any_of(words + 1, words + count, [&](char* w) { return std::strcmp(w, name) == 0; });
    };
    device::Cuda cuda({});
    for (const Case& c : few_cases) {
        if (wanted("few")) few(cuda, c.n, c.cols, c.clusters, c.blobs, c.iterations);
    }
    for (const Case& c : many_cases) {
        if (wanted("many") || (wanted("million") && &c == many_cases)) {
            many(cuda, c.n, c.cols, c.clusters, c.blobs, c.iterations);
        }
    }
    if (wanted("start")) start(cuda, 1'000'000, 128, 1024), start(cuda, 10'000'000, 2, 4);
    return 0;
}
