// SPDX-License-Identifier: Apache-2.0
// Waves by several ranks on the CPU have the bytes of one.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/gpu_use.hpp>
#include <dunlin/waves.hpp>

#include "cases/cpu_ranks.hpp"
#include "cases/waves_ranks.hpp"
#include "math/at.hpp"
#include "waves/shares.hpp"
#include "waves/simulate.hpp"

namespace dunlin::waves {

namespace {

using cases::counts_of_ranks, cases::run_with;

Result simulate_with(const RankCase& made, const dunlin::Run& run) {
    device::Cpu cpu(dunlin::Run{.threads = 1});
    const Problem problem = problem_of(cpu, made.domain(), made.options, run, made.given());
    return simulate_problem(cpu, problem, run, made.given(), Device::cpu, run.gpus.size() > 1);
}

TEST(WavesRanks, HaveTheBytesOfOne) {
    // One number of ranks for each case, in turn: ranks that share few cores wait for each other in every step
    std::size_t turn = 0;
    for (const RankCase& made : rank_cases(1)) {
        const int count = counts_of_ranks[(turn + turn / 6) % 3];
        ++turn;
        const Result expected = simulate_with(made, {.device = Device::cpu, .threads = 1});
        expect_same(expected, simulate_with(made, run_with(count)), made.name + ", " + std::to_string(count));
    }
}

TEST(WavesRanks, SharesCoverTheNodesAndHalosAreTheirNeighbors) {
    device::Cpu cpu(dunlin::Run{.threads = 1});
    for (const RankCase& made : rank_cases(1)) {
        const Problem problem = problem_of(cpu, made.domain(), made.options, {}, made.given());
        std::vector<double> numbers(at(problem.size()));
        std::iota(numbers.begin(), numbers.end(), 0.0);
        for (const int count : counts_of_ranks) {
            const Shares shares(problem, count);
            std::vector<std::vector<double>> held;
            for (int r = 0; r < count; ++r) held.push_back(shares.held_of(r, numbers));
            Offset nodes = 0;
            for (int r = 0; r < count; ++r) {
                EXPECT_EQ(shares.own_nodes(r).begin, nodes) << made.name;
                nodes = shares.own_nodes(r).end;
                const device::Slice places = shares.own_places(r);
                ASSERT_EQ(places.size(), shares.own_nodes(r).size());
                for (Offset i = 0; i < places.size(); ++i)
                    ASSERT_EQ(held[at(r)][at(places.begin + i)], numbers[at(shares.own_nodes(r).begin + i)]);
                // what the pieces bring is what is there
                std::vector<double> received = held[at(r)];
                if (made.edges.size() > 0) continue;
                for (Offset i = 0; i < std::ssize(received); ++i) {
                    if (i < places.begin || i >= places.end) received[at(i)] = -1;
                }
                for (const HaloPiece& piece : shares.halo_of(r)) {
                    const device::Slice source = shares.own_places(piece.from);
                    EXPECT_GE(piece.at, source.begin);
                    EXPECT_LE(piece.at + piece.count, source.end);
                    std::copy_n(held[at(piece.from)].begin() + piece.at, piece.count, received.begin() + piece.to);
                }
                EXPECT_EQ(received, held[at(r)]) << made.name << ", rank " << r << " of " << count;
            }
            EXPECT_EQ(nodes, problem.size());
        }
    }
}

TEST(WavesRanks, LongLinesExchangeHalosSeldom) {
    device::Cpu cpu(dunlin::Run{.threads = 1});
    const auto depth_of = [&](const Domain& domain, Scheme scheme) {
        const Problem problem = problem_of(cpu, domain, {.scheme = scheme, .until = 1}, {}, {});
        return Shares(problem, 2).depth();
    };
    EXPECT_EQ(depth_of(Domain::line(20'000), Scheme::euler), 64);
    EXPECT_EQ(depth_of(Domain::line(20'000), Scheme::heun), 64);
    EXPECT_EQ(depth_of(Domain::line(20), Scheme::heun), 1);
    EXPECT_EQ(depth_of(Domain::grid({100, 2048, 1}), Scheme::euler), 16);
}

TEST(WavesRanks, AStopEndsAllBeforeTheSameStep) {
    const std::vector<RankCase> cases = rank_cases(1);
    RankCase made =
        *std::ranges::find_if(cases, [](const RankCase& one) { return one.name == "noise on a ring of a grid"; });
    made.options.until = 1e6;
    made.options.steps = 1'000'000;
    std::stop_source source;
    dunlin::Run run = run_with(3);
    run.stop = source.get_token();
    run.on_progress = [&](const Progress& progress) {
        if (progress.done >= 100) source.request_stop();
    };
    const Result stopped = simulate_with(made, run);
    EXPECT_EQ(stopped.stopped, Stopped::cancelled);
    EXPECT_GE(stopped.iterations, 100);
    made.options.step = stopped.step;
    made.options.steps = stopped.iterations;
    const Result expected = simulate_with(made, {.device = Device::cpu, .threads = 1});
    EXPECT_EQ(stopped.field.v, expected.field.v);
    EXPECT_EQ(stopped.activation, expected.activation);
}

TEST(WavesRanks, ValuesThatGrowAreTheErrorOfOne) {
    const std::vector<double> start(1000, 1e200);
    for (const int ranks : {1, 3}) {
        device::Cpu cpu(dunlin::Run{.threads = 1});
        const Given given{.v = start};  // beyond the range for which the step is stable
        const Problem problem = problem_of(cpu, Domain::line(1000), {.step = 0.1, .until = 10}, {}, {});
        std::string message;
        try {
            (void)simulate_problem(cpu, problem, run_with(ranks), given, Device::cpu, ranks > 1);
        } catch (const Error& error) {
            message = error.what();
        }
        EXPECT_NE(message.find("the values grew without bound by time"), std::string::npos)
            << ranks << " ranks: " << message;
    }
}

std::string refusal(const Options& options, const dunlin::Run& run) {
    try {
        (void)simulate(Domain::line(100), options, run);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(WavesRanks, WhatRunsOnOneGpuSaysSo) {
    const dunlin::Run two{.device = Device::cuda, .gpus = {0, 1}};
    EXPECT_EQ(refusal({.scheme = Scheme::crank_nicolson, .until = 1}, two),
              "scheme crank-nicolson runs on one GPU, and 2 are named; name one");
    EXPECT_EQ(refusal({.scheme = Scheme::adaptive, .until = 1}, two),
              "device cuda: scheme adaptive is computed on the CPU only; use device cpu or auto");
    EXPECT_NE(refusal({.scheme = Scheme::heun, .tolerance = 1e-3, .until = 1}, two).find("on the CPU only"),
              std::string::npos);
    dunlin::Run kept = two;
    kept.checkpoint = "never.checkpoint";
    EXPECT_NE(refusal({.until = 1}, kept).find("a run on several writes none"), std::string::npos);
}

}  // namespace

}  // namespace dunlin::waves
