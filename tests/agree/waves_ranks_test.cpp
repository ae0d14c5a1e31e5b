// SPDX-License-Identifier: Apache-2.0
// Waves on several GPUs, or by several ranks of one, have the bytes of one.
#include <dunlin/waves.hpp>

#include <chrono>
#include <string>

#include <dunlin/error.hpp>
#include <dunlin/gpu_use.hpp>

#include "agree/agree.hpp"
#include "agree/lists_of_gpus.hpp"
#include "cases/waves_ranks.hpp"

namespace dunlin::waves {
namespace {

using agree::lists_of_gpus, agree::name_of, agree::on_gpus;

TEST(CudaWavesRanks, HaveTheBytesOfOneGpu) {
    DUNLIN_NEEDS_GPU();
    for (const RankCase& made : rank_cases(agree::only_small() ? 1 : 5)) {
        const Result expected = simulate(made.domain(), made.options, on_gpus({0}), made.given());
        for (const auto& gpus : lists_of_gpus()) {
            const Result found = simulate(made.domain(), made.options, on_gpus(gpus), made.given());
            expect_same(expected, found, made.name + ", " + name_of(gpus));
            EXPECT_EQ(found.gpus, gpus);
            EXPECT_EQ(last_gpu_use().size(), gpus.size());
        }
    }
}

TEST(CudaWavesRanks, AStopIsNoErrorAndNoHang) {
    DUNLIN_NEEDS_GPU();
    for (const auto& gpus : lists_of_gpus()) {
        const auto begun = std::chrono::steady_clock::now();
        std::stop_source source;
        dunlin::Run run = on_gpus(gpus);
        run.stop = source.get_token();
        run.on_progress = [&](const Progress& progress) {
            if (progress.done >= 100) source.request_stop();
        };
        const Result found = simulate(Domain::ring(100'000), {.until = 1e6}, run, {.stimuli = {{.vertex = 7}}});
        EXPECT_EQ(found.stopped, Stopped::cancelled);
        EXPECT_EQ(std::ssize(found.field.v), 100'000);
        EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
    }
}

TEST(CudaWavesRanks, WhatRunsOnOneGpuSaysSo) {
    DUNLIN_NEEDS_GPU();
    try {
        (void)simulate(Domain::line(100), {.scheme = Scheme::crank_nicolson, .until = 1}, on_gpus({0, 0}));
        ADD_FAILURE() << "two GPUs were accepted";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "scheme crank-nicolson runs on one GPU, and 2 are named; name one");
    }
}

}  // namespace
}  // namespace dunlin::waves
