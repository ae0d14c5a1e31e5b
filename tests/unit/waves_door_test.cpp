// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stop_token>
#include <string>

#include <dunlin/waves.hpp>

#include "refusal.hpp"
#include "waves/formulas.hpp"

namespace dunlin::waves {
namespace {

std::string refused(const Domain& domain, const Options& options, const Given& given = {}) {
    return refusal(Fault::bad_input, [&] { (void)simulate(domain, options, {}, given); });
}

TEST(WavesDoor, AStepBeyondTheLimitNamesIt) {
    // 4 / 0.25 + 0.99 = 16.99; 2 / 16.99
    const std::string message = refused(Domain::line(100, 0.5), {.step = 0.12, .until = 1});
    EXPECT_NE(message.find("step is 0.12"), std::string::npos) << message;
    EXPECT_NE(message.find("0.1177"), std::string::npos) << message;
    EXPECT_EQ(refused(Domain::line(100, 0.5), {.step = 0.117, .until = 1}), "");
    const Result result = simulate(Domain::line(100, 0.5), {.until = 1});
    EXPECT_NEAR(result.step_limit, 2 / 16.99, 1e-5);  // the recovery moves it a little
    EXPECT_LE(result.step, 0.9 * result.step_limit);
}

TEST(WavesDoor, TheLimitIsSharp) {
    // Below it the plateau of nagumo is calm, above it a sawtooth grows; checked by a perturbed plateau
    const auto roughness = [](double share) {
        constexpr Index n = 64;
        std::vector<double> start(n);
        for (std::size_t i = 0; i < n; ++i) start[i] = 1 + (i % 2 == 0 ? 1e-6 : -1e-6);
        Options options{.model = Model::nagumo, .scheme = Scheme::euler, .until = 30};
        options.step = share * simulate(Domain::ring(n, 0.5), options, {}, {.v = start}).step_limit;
        const Result result = simulate(Domain::ring(n, 0.5), options, {}, {.v = start});
        return std::abs(result.field.v[0] - result.field.v[1]);
    };
    EXPECT_LT(roughness(0.98), 1e-8);
    EXPECT_GT(roughness(1.0), 1e-7);  // neither grows nor decays
}

TEST(WavesDoor, BadNumbersAreNamed) {
    std::vector<double> start(10, 0.0);
    start[3] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(refused(Domain::line(10), {}, {.v = start}).find("node 3"), std::string::npos);
    EXPECT_NE(refused(Domain::line(10), {}, {.current = start}).find("node 3"), std::string::npos);
    EXPECT_NE(refused(Domain::line(9), {}, {.w = start}).find("10 values"), std::string::npos);
    EXPECT_NE(refused(Domain::line(10), {}, {.stimuli = {{.vertex = 10}}}).find("vertex 10"), std::string::npos);
    EXPECT_NE(refused(Domain::line(10), {}, {.stimuli = {{.vertex = -1}}}).find("vertex -1"), std::string::npos);
    EXPECT_NE(refused(Domain::line(10), {}, {.stimuli = {{.vertex = 1, .from = 2, .to = 1}}}), "");
    EXPECT_NE(refused(Domain::line(10), {}, {.stimuli = {{.vertex = 1, .to = 3, .every = 2}}}), "");
    EXPECT_NE(refused(Domain::line(10), {}, {.snapshots = {2, 1}}), "");
    EXPECT_NE(refused(Domain::line(10), {.until = 3}, {.snapshots = {1, 4}}), "");
    EXPECT_NE(refused(Domain::line(10, 0), {}), "");
    EXPECT_NE(refused(Domain::line(-1), {}), "");
    EXPECT_NE(refused(Domain::grid({65536, 65536, 1}), {}), "");
    EXPECT_NE(refused(Domain::line(10), {.model = Model::nagumo}, {.w = std::vector<double>(10)}), "");
}

TEST(WavesDoor, OptionsThatAreNotRead) {
    EXPECT_NE(refused(Domain::line(10), {.noise = 0.1, .scheme = Scheme::heun}), "");
    EXPECT_NE(refused(Domain::line(10), {.scheme = Scheme::euler, .tolerance = 1e-3}), "");
    EXPECT_NE(refused(Domain::line(10), {.laplacian = Laplacian::random_walk}), "");
    EXPECT_NE(refused(Domain::line(10), {.until = 1, .rest = 1e-3}), "");
    EXPECT_NE(refused(Domain::line(10), {.model = Model::diffusion, .gamma = 3}), "");
}

TEST(WavesDoor, ValuesWithoutBoundAreNoResult) {
    const std::string words = "grew without bound";
    const std::vector<double> huge(64, 1e200);
    EXPECT_NE(refused(Domain::line(64, 0.5), {.until = 50}, {.v = huge}).find(words), std::string::npos);
    EXPECT_NE(refused(Domain::line(64, 0.5), {}, {.v = huge}).find(words), std::string::npos);  // not "at rest"
    EXPECT_NE(refused(Domain::line(64, 0.5), {.noise = 50, .until = 50}).find(words), std::string::npos);
    // The start of w acts as a current: the limit of the step has it, and nothing grows
    for (const double w : {10.0, -10.0}) {
        const std::vector<double> start(64, w);
        const Result result = simulate(Domain::line(64, 0.5), {.until = 50}, {}, {.w = start});
        EXPECT_LT(result.step_limit, 2 / 16.99);
        EXPECT_LT(std::abs(result.largest), 20);
        EXPECT_LT(std::abs(result.smallest), 20);
    }
}

TEST(WavesDoor, ManyMoreStepsThanTheBudget) {
    const Graph stiff{{0, 1, 2}, {1, 0}, {1e30F, 1e30F}};
    const Result result = simulate(Domain::on(stiff), {.scheme = Scheme::heun, .until = 1, .steps = 100});
    EXPECT_EQ(result.stopped, Stopped::budget);
    EXPECT_EQ(result.iterations, 100);
}

TEST(WavesDoor, GraphsMustHaveConductances) {
    const Graph uneven{{0, 1, 2}, {1, 0}, {1, 2}};
    EXPECT_NE(refused(Domain::on(uneven), {}).find("edge 0 - 1 has weight 1 and its reverse 2"), std::string::npos);
    const Graph negative{{0, 1, 2}, {1, 0}, {-1, -1}}, one_way{{0, 1, 1}, {1}, {1}};
    EXPECT_NE(refused(Domain::on(negative), {}).find("edge 0 - 1"), std::string::npos);
    EXPECT_NE(refused(Domain::on(one_way), {}).find("no edge back"), std::string::npos);
}

TEST(WavesDoor, SmallGraphs) {
    const Graph none, single{{0, 0}, {}, {}};
    EXPECT_TRUE(simulate(Domain::on(none), {}).field.v.empty());
    EXPECT_EQ(
        simulate(Domain::on(single), {.model = Model::diffusion, .until = 3}, {}, {.v = std::vector{2.0}}).field.v[0],
        2.0);
    EXPECT_TRUE(activation_matrix(Domain::on(none), {}).empty());
}

TEST(WavesStop, AtRestOrAtTheEndOfTheBudget) {
    const Given given{.stimuli = {{.vertex = 0, .to = 10}}};
    const Result rest = simulate(Domain::line(40), {}, {}, given);
    EXPECT_EQ(rest.stopped, Stopped::converged);
    EXPECT_LT(rest.largest, 1e-3);
    EXPECT_LT(*std::max_element(rest.activation.begin(), rest.activation.end()), 200);
    const Result budget = simulate(Domain::line(40), {.steps = 10}, {}, given);
    EXPECT_EQ(budget.stopped, Stopped::budget);
    EXPECT_EQ(budget.iterations, 10);
    // Nothing happens before a late stimulus, and it is awaited
    const Result late = simulate(Domain::line(40), {}, {}, {.stimuli = {{.vertex = 0, .from = 300, .to = 310}}});
    EXPECT_GE(late.activation[0], 299);
    EXPECT_LT(late.activation[39], never);
}

TEST(WavesStop, CancelledRunsReturnAWholeStep) {
    std::stop_source stop;
    dunlin::Run run{.stop = stop.get_token()};
    run.on_progress = [&](const Progress& progress) {
        if (progress.done >= 64) stop.request_stop();
    };
    const Result result = simulate(Domain::line(3000), {.until = 1e5}, run, {.stimuli = {{.vertex = 0, .to = 10}}});
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_FALSE(result.varies_because.empty());
    for (const double time : result.activation) EXPECT_TRUE(time == never || time <= result.time);
}

TEST(WavesActivation, DisconnectedPartsAreNeverReached) {
    const Graph pairs{{0, 1, 2, 3, 4}, {1, 0, 3, 2}, {1, 1, 1, 1}};
    const Given given{.stimuli = {{.vertex = 0, .to = 20}}};
    const Result result = simulate(Domain::on(pairs), {}, {}, given);
    EXPECT_EQ(result.activation[0], 0);
    EXPECT_LT(result.activation[1], 10);
    EXPECT_EQ(result.activation[2], never);
    EXPECT_NE(refusal(Fault::bad_input, [&] { (void)activation_matrix(Domain::on(pairs), {}, {}, {.to = 20}); })
                  .find("never activates vertex 2"),
              std::string::npos);
}

TEST(WavesActivation, MatrixIsTheMeanOfBothDirections) {
    // A path with one weak edge
    const Graph path{{0, 1, 3, 4}, {1, 0, 2, 1}, {1, 1, 0.5F, 0.5F}};
    const Stimulus stimulus{.to = 20};
    const std::vector<float> matrix = activation_matrix(Domain::on(path), {}, {.threads = 2}, stimulus);
    ASSERT_EQ(matrix.size(), 9U);
    std::vector<std::vector<double>> times;
    for (Index i = 0; i < 3; ++i)
        times.push_back(simulate(Domain::on(path), {}, {}, {.stimuli = {{.vertex = i, .to = 20}}}).activation);
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            const double mean = i == j ? 0 : (times[i][j] + times[j][i]) / 2;
            EXPECT_NEAR(static_cast<double>(matrix[3 * i + j]), mean, 1e-6 * (1 + mean));
            EXPECT_EQ(matrix[3 * i + j], matrix[3 * j + i]);
        }
    }
    EXPECT_EQ(matrix, activation_matrix(Domain::on(path), {}, {.threads = 1}, stimulus));
}

TEST(WavesSpeed, OfTheLongestMonotoneRun) {
    std::vector<double> times;
    for (int i = 0; i < 40; ++i) times.push_back(std::abs(i - 10) * 0.5);  // two fronts from node 10, speed 2 dx
    EXPECT_NEAR(*front_speed(times, 3), 6, 1e-12);
    std::fill(times.begin() + 12, times.end(), never);
    EXPECT_NEAR(*front_speed(times, 1), 2, 1e-12);
    EXPECT_FALSE(front_speed(std::vector<double>(50, never), 1));
    EXPECT_FALSE(front_speed({}, 1));
    EXPECT_FALSE(front_speed(std::vector<double>{1, 2, 3, 4}, 1));
}

}  // namespace
}  // namespace dunlin::waves
