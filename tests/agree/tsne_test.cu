// SPDX-License-Identifier: Apache-2.0
// t-SNE on a GPU compared with a CPU: one step from equal states by coordinates, whole runs by score.
#include <chrono>
#include <stop_token>
#include <thread>

#include <dunlin/error.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/tsne.hpp>

#include "agree/agree.hpp"
#include "cases/cases.hpp"
#include "descent/cuda_repeller.cuh"
#include "descent/reorder.cuh"
#include "descent/reorder.hpp"
#include "descent/repeller.hpp"
#include "forces/attraction/attraction.cuh"
#include "tsne/descend.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {
namespace {

using agree::on;

/// Five noisy rings in ten dimensions.
std::vector<float> rings(Index n) {
    std::vector<float> x;
    for (Index i = 0; i < n; ++i) {
        const auto item = static_cast<std::uint64_t>(i);
        const double turn = 6.283185307179586 * math::random_uniform(5, item);
        for (int c = 0; c < 10; ++c) {
            const double ring = c < 2 ? 3 * (c == 0 ? std::cos(turn) : std::sin(turn)) : (c - 2 == i % 5 ? 5 : 0);
            x.push_back(static_cast<float>(ring + 0.3 * math::random_normal(6, item, static_cast<std::uint64_t>(c))));
        }
    }
    return x;
}

/// Coordinates after three iterations from this start, in the original order of points.
template <class Exec, class Affinities, class Repeller>
std::vector<float> after_three_steps(Exec& exec, const std::vector<float>& start, Affinities affinities,
                                     Repeller repeller, const Options& options) {
    typename Exec::template Buffer<float> y;
    exec.upload(y, std::span<const float>(start));
    auto state = descent::descent_state_at(exec, std::move(y), options.dim);
    Objective objective(exec, options, forces::StudentT(), state, nullptr);
    descent::descend(exec, state, affinities, repeller, objective, dunlin::Run{});
    return descent::in_original_order(exec.host(state.y), exec.host(state.original), state.map_dim);
}

void expect_equal_steps(Index n, int dim, Repulsion repulsion, double tolerance) {
    SCOPED_TRACE(testing::Message() << n << " points, " << dim << "-D, " << name_of(repulsion));
    const Options options =
        resolve_descent({.dim = dim, .iterations = 3, .learning_rate = 10.0F, .repulsion = repulsion}, n, Device::cpu);
    const Graph p = agree::some_graph(n, 60);
    const std::vector<float> start = agree::scattered(n, dim, 30);
    device::Cpu cpu(2);
    device::Cuda cuda{dunlin::Run{}};
    const auto expected =
        after_three_steps(cpu, start, p, descent::Repeller<forces::StudentT>(repulsion_of(options)), options);
    const auto found = after_three_steps(cuda, start, graph::upload(cuda, p),
                                         descent::CudaRepeller<forces::StudentT>(repulsion_of(options)), options);
    std::vector<float> moved(start.size()), should(start.size());
    for (std::size_t i = 0; i < start.size(); ++i) {
        moved[i] = found[i] - start[i];
        should[i] = expected[i] - start[i];
    }
    EXPECT_LT(agree::relative_error(moved, should), tolerance);
}

TEST(TsneOnGpu, StepsAreTheCpusAtAwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {1, 2, 3}) {
        for (const Index n : {1, 2, 31, 32, 33, 1000}) {
            expect_equal_steps(n, dim, Repulsion::exact, 1e-3);
            expect_equal_steps(n, dim, Repulsion::tree, 2e-2);
        }
        if (dim == 1) continue;  // maps on a line have no grid
        // The repulsion of a few points in a wide box is less than the error of either grid
        expect_equal_steps(1000, dim, Repulsion::grid, 2e-2);
    }
    expect_equal_steps(70001, 2, Repulsion::grid, 2e-2);
    expect_equal_steps(20001, 2, Repulsion::exact, 1e-3);
}

TEST(TsneOnGpu, WholeRunsScoreAsTheCpus) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> x = rings(4000);
    for (const int dim : {1, 2, 3}) {
        for (const auto repulsion : {Repulsion::exact, Repulsion::tree, Repulsion::grid}) {
            if (dim == 1 && repulsion == Repulsion::grid) continue;
            SCOPED_TRACE(testing::Message() << dim << "-D, " << name_of(repulsion));
            const Options options{.dim = dim, .repulsion = repulsion};
            const Result expected = embed({x.data(), 4000, 10}, options, on(Device::cpu));
            const Result found = embed({x.data(), 4000, 10}, options, on(Device::cuda));
            EXPECT_EQ(found.device, Device::cuda);
            EXPECT_GT(found.gpu_memory, 0U);
            EXPECT_NEAR(found.kl, expected.kl, cases::kl_spread);
            EXPECT_NEAR(scores::trustworthiness({x.data(), 4000, 10}, found.map).value,
                        scores::trustworthiness({x.data(), 4000, 10}, expected.map).value, cases::score_spread);
        }
    }
}

