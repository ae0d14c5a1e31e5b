// SPDX-License-Identifier: Apache-2.0
#include "run/loop.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/session.hpp"
#include "device/cpu.hpp"
#include "folder.hpp"
#include "refusal.hpp"
#include "run/buffer_map.hpp"
#include "run/kept.hpp"

namespace dunlin::run {
namespace {

using Run = dunlin::Run;

class RunLoop : public InFolder {
protected:
    using Run = dunlin::Run;  // which testing::Test::Run would hide
};

/// A sum of the iterations so far, which an iteration changes in two halves.
struct Sum {
    static constexpr bool on_cpu = true;
    int& value;
    void write(checkpoint::ArchiveWriter& archive) const { archive(value); }
    void read(checkpoint::ArchiveReader& archive) const { archive(value); }
};

/// How a loop of `limit` iterations over a sum is run.
struct Plan {
    Offset limit = 10;
    Offset stop_within = -1;  ///< the iteration in which a stop is requested, after half of it
    Offset settles = -1, settles_after = -1;
    Offset strides = 1;
};

struct Counted {
    Ending ending;
    int sum = 0;
    std::vector<Offset> begun;  ///< iterations
};

Counted count(Run run, const Plan& plan, Cancelled cancelled = Cancelled::changes_state) {
    std::stop_source source;
    run.stop = source.get_token();
    const checkpoint::Session session(run, "counting", [](checkpoint::Key&) {});
    Counted counted;
    Kept state(Sum{counted.sum}, cancelled);
    Loop loop(run, {"count", "count", plan.limit}, state);
    while (loop.next()) {
        loop.step([&](Offset t) {
            counted.begun.push_back(t);
            if (t == plan.settles) return loop.settled();
            counted.sum += static_cast<int>(t);
            if (t == plan.stop_within) source.request_stop();
            progress::cancellation_point();
            counted.sum += 1000;
            loop.advances(plan.strides);
            if (t == plan.settles_after) loop.settled_after();
        });
    }
    counted.ending = loop.ending();
    return counted;
}

TEST_F(RunLoop, EndsAtItsLimit) {
    const Counted all = count({}, {});
    EXPECT_EQ(all.ending.iterations, 10);
    EXPECT_EQ(all.ending.stopped, Stopped::budget);
    EXPECT_EQ(all.sum, 10045);
    const Counted none = count({}, {.limit = 0});
    EXPECT_EQ(none.ending.iterations, 0);
    EXPECT_EQ(none.ending.stopped, Stopped::budget);
    EXPECT_TRUE(none.begun.empty());
}

TEST_F(RunLoop, SettlesBeforeOrAfterAnIteration) {
    const Counted before = count({}, {.settles = 4});
    EXPECT_EQ(before.ending.iterations, 4);
    EXPECT_EQ(before.ending.stopped, Stopped::converged);
    EXPECT_EQ(before.sum, 4006);
    const Counted after = count({}, {.settles_after = 4});
    EXPECT_EQ(after.ending.iterations, 5);
    EXPECT_EQ(after.ending.stopped, Stopped::converged);
    EXPECT_EQ(after.sum, 5010);
}

TEST_F(RunLoop, StepsMayBeOfSeveralIterations) {
    const Counted found = count({}, {.strides = 4});
    EXPECT_EQ(found.begun, (std::vector<Offset>{0, 4, 8}));
    EXPECT_EQ(found.ending.iterations, 12);
}

TEST_F(RunLoop, AStoppedLoopGoesOnFromItsLastWholeIteration) {
    const Counted whole = count({}, {});
    for (const Offset within : {0, 1, 5, 9}) {
        const std::string file = path(std::to_string(within));
        const Counted stopped = count({.checkpoint = file}, {.stop_within = within});
        EXPECT_EQ(stopped.ending.iterations, within);
        EXPECT_EQ(stopped.ending.stopped, Stopped::cancelled);
        const Counted resumed = count({.checkpoint = file, .resume = true}, {});
        EXPECT_EQ(resumed.begun.front(), within);
        EXPECT_EQ(resumed.sum, whole.sum) << within;
        EXPECT_EQ(resumed.ending.iterations, 10);
    }
}

TEST_F(RunLoop, WithoutACopyTheStateIsThatOfTheStop) {
    count({.checkpoint = path("c")}, {.stop_within = 5}, Cancelled::leaves_state);
    // The first half of iteration 5 is in the state, and is done again
    EXPECT_EQ(count({.checkpoint = path("c"), .resume = true}, {}, Cancelled::leaves_state).sum, 10045 + 5);
}

TEST_F(RunLoop, RefusesAStateBeyondItsLimit) {
    count({.checkpoint = path("c")}, {.stop_within = 8});
    const auto refused = refusal([&] { count({.checkpoint = path("c"), .resume = true}, {.limit = 3}); });
    EXPECT_NE(refused.find("iteration"), std::string::npos) << refused;
}

TEST_F(RunLoop, AStepIsCancelledByTheStopOfTheRunOnly) {
    Run run;
    std::stop_source source;
    run.stop = source.get_token();
    source.request_stop();
    int sum = 0, begun = 0;
    Kept state(Sum{sum});
    Loop loop(run, {"count", "", 5}, state);
    EXPECT_FALSE(loop.is_kept());
    while (loop.next()) loop.step([&](Offset) { ++begun; });
    EXPECT_EQ(begun, 0);
    EXPECT_EQ(loop.ending().stopped, Stopped::cancelled);
    EXPECT_EQ(loop.ending().iterations, 0);
}

TEST_F(RunLoop, ReportsEachStage) {
    std::vector<std::pair<Offset, Offset>> seen;
    Run run;
    run.on_progress = [&](const Progress& progress) { seen.emplace_back(progress.done, progress.total); };
    count(run, {});
    ASSERT_GE(seen.size(), 2U);
    EXPECT_EQ(seen.front(), (std::pair<Offset, Offset>{0, 10}));
    EXPECT_EQ(seen.back(), (std::pair<Offset, Offset>{10, 10}));
}

// --- maps

struct Speed {
    float speed = 1;
};
template <class Visit, class S>
void fields(Visit&& visit, S& options) {
    visit(field("speed", options.speed, "step of an iteration").above(0).may_change());
}

/// Three points in the plane that move along the first axis.
std::vector<float> moved(live::Steering* steering, live::Watcher* watcher) {
    device::Cpu cpu(1);
    device::Cpu::Buffer<float> y;
    const std::vector<float> start(6, 0.0F);
    cpu.upload(y, std::span<const float>(start));
    std::optional<live::Steered> steered;
    std::optional<live::Watching> watching;
    if (steering != nullptr) steered.emplace(*steering, 3);
    if (watcher != nullptr) watching.emplace(*watcher, 3);
    const Run run;
    SteeredBufferMap map(cpu, y, 3, 2, Speed{});
    Kept state(checkpoint::Remembered(cpu, y));
    Loop loop(run, {"move", "move", 10}, state, &map);
    while (loop.next()) {
        loop.step([&](Offset) {
            for (std::size_t i = 0; i < 3; ++i) y[2 * i] += map.options().speed;
        });
    }
    return {y.begin(), y.end()};
}

TEST_F(RunLoop, ActsChangeOptionsAndHoldPoints) {
    EXPECT_EQ(moved(nullptr, nullptr), (std::vector<float>{10, 0, 10, 0, 10, 0}));
    live::Steering steering({{.iteration = 2, .verb = live::Verb::set, .option = "speed", .value = 2},
                             {.iteration = 4, .verb = live::Verb::pin, .points = {1}, .places = {-3, 5}},
                             {.iteration = 6, .verb = live::Verb::finish}});
    EXPECT_EQ(moved(&steering, nullptr), (std::vector<float>{10, 0, -3, 5, 10, 0}));
    EXPECT_EQ(steering.left(), 0);
}

TEST_F(RunLoop, ARestartCountsAgain) {
    live::Steering steering({{.iteration = 4, .verb = live::Verb::restart}});
    EXPECT_EQ(moved(&steering, nullptr), (std::vector<float>{14, 0, 14, 0, 14, 0}));
}

TEST_F(RunLoop, WatchersSeeTheFirstAndTheLastMap) {
    class Recorder : public live::Watcher {
    public:
        bool wants() override { return true; }
        void show(const live::Moment& moment) override { seen.emplace_back(moment.iteration, moment.coordinates[0]); }
        std::vector<std::pair<Offset, float>> seen;
    } recorder;
    moved(nullptr, &recorder);
    ASSERT_EQ(recorder.seen.size(), 11U);
    EXPECT_EQ(recorder.seen.front(), (std::pair<Offset, float>{0, 0.0F}));
    EXPECT_EQ(recorder.seen.back(), (std::pair<Offset, float>{10, 10.0F}));
}

}  // namespace
}  // namespace dunlin::run
