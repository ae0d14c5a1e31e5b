// SPDX-License-Identifier: Apache-2.0
// Mixtures on several GPUs, or by several ranks of one, have the bytes of one.
#include <dunlin/mixture.hpp>

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/gpu_use.hpp>

#include "agree/lists_of_gpus.hpp"
#include "cases/kmeans.hpp"
#include "mixture/cuda.hpp"
#include "refusal.hpp"

namespace dunlin::mixture {
namespace {

using agree::lists_of_gpus, agree::name_of, agree::on_gpus;
using kmeans::blobs_of, kmeans::values_of, kmeans::view;

constexpr Covariance all_forms[] = {Covariance::diagonal, Covariance::full, Covariance::spherical, Covariance::tied};

void expect_equal(const Result& found, const Result& expected, const std::string& what) {
    EXPECT_EQ(found.log_likelihood, expected.log_likelihood) << what;
    EXPECT_EQ(found.shares, expected.shares) << what;
    EXPECT_TRUE(values_of(found.means) == values_of(expected.means)) << what;
    EXPECT_TRUE(found.variances == expected.variances) << what;
    EXPECT_TRUE(found.labels == expected.labels) << what;
    EXPECT_TRUE(values_of(found.responsibilities) == values_of(expected.responsibilities)) << what;
    EXPECT_EQ(found.iterations, expected.iterations) << what;
    EXPECT_EQ(found.stopped, expected.stopped) << what;
}

void expect_same(MatrixView<const float> points, const Options& options, const Wanted& wanted = {},
                 std::uint64_t memory = 0) {
    const Result expected = fit(points, options, on_gpus({0}), wanted);
    for (const auto& gpus : lists_of_gpus()) {
        dunlin::Run run = on_gpus(gpus);
        run.memory = memory;
        const Result found = fit(points, options, run, wanted);
        expect_equal(found, expected,
                     std::to_string(points.rows) + " x " + std::to_string(points.cols) + ", " +
                         std::to_string(options.components) + " " + std::string(dunlin::name_of(options.covariance)) +
                         ", " + name_of(gpus));
        EXPECT_EQ(found.device, Device::cuda);
        EXPECT_EQ(found.gpus, gpus);
        EXPECT_EQ(last_gpu_use().size(), gpus.size());
    }
}

TEST(CudaMixtureRanks, HaveTheBytesOfOneGpu) {
    DUNLIN_NEEDS_GPU();
    const bool small = agree::only_small();
    for (const Covariance covariance : all_forms) {
        if (small && covariance != Covariance::diagonal && covariance != Covariance::full) continue;
        for (const Index n : small ? std::vector<Index>{1100} : std::vector<Index>{1, 2, 63, 130, 1100, 50001}) {
            for (const Index cols : {2, 17}) {
                const std::vector<float> points = blobs_of(n, cols, 3);
                for (const Index k : {1, 3}) {
                    if (k <= n && (!small || k > 1)) {
                        expect_same(view(points, cols),
                                    {.components = k, .covariance = covariance, .iterations = 3, .tolerance = 0});
                    }
                }
            }
        }
    }
}

/// Chunks of several blocks of rows, blocks of several chunks, few segments.
TEST(CudaMixtureRanks, ManyComponents) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "small cases have one chunk";
    const std::vector<float> points = blobs_of(1'000'000, 3, 40);
    for (const Index k : {200, 1000}) {
        const Options options{.components = k, .iterations = 2, .tolerance = 0};
        const GpuPlan plan = gpu_plan(options.covariance, k, 1'000'000, 3);
        EXPECT_EQ(plan.parts > 1, k == 1000);
        expect_same(view(points, 3), options);
    }
    const std::vector<float> wide = blobs_of(100'000, 70, 40);
    for (const Covariance covariance : all_forms)
        expect_same(view(wide, 70), {.components = 100, .covariance = covariance, .iterations = 2, .tolerance = 0});
}

TEST(CudaMixtureRanks, RestartsResponsibilitiesAndConvergence) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> points = blobs_of(agree::size(5001), 3, 5);
    const Wanted wanted{.responsibilities = true};
    const int restarts = agree::only_small() ? 2 : 3;
    for (const Covariance covariance : all_forms) {
        const Options options{
            .components = 5, .covariance = covariance, .restarts = restarts, .iterations = 4, .tolerance = 0};
        expect_same(view(points, 3), options, wanted);
        if (agree::only_small()) return;
    }
    expect_same(view(points, 3), {.components = 4});
}

/// Where the points of a rank do not fit and are copied in chunks: of two and three, but not of more.
TEST(CudaMixtureRanks, PointsInHostMemory) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "k-means of a small case needs more memory than its points";
    const Index n = 100000, cols = 128;
    const std::vector<float> points = blobs_of(n, cols, 5);
    const GpuPlan plan = gpu_plan(Covariance::diagonal, 2, n, cols, 2);
    expect_same(view(points, cols), {.components = 2, .iterations = 3, .tolerance = 0}, {},
                plan.bytes + plan.chunk_bytes + 1000000);
}