TEST(TsneOnGpu, AMapOnALineIsWatchedOnALineAndHasTheSameBytes) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> x = rings(60000);  // many enough to be reordered
    const Options options{.dim = 1, .iterations = 120, .exaggerated_iterations = 60};
    dunlin::Run watched = on(Device::cuda);
    watched.snapshot_every = 40;
    watched.on_progress = [](const Progress& progress) {
        if (!progress.coordinates.empty()) {
            EXPECT_EQ(progress.coordinates.size(), 60000U);
        }
    };
    const Result first = embed({x.data(), 60000, 10}, options, on(Device::cuda));
    const Result second = embed({x.data(), 60000, 10}, options, watched);
    EXPECT_EQ(first.map.dim, 1);
    ASSERT_EQ(first.map.coordinates.size(), 60000U);
    EXPECT_EQ(first.map.coordinates, second.map.coordinates);
    EXPECT_EQ(first.options.repulsion, Repulsion::tree);
}

TEST(TsneOnGpu, StoppingRulesEndARunWhereTheCpuDoes) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> x = rings(500);
    const auto iterations = [&](const Options& options, Device device) {
        return embed({x.data(), 500, 10}, options, on(device)).iterations;
    };
    // Far from the borders of the rules, so that the last digits do not decide
    Options options{.iterations = 400, .exaggerated_iterations = 100, .repulsion = Repulsion::exact};
    options.min_gradient = 1e9F;
    EXPECT_EQ(iterations(options, Device::cpu), 100);
    EXPECT_EQ(iterations(options, Device::cuda), 100);
    options.min_gradient = 1e-30F;
    options.patience = 300;
    EXPECT_EQ(iterations(options, Device::cpu), 400);
    EXPECT_EQ(iterations(options, Device::cuda), 400);

    const Options one_step = resolve_descent({.iterations = 1, .repulsion = Repulsion::exact}, 1000, Device::cpu);
    const Graph p = agree::some_graph(1000, 60);
    const std::vector<float> start = agree::scattered(1000, 2, 30);
    const auto norm = [&](auto& exec, auto affinities, auto repeller) {
        typename std::remove_reference_t<decltype(exec)>::template Buffer<float> y;
        exec.upload(y, std::span<const float>(start));
        auto state = descent::descent_state_at(exec, std::move(y), 2);
        Objective objective(exec, one_step, forces::StudentT(), state, nullptr);
        descent::descend(exec, state, affinities, repeller, objective, dunlin::Run{});
        return descent::gradient_norm(exec, state);
    };
    device::Cpu cpu(2);
    device::Cuda cuda{dunlin::Run{}};
    const double expected = norm(cpu, p, descent::Repeller<forces::StudentT>(repulsion_of(one_step)));
    EXPECT_NEAR(norm(cuda, graph::upload(cuda, p), descent::CudaRepeller<forces::StudentT>(repulsion_of(one_step))),
                expected, 1e-4 * expected);
}

TEST(TsneOnGpu, PointsLargerThanTheMemoryAllowedAreStreamed) {
    DUNLIN_NEEDS_GPU();
    const Index n = 30000, d = 600;
    const std::vector<float> narrow = rings(n);
    std::vector<float> x;
    for (Index i = 0; i < n; ++i) {
        for (Index c = 0; c < d; ++c) x.push_back(narrow[static_cast<std::size_t>(10 * i + c % 10)]);
    }
    const Options options{.perplexity = 5, .iterations = 300};
    dunlin::Run limited = on(Device::cuda);
    limited.memory = std::uint64_t{64} << 20;  // 72 MB of points
    const Result held = embed({x.data(), n, d}, options, on(Device::cuda));
    const Result streamed = embed({x.data(), n, d}, options, limited);
    EXPECT_NEAR(streamed.kl, held.kl, cases::kl_spread);
    EXPECT_LE(streamed.gpu_memory, limited.memory);
}

