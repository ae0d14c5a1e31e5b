// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "cases/cancellable_stages.hpp"
#include "tasks.hpp"

namespace dunlin {
namespace {

using namespace cancellable;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Every stage, stopped from its own progress

/// Requests a stop at the `at`-th progress report and counts the reports.
struct Stopper {
    int at;
    std::stop_source source = {};
    int reports = 0;
    Clock::time_point requested = {};

    Run run() {
        return {
            .device = Device::cpu, .threads = 2, .stop = source.get_token(), .on_progress = [this](const Progress&) {
                if (++reports != at) return;
                requested = Clock::now();
                source.request_stop();
            }};
    }
};

/// Every case must end soon after the request: within a second, a bound for busy machines, and with few calls of
/// on_progress, which are at least 50 ms apart or announce another stage.
void expect_ends_soon(const StageCases& cases) {
    for (const StageCase& one : cases) {
        const Work work = one.prepare();
        for (const int at : {1, 2, 4}) {
            Stopper stopper{at};
            EXPECT_EQ(work(stopper.run()), "") << one.name;
            ASSERT_GE(stopper.reports, 1) << one.name << " reported nothing";
            if (stopper.reports < at) continue;  // it was finished before
            EXPECT_LT(seconds_since(stopper.requested), 1) << one.name << ", stopped at report " << at;
            EXPECT_LE(stopper.reports, at + 6) << one.name;
        }
    }
}

TEST(Cancellation, EndsASearchAndItsResultIsEmpty) { expect_ends_soon(searches(InputSize::test)); }

TEST(Cancellation, EndsTsneInEveryStageWithAFiniteMap) { expect_ends_soon(tsne_stages(InputSize::test)); }

TEST(Cancellation, EndsLayoutsOfAllMethodsWithAMap) { expect_ends_soon(layouts(InputSize::test)); }

TEST(Cancellation, EndsScalingByAllMethods) { expect_ends_soon(scalings(InputSize::test)); }

TEST(Cancellation, EndsClusteringAndScores) {
    expect_ends_soon(clusterings(InputSize::test));
    expect_ends_soon(score_stages(InputSize::test));
}

TEST(Cancellation, EndsTrainingsWithAMapOfTheModel) { expect_ends_soon(trainings(InputSize::test)); }

TEST(Threads, KmeansOfAFewRowsStartsNone) {
    if (!tasks_are_told()) GTEST_SKIP() << "/proc is not mounted";
    const std::vector<float> points = {0, 0, 1, 0, 9, 9, 9, 8};
    std::ptrdiff_t most = 0;
    const dunlin::Run run{.device = Device::cpu, .threads = 8, .on_progress = [&](const Progress&) {
                              most = std::max(most, tasks_of_this_process());
                          }};
    const std::ptrdiff_t before = tasks_of_this_process();
    kmeans::cluster({points.data(), 4, 2}, {.clusters = 2}, run);
    EXPECT_EQ(most, before);
}

}  // namespace
}  // namespace dunlin
