// SPDX-License-Identifier: Apache-2.0
// Mixtures on the GPU beside the CPU: one expectation step and one whole iteration to rounding, and whole runs.
#include <dunlin/mixture.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <dunlin/error.hpp>

#include "agree.hpp"
#include "cases/kmeans.hpp"
#include "mixture/cuda.hpp"
#include "refusal.hpp"

namespace dunlin::mixture {
namespace {

using kmeans::blobs_of;
using kmeans::values_of;
using kmeans::view;

constexpr Covariance all_forms[] = {Covariance::diagonal, Covariance::full, Covariance::spherical, Covariance::tied};

Result fit_on(Device device, const std::vector<float>& points, Index cols, const Options& options,
              const Wanted& wanted = {}) {
    return fit(view(points, cols), options, agree::on(device), wanted);
}

std::string name(Index n, Index cols, const Options& options) {
    return std::to_string(n) + " x " + std::to_string(cols) + ", " + std::to_string(options.components) + " " +
           std::string(name_of(options.covariance));
}

/// Both devices compute in double from the same start; results are float32, but for shares and the likelihood.
void expect_agreement(const Result& cpu, const Result& gpu, double rounding, const std::string& what) {
    EXPECT_EQ(gpu.device, Device::cuda) << what;
    EXPECT_NEAR(gpu.log_likelihood, cpu.log_likelihood, rounding * std::max(1.0, std::abs(cpu.log_likelihood))) << what;
    EXPECT_EQ(gpu.iterations, cpu.iterations) << what;
    ASSERT_EQ(gpu.shares.size(), cpu.shares.size()) << what;
    for (std::size_t k = 0; k < cpu.shares.size(); ++k) EXPECT_NEAR(gpu.shares[k], cpu.shares[k], rounding) << what;
    const double of_floats = std::max(rounding, 1e-6);
    EXPECT_LT(agree::relative_error(values_of(gpu.means), values_of(cpu.means)), of_floats) << what;
    EXPECT_LT(agree::relative_error(gpu.variances, cpu.variances), of_floats) << what;
}

void expect_step(Index n, Index cols, Options options) {
    const std::vector<float> points = blobs_of(n, cols, 4);
    options.tolerance = 0;
    for (const int iterations : {0, 1}) {
        if (iterations == 0 && agree::only_small()) continue;
        options.iterations = iterations;
        const Result cpu = fit_on(Device::cpu, points, cols, options),
                     gpu = fit_on(Device::cuda, points, cols, options);
        expect_agreement(cpu, gpu, 1e-10, name(n, cols, options));
        EXPECT_EQ(cpu.labels, gpu.labels) << name(n, cols, options);
    }
}

/// DUNLIN_SMALL: a case on each side of every border between kernels, since racecheck takes seconds for each.
TEST(CudaMixture, AStepIsThatOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    const bool small = agree::only_small();
    const std::vector<Index> sizes =
                                 small ? std::vector<Index>{33, 130} : agree::sizes({1, 2, 31, 32, 33, 1000, 70001}),
                             widths = small ? std::vector<Index>{2, 17} : std::vector<Index>{1, 2, 3, 16, 17},
                             counts = small ? std::vector<Index>{20} : std::vector<Index>{1, 2, 7, 20};
    for (const Covariance covariance : all_forms) {
        for (const Index n : sizes) {
            for (const Index cols : widths) {
                for (const Index k : counts) {
                    if (k <= n) expect_step(n, cols, {.components = k, .covariance = covariance});
                }
            }
        }
    }
}

/// Several tiles of columns; more components than a tile has, of 64 and of 112.
TEST(CudaMixture, WideRowsAndManyComponents) {
    DUNLIN_NEEDS_GPU();
    const bool small = agree::only_small();
    for (const Covariance covariance : all_forms) {
        for (const Index cols : small ? std::vector<Index>{130} : std::vector<Index>{63, 64, 65, 129, 130}) {
            expect_step(small ? 300 : 1400, cols, {.components = 5, .covariance = covariance, .floor = 1e-2});
        }
        for (const Index k : small ? std::vector<Index>{66} : std::vector<Index>{16, 17, 65, 100, 300}) {
            const Options options{.components = k, .covariance = covariance, .floor = 1e-2};
            for (const Index cols : {10, 20}) expect_step(small ? 300 : 20000, cols, options);
        }
    }
}

/// Most responsibilities are 0: lists of rows are short, and tiles have rows that add nothing.
TEST(CudaMixture, ClustersFarApart) {
    DUNLIN_NEEDS_GPU();
    for (const Covariance covariance : all_forms) {
        for (const Index cols : {4, 40}) {
            std::vector<float> points = blobs_of(agree::only_small() ? 300 : 5000, cols, 6);
            for (std::size_t i = 0; i < points.size(); ++i)
                points[i] += 100 * static_cast<float>(i / static_cast<std::size_t>(cols) % 6);
            const Options options{
                .components = 6, .covariance = covariance, .iterations = 2, .tolerance = 0, .floor = 1e-4};
            expect_agreement(fit_on(Device::cpu, points, cols, options), fit_on(Device::cuda, points, cols, options),
                             1e-9, name(static_cast<Index>(points.size()) / cols, cols, options));
        }
    }
}

TEST(CudaMixture, WholeRunsAgree) {
    DUNLIN_NEEDS_GPU();
    for (const Covariance covariance : all_forms) {
        for (const Index cols : {2, 10}) {
            const Options options{.components = 6, .covariance = covariance, .iterations = 25, .tolerance = 0};
            const std::vector<float> points = blobs_of(agree::size(30000), cols, 6);
            const Result cpu = fit_on(Device::cpu, points, cols, options),
                         gpu = fit_on(Device::cuda, points, cols, options);
            const std::string what = name(static_cast<Index>(cpu.labels.size()), cols, options);
            EXPECT_NEAR(gpu.log_likelihood, cpu.log_likelihood, 1e-6 * std::abs(cpu.log_likelihood)) << what;
            EXPECT_NEAR(gpu.bic, cpu.bic, 1e-6 * std::abs(cpu.bic)) << what;
            EXPECT_EQ(gpu.device, Device::cuda);
        }
    }
}

TEST(CudaMixture, ResponsibilitiesAreThoseOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const Covariance covariance : all_forms) {
        const std::vector<float> points = blobs_of(1300, 5, 4);
        const Options options{.components = 4, .covariance = covariance, .iterations = 2};
        const Result cpu = fit_on(Device::cpu, points, 5, options, {.responsibilities = true}),
                     gpu = fit_on(Device::cuda, points, 5, options, {.responsibilities = true});
        ASSERT_EQ(gpu.responsibilities.rows(), 1300);
        EXPECT_LT(agree::relative_error(values_of(gpu.responsibilities), values_of(cpu.responsibilities)), 1e-6);
    }
}

TEST(CudaMixture, RestartsAreThoseOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> points = blobs_of(1400, 3, 7);
    const Options options{.components = 7, .restarts = 3, .iterations = 4, .tolerance = 0};
    expect_agreement(fit_on(Device::cpu, points, 3, options), fit_on(Device::cuda, points, 3, options), 1e-8,
                     "restarts");
}

/// Also where points do not fit and are copied in chunks.
TEST(CudaMixture, TheSameBytesInEveryRun) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::size(100000), cols = 128;
    const std::vector<float> points = blobs_of(n, cols, 5);
    for (const Covariance covariance : all_forms) {
        const Options options{.components = 2, .covariance = covariance, .iterations = 3, .tolerance = 0};
        const Result first = fit_on(Device::cuda, points, cols, options);
        dunlin::Run small = agree::on(Device::cuda);
        const GpuPlan plan = gpu_plan(covariance, 2, n, cols);
        small.memory = plan.bytes + plan.chunk_bytes + 1000000;  // of a tied mixture the points fit beside the rest
        const Result again = fit_on(Device::cuda, points, cols, options),
                     streamed = fit(view(points, cols), options, small);
        for (const Result* other : {&again, &streamed}) {
            EXPECT_EQ(first.log_likelihood, other->log_likelihood);
            EXPECT_EQ(first.shares, other->shares);
            EXPECT_EQ(values_of(first.means), values_of(other->means));
            EXPECT_EQ(first.variances, other->variances);
            EXPECT_EQ(first.labels, other->labels);
        }
    }
}