TEST(CudaMixtureRanks, AStopIsNoErrorAndNoHang) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(200'001);
    const std::vector<float> points = blobs_of(n, 10, 5);
    Options options{.components = 100, .iterations = 100'000, .tolerance = 0};
    for (const char* const stage : {"start", "optimize"}) {
        for (const auto& gpus : lists_of_gpus()) {
            const auto begun = std::chrono::steady_clock::now();
            std::stop_source source;
            dunlin::Run run = on_gpus(gpus);
            run.stop = source.get_token();
            run.on_progress = [&](const Progress& progress) {
                if (progress.stage == stage && (progress.stage == "start" || progress.done >= 2)) source.request_stop();
            };
            const Result found = fit(view(points, 10), options, run, {.responsibilities = true});
            EXPECT_EQ(found.stopped, Stopped::cancelled) << stage;
            EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10)) << stage;
            if (stage == std::string("start")) {
                EXPECT_TRUE(found.shares.empty());
                continue;
            }
            EXPECT_GE(found.iterations, 2);
            options.iterations = found.iterations;  // so many have these components
            const Result expected = fit(view(points, 10), options, on_gpus({0}));
            EXPECT_EQ(found.shares, expected.shares) << name_of(gpus);
            EXPECT_TRUE(found.variances == expected.variances) << name_of(gpus);
            // Labels are those of the last expectation step: that of the last iteration, or the one after it
            options.iterations = found.iterations - 1;
            const Result before = fit(view(points, 10), options, on_gpus({0}));
            EXPECT_TRUE(found.labels == before.labels || found.labels == expected.labels) << name_of(gpus);
            options.iterations = 100'000;
        }
    }
}

TEST(CudaMixtureRanks, ErrorsAreThoseOfOneGpu) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> line{-1, -1, 1, 1, -1, -1, 1, 1};
    for (const Covariance covariance : {Covariance::full, Covariance::tied}) {
        const auto on = [&](const std::vector<int>& gpus) {
            const Options options{.components = 1, .covariance = covariance, .floor = 1e-30};
            return refusal(Fault::bad_input, [&] { (void)fit(view(line, 2), options, on_gpus(gpus)); });
        };
        EXPECT_NE(on({0}), "");
        for (const auto& gpus : lists_of_gpus()) EXPECT_EQ(on(gpus), on({0}));
    }
}

TEST(CudaMixtureRanks, TooLittleMemoryIsOneErrorThatNamesTheGpus) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> points = blobs_of(2000, 50, 2);
    for (const auto& gpus : lists_of_gpus()) {
        dunlin::Run run = on_gpus(gpus);
        run.memory = 60'000;
        const std::string said =
            refusal(Fault::out_of_memory, [&] { (void)fit(view(points, 50), {.components = 2}, run); });
        EXPECT_NE(said.find("a mixture of 2 diagonal Gaussians of 50 columns needs"), std::string::npos) << said;
        EXPECT_NE(said.find("on each GPU, and 0.000 GB of GPU 0"), std::string::npos) << said;
    }
}

}  // namespace
}  // namespace dunlin::mixture
