// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "device/cpu.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::progress {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

TEST(Cancellation, AStopBeforeTheWorkLeavesItOut) {
    std::stop_source source;
    source.request_stop();
    bool worked = false;
    EXPECT_FALSE(run_cancellable(source.get_token(), [&] { worked = true; }));
    EXPECT_FALSE(worked);
}

TEST(Cancellation, WhatIsUncancellableIsDoneWhole) {
    std::stop_source source;
    device::Cpu cpu(2);
    std::vector<int> moved(100000, 0);
    bool went_on = false;
    const bool done = run_cancellable(source.get_token(), [&] {
        source.request_stop();
        {
            const Uncancellable whole;
            cpu.each(std::ssize(moved), [&](Offset i) { moved[static_cast<std::size_t>(i)] = 1; }, 16);
        }
        cancellation_point();
        went_on = true;
    });
    EXPECT_FALSE(done);
    EXPECT_FALSE(went_on);
    EXPECT_EQ(std::count(moved.begin(), moved.end(), 1), std::ssize(moved));
}

TEST(Cancellation, ALongStepRepeatsItsLastProgress) {
    std::vector<Offset> told;
    const dunlin::Run run{.on_progress = [&](const Progress& p) { told.push_back(p.done); }};
    {
        ProgressReporter reporter(run, "step", 3);
        reporter.tick(1);
        for (const Clock::time_point begin = Clock::now(); seconds_since(begin) < 0.4;) {
            cancellation_point();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    ASSERT_GE(told.size(), 4U);  // at the begin, and more often than every 0.13 s
    EXPECT_EQ(told.front(), 0);
    EXPECT_EQ(told.back(), 1);
    const std::size_t before = told.size();
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    cancellation_point();
    EXPECT_EQ(told.size(), before) << "a reporter that is gone told something";
}

TEST(Cancellation, ProgressComesFromTheCallersThreadAloneAndWhileOthersWorkLonger) {
    const auto caller = std::this_thread::get_id();
    int told = 0;
    bool others = false;
    const dunlin::Run run{.on_progress = [&](const Progress&) {
        ++told;
        others = others || std::this_thread::get_id() != caller;
    }};
    device::Cpu cpu(2);
    cpu.each(64, [](Offset) { std::this_thread::sleep_for(std::chrono::microseconds(300)); }, 1);  // threads start
    ProgressReporter reporter(run, "step", 1);
    cpu.blocks(2, 1, [&](Offset, Offset, int worker) {
        if (worker != 0) std::this_thread::sleep_for(std::chrono::milliseconds(400));
    });
    EXPECT_FALSE(others);
    EXPECT_GE(told, 1);
}

}  // namespace
}  // namespace dunlin::progress