TEST(CudaMixture, DuplicatesAndAsManyComponentsAsRows) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> same(64, 2.0F);
    for (const Covariance covariance : all_forms) {
        for (const Index n : {1, 2, 32}) {
            const MatrixView<const float> rows{same.data(), n, 2};
            const Options options{.components = n, .covariance = covariance};
            const Result cpu = fit(rows, options, agree::on(Device::cpu)),
                         gpu = fit(rows, options, agree::on(Device::cuda));
            EXPECT_TRUE(std::isfinite(gpu.log_likelihood));
            EXPECT_NEAR(gpu.log_likelihood, cpu.log_likelihood, 1e-9 * std::abs(cpu.log_likelihood));
        }
        expect_step(20, 2, {.components = 20, .covariance = covariance, .floor = 1e-2});
    }
}

/// A mean far from 0, relative to the standard deviations: differences are taken before products.
TEST(CudaMixture, RowsFarFromZero) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> points = blobs_of(1200, 4, 3, 1, 3000);
    for (const Covariance covariance : all_forms) {
        const Options options{.components = 3, .covariance = covariance, .iterations = 2, .tolerance = 0};
        const Result cpu = fit_on(Device::cpu, points, 4, options), gpu = fit_on(Device::cuda, points, 4, options);
        EXPECT_NEAR(gpu.log_likelihood, cpu.log_likelihood, 1e-9 * std::abs(cpu.log_likelihood));
        EXPECT_LT(agree::relative_error(gpu.variances, cpu.variances), 1e-5);
    }
}