TEST(TsneOnGpu, TheSameSeedGivesTheSameBytesWatchedOrNot) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> x = rings(30000);
    for (const int dim : {2, 3}) {
        for (const auto repulsion : {Repulsion::exact, Repulsion::tree, Repulsion::grid}) {
            SCOPED_TRACE(testing::Message() << dim << "-D, " << name_of(repulsion));
            const Options options{.dim = dim, .iterations = 300, .repulsion = repulsion};
            dunlin::Run watched = on(Device::cuda);
            int snapshots = 0;
            watched.snapshot_every = 70;
            watched.on_progress = [&](const Progress& progress) { snapshots += progress.coordinates.empty() ? 0 : 1; };
            const Result first = embed({x.data(), 30000, 10}, options, on(Device::cuda));
            const Result second = embed({x.data(), 30000, 10}, options, watched);
            EXPECT_EQ(first.map.coordinates, second.map.coordinates);
            EXPECT_EQ(first.kl, second.kl);
            EXPECT_EQ(snapshots, 4);
        }
    }
}

TEST(TsneOnGpu, TinyAndDegenerateInputs) {
    DUNLIN_NEEDS_GPU();
    const int few = agree::only_small() ? 5 : 60;
    for (Index n = 1; n <= 33; ++n) {
        const std::vector<float> x = rings(n);
        for (const float value : embed({x.data(), n, 10}, {.iterations = few}, on(Device::cuda)).map.coordinates) {
            ASSERT_TRUE(std::isfinite(value)) << n;
        }
    }
    const Index many = agree::size(5000);
    const std::vector<float> same(static_cast<std::size_t>(many) * 3, 2.5F);
    for (const auto repulsion : {Repulsion::exact, Repulsion::tree, Repulsion::grid}) {
        const Result result =
            embed({same.data(), many, 3}, {.iterations = 5 * few, .repulsion = repulsion}, on(Device::cuda));
        for (const float value : result.map.coordinates) ASSERT_TRUE(std::isfinite(value)) << name_of(repulsion);
    }
}

TEST(TsneOnGpu, GivenNeighborsAndStartAreTheCpus) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> x = rings(3000);
    const Graph neighbors = neighbors::search({x.data(), 3000, 10}, {.k = 40}, on(Device::cpu)).graph;
    const Map start{2, agree::scattered(3000, 2, 1e-3F)};
    const Given given{&neighbors, &start};
    const Options options{.perplexity = 13.0F};
    const Result expected = embed({x.data(), 3000, 10}, options, on(Device::cpu), given);
    const Result found = embed({x.data(), 3000, 10}, options, on(Device::cuda), given);
    EXPECT_NEAR(found.kl, expected.kl, cases::kl_spread);
    EXPECT_EQ(embed({x.data(), 3000, 10}, {.iterations = 0}, on(Device::cuda), given).map.coordinates,
              start.coordinates);
}

TEST(TsneOnGpu, AStopIsNoticedWithinAFifthOfASecond) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> x = rings(100000);
    std::stop_source source;
    dunlin::Run run = on(Device::cuda);
    run.stop = source.get_token();
    using Clock = std::chrono::steady_clock;
    Clock::time_point asked;
    std::jthread stopper;
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage != "optimize" || progress.done == 0 || stopper.joinable()) return;
        stopper = std::jthread([&] {
            asked = Clock::now();
            source.request_stop();
        });
    };
    const Result result = embed({x.data(), 100000, 10}, {.iterations = 1000000}, run);
    EXPECT_LT(std::chrono::duration<double>(Clock::now() - asked).count(), 0.2);
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_TRUE(std::isfinite(result.kl));
}

TEST(TsneOnGpu, TooLittleMemoryIsAnErrorBeforeItStartsAndTheNextRunIsFine) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> x = rings(20000);
    dunlin::Run run = on(Device::cuda);
    run.memory = 1000000;
    try {
        embed({x.data(), 20000, 10}, {}, run);
        FAIL() << "20,000 points fitted into a megabyte";
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::out_of_memory) << error.what();
    }
    EXPECT_GT(embed({x.data(), 20000, 10}, {.iterations = 50}, on(Device::cuda)).kl, 0);
}

TEST(TsneOnGpu, WhatTheGpuDoesNotHaveIsRefused) {
    DUNLIN_NEEDS_GPU();
    const std::vector<float> x = rings(3000);
    try {
        embed({x.data(), 3000, 10}, {.metric = neighbors::Metric::manhattan, .search = neighbors::Method::approximate},
              on(Device::cuda));
        FAIL() << "manhattan distances were searched approximately";
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::bad_input) << error.what();
    }
}

}  // namespace
}  // namespace dunlin::tsne
