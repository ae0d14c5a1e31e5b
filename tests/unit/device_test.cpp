// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "device/cpu.hpp"
#include "progress/cancel.hpp"

namespace dunlin::device {
namespace {

TEST(Cpu, EachVisitsEveryItemOnce) {
    for (const int threads : {1, 2, 3}) {
        Cpu cpu(threads);
        for (const Offset n : {0, 1, 2, 31, 4096, 4097, 70001}) {
            std::vector<int> visits(static_cast<std::size_t>(n));
            cpu.each(n, [&](Offset i) { ++visits[static_cast<std::size_t>(i)]; });
            EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int v) { return v == 1; })) << n;
        }
    }
}

TEST(Cpu, SumHasTheSameBitsForAnyNumberOfThreads) {
    const auto term = [](Offset i) { return 1.0 / static_cast<double>(i + 1); };
    Cell<double> one, two, three;
    Cpu(1).sum(1000003, term, one);
    Cpu(2).sum(1000003, term, two);
    Cpu(3).sum(1000003, term, three);
    EXPECT_EQ(one.value, two.value);
    EXPECT_EQ(one.value, three.value);
    EXPECT_NEAR(one.value, 14.392729, 1e-6);
}

TEST(Cpu, AnExceptionInABlockReachesTheCallerAndThePoolLivesOn) {
    Cpu cpu(2);
    EXPECT_THROW(cpu.each(100000,
                          [](Offset i) {
                              if (i == 54321) throw std::runtime_error("x");
                          }),
                 std::runtime_error);
    Cell<double> total;
    cpu.sum(1000, [](Offset) { return 1.0; }, total);
    EXPECT_EQ(total.value, 1000);
}

TEST(Cpu, LoopsAreCancelledOnlyWithinAScope) {
    std::stop_source source;
    Cpu cpu(3);
    std::atomic<int> done = 0;
    const auto loop = [&] {
        cpu.each(
            1000,
            [&](Offset) {
                ++done;
                source.request_stop();
            },
            1);
    };
    EXPECT_FALSE(progress::run_cancellable(source.get_token(), loop));
    EXPECT_LE(done, cpu.threads());  // only blocks that had begun
    done = 0;
    loop();  // out of scope
    EXPECT_EQ(done, 1000);
    // A scope without a stop state leaves the outer stop active, and does not handle it
    EXPECT_FALSE(progress::run_cancellable(source.get_token(), [&] {
        progress::run_cancellable({}, loop);
        ADD_FAILURE() << "the outer stop was not heard";
    }));
    EXPECT_EQ(done, 1000);
    EXPECT_TRUE(progress::run_cancellable({}, loop));
}

TEST(Cpu, ManySmallLoopsDoNotHang) {
    Cpu cpu(3);
    Cell<double> total;
    for (int round = 0; round < 20000; ++round) cpu.sum(64, [](Offset) { return 1.0; }, total, 8);
    EXPECT_EQ(total.value, 64);
}

}  // namespace
}  // namespace dunlin::device