/// A row of its own component, too far in deviations for densities about its mean; more components than 16.
TEST(CudaMixture, AMeanTooFarFromTheOthers) {
    DUNLIN_NEEDS_GPU();
    std::vector<float> points = blobs_of(1200, 3, 6);
    std::fill_n(points.begin(), 3, 1e7F);
    for (const Index k : {20, 100}) {
        const Options options{.components = k, .iterations = 2, .tolerance = 0, .floor = 1e-16};
        const Result cpu = fit_on(Device::cpu, points, 3, options), gpu = fit_on(Device::cuda, points, 3, options);
        EXPECT_NEAR(gpu.log_likelihood, cpu.log_likelihood, 1e-8 * std::abs(cpu.log_likelihood)) << k;
        EXPECT_EQ(gpu.labels, cpu.labels) << k;
    }
}

TEST(CudaMixture, BadInputIsRefusedAsOnTheCpu) {
    DUNLIN_NEEDS_GPU();
    const auto expect_same = [](const std::vector<float>& points, Index cols, const Options& options) {
        const auto on = [&](Device device) {
            return refusal(Fault::bad_input, [&] { (void)fit_on(device, points, cols, options); });
        };
        EXPECT_NE(on(Device::cuda), "");
        EXPECT_EQ(on(Device::cuda), on(Device::cpu));
    };
    expect_same({1, 2, 3}, 1, {.components = 4});
    expect_same({}, 2, {.components = 1});
    expect_same({1, std::nanf(""), 3}, 1, {.components = 1});
    const std::vector<float> line{-1, -1, 1, 1, -1, -1, 1, 1};
    expect_same(line, 2, {.components = 1, .covariance = Covariance::full, .floor = 1e-30});
    expect_same(line, 2, {.components = 1, .covariance = Covariance::tied, .floor = 1e-30});
    const std::vector<float> points = blobs_of(2000, 50, 2);
    dunlin::Run little = agree::on(Device::cuda);
    little.memory = 100000;
    EXPECT_NE(refusal(Fault::out_of_memory, [&] { (void)fit(view(points, 50), {.components = 2}, little); }), "");
}

TEST(CudaMixture, AStopIsHeardWithinAQuarterSecond) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "a small case cannot show this";
    using Clock = std::chrono::steady_clock;
    const Index cols = 100;
    const std::vector<float> points = blobs_of(200000, cols, 20);
    std::stop_source source;
    Clock::time_point asked;
    dunlin::Run run = agree::on(Device::cuda);
    run.stop = source.get_token();
    std::jthread stopper;
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage != "optimize" || progress.done < 1 || stopper.joinable()) return;
        stopper = std::jthread([&] {  // in the middle of a step
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            asked = Clock::now();
            source.request_stop();
        });
    };
    const Options options{.components = 200, .covariance = Covariance::full, .iterations = 1000, .tolerance = 0};
    const Result result = fit(view(points, cols), options, run);
    const double seconds = std::chrono::duration<double>(Clock::now() - asked).count();
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_LT(seconds, 0.25);
    EXPECT_GE(result.iterations, 1);
    EXPECT_EQ(result.labels.size(), 200000U);
    EXPECT_EQ(result.shares.size(), 200U);
}

TEST(CudaMixture, AutoTakesTheGpuForMuchWork) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> points = blobs_of(60000, 50, 4);
    const Options options{.components = 40, .iterations = 1};
    EXPECT_EQ(fit_on(Device::automatic, points, 50, options).device, Device::cuda);
    EXPECT_EQ(fit_on(Device::automatic, {1, 2, 3}, 1, {.components = 2}).device, Device::cpu);
}

}  // namespace
}  // namespace dunlin::mixture
