// SPDX-License-Identifier: Apache-2.0
#include <dunlin/threads.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include <dunlin/error.hpp>

#include "device/cpu.hpp"
#include "device/threads.hpp"
#include "made_root.hpp"
#include "refusal.hpp"
#include "tasks.hpp"

namespace dunlin::device {
namespace {

class Quota : public InMadeRoot {
protected:
    [[nodiscard]] int quota() const { return quota_threads(folder_); }
    [[nodiscard]] int quota_of(const std::string& cpu_max) const {
        write("sys/fs/cgroup/cpu.max", cpu_max);
        return quota();
    }
};

TEST_F(Quota, OfVersion2IsRoundedUpAndAtLeastOne) {
    is_in("0::/\n");
    EXPECT_EQ(quota_of("max 100000\n"), 0);
    EXPECT_EQ(quota_of("200000 100000\n"), 2);
    EXPECT_EQ(quota_of("200001 100000\n"), 3);
    EXPECT_EQ(quota_of("1000 100000\n"), 1);
}

TEST_F(Quota, TheLeastOfAGroupAndThoseAboveItCounts) {
    is_in("0::/user/job\n");
    write("sys/fs/cgroup/user/job/cpu.max", "800000 100000\n");
    EXPECT_EQ(quota(), 8);
    write("sys/fs/cgroup/user/cpu.max", "250000 100000\n");
    EXPECT_EQ(quota(), 3);
    EXPECT_EQ(quota_of("max 100000\n"), 3);
}

TEST_F(Quota, OfVersion1IsThatOfTheCpuController) {
    is_in("5:cpuset:/other\n4:cpu,cpuacct:/job\n1:name=systemd:/x\n");
    write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
    write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota(), 0);
    write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "350000\n");
    EXPECT_EQ(quota(), 4);
}

TEST_F(Quota, InAContainerThePathOfTheHostMayBeMissing) {
    is_in("4:cpu:/docker/0123\n");
    write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
    write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota(), 1);
}

TEST_F(Quota, FilesThatAreMissingOrNonsenseAreNone) {
    EXPECT_EQ(quota(), 0);
    is_in("nonsense\n0::\n");
    EXPECT_EQ(quota_of("many few\n"), 0);
    EXPECT_EQ(quota_of("100000 0\n"), 0);
}

/// Restores the limit of the process.
class Limit {
public:
    Limit() : before_(thread_limit()) {}
    ~Limit() { set_thread_limit(before_); }
    Limit(const Limit&) = delete;
    Limit& operator=(const Limit&) = delete;
    Limit(Limit&&) = delete;
    Limit& operator=(Limit&&) = delete;

private:
    int before_;
};

TEST(Threads, TheLimitOfTheProcessHoldsForDefaultsAndForWishes) {
    const Limit restored;
    set_thread_limit(0);
    EXPECT_EQ(usable_threads(7), 7);
    EXPECT_LE(usable_threads(), affinity_threads());
    EXPECT_GE(usable_threads(), 1);
    set_thread_limit(3);
    EXPECT_EQ(thread_limit(), 3);
    EXPECT_EQ(usable_threads(7), 3);
    EXPECT_EQ(usable_threads(2), 2);
    EXPECT_EQ(Cpu(7).threads(), 3);
    set_thread_limit(1);
    EXPECT_EQ(usable_threads(), 1);
    EXPECT_NE(refusal(Fault::bad_input, [] { set_thread_limit(-1); }).find("-1"), std::string::npos);
}

TEST(Threads, SmallLoopsStartNone) {
    if (!tasks_are_told()) GTEST_SKIP() << "/proc is not mounted";
    const Limit restored;
    set_thread_limit(0);
    Cpu cpu(4);
    const std::ptrdiff_t before = tasks_of_this_process();
    std::vector<int> seen(100, 0);
    cpu.each(100, [&](Offset i) { ++seen[static_cast<std::size_t>(i)]; }, 1);
    EXPECT_EQ(tasks_of_this_process(), before);
    EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), 100);
}

TEST(Threads, ALoopThatTakesLongStartsThemAllAndDoesEveryBlockOnce) {
    if (!tasks_are_told()) GTEST_SKIP() << "/proc is not mounted";
    const Limit restored;
    set_thread_limit(0);
    Cpu cpu(4);
    const std::ptrdiff_t before = tasks_of_this_process();
    std::vector<double> sums(64, 0.0);
    cpu.each(
        64,
        [&](Offset i) {
            for (int k = 1; k < 300000; ++k) sums[static_cast<std::size_t>(i)] += 1.0 / k;
        },
        1);
    EXPECT_EQ(tasks_of_this_process(), before + 3);
    for (const double sum : sums) EXPECT_EQ(sum, sums[0]);
}

}  // namespace
}  // namespace dunlin::device
