// SPDX-License-Identifier: Apache-2.0
// The memory that a process may take, by files of a made root folder.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <string>

#include <dunlin/error.hpp>

#include "device/memory.hpp"
#include "device/memory_limit.hpp"
#include "made_root.hpp"
#include "refusal.hpp"

namespace dunlin::device {
namespace {

class FreeMemory : public InMadeRoot {
protected:
    /// A system with 4 GiB available, and a process in the group of a job.
    void SetUp() override {
        InMadeRoot::SetUp();
        write("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable:    4194304 kB\n");
        is_in("0::/user/job\n");
    }
    [[nodiscard]] std::uint64_t free() const { return free_memory(folder_); }
    [[nodiscard]] std::string limit(std::uint64_t allowed = 0) const { return least_memory(allowed, folder_).by; }
};

constexpr std::uint64_t mebi = 1 << 20;

TEST_F(FreeMemory, IsWhatTheSystemHasAvailable) { EXPECT_EQ(free(), 4096 * mebi); }

TEST_F(FreeMemory, IsTheLeastThatNestedGroupsOfVersion2Leave) {
    write("sys/fs/cgroup/user/job/memory.max", "max\n");
    write("sys/fs/cgroup/user/job/memory.current", "1048576\n");
    EXPECT_EQ(free(), 4096 * mebi);
    write("sys/fs/cgroup/user/memory.max", "1073741824\n");
    write("sys/fs/cgroup/user/memory.current", "536870912\n");
    EXPECT_EQ(free(), 512 * mebi);
    write("sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 104857600\n");
    EXPECT_EQ(free(), 612 * mebi);
    write("sys/fs/cgroup/user/job/memory.max", "2097152\n");
    EXPECT_EQ(free(), mebi);
    write("sys/fs/cgroup/user/job/memory.current", "4194304\n");
    EXPECT_EQ(free(), 0U);
}

TEST_F(FreeMemory, GroupsOfVersion1CountToo) {
    is_in("9:cpu:/job\n3:memory:/slurm/job_1\n");
    write("sys/fs/cgroup/memory/slurm/job_1/memory.limit_in_bytes", "268435456\n");
    write("sys/fs/cgroup/memory/slurm/job_1/memory.usage_in_bytes", "134217728\n");
    EXPECT_EQ(free(), 128 * mebi);
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write("sys/fs/cgroup/memory/memory.usage_in_bytes", "268435456\n");
    EXPECT_EQ(free(), 128 * mebi);
}

TEST_F(FreeMemory, TheAddressSpaceIsALimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer has terabytes of address space";
#endif
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
    write("proc/self/statm", "1000 10 10\n");
    const rlimit less{1000 * 4096 + 64 * mebi, before.rlim_max};
    if (setrlimit(RLIMIT_AS, &less) != 0) GTEST_SKIP() << "the address space cannot be limited here";
    const std::uint64_t found = free();
    setrlimit(RLIMIT_AS, &before);
    EXPECT_EQ(found, 64 * mebi);
}

TEST_F(FreeMemory, TheLeastLimitIsNamed) {
    EXPECT_EQ(limit(), "free memory of the system");
    EXPECT_EQ(limit(4096 * mebi), "the option memory");
    EXPECT_EQ(limit(4097 * mebi), "free memory of the system");
    write("sys/fs/cgroup/user/memory.max", "2097152\n");
    EXPECT_EQ(limit(4096 * mebi), "control group, version 2");
    EXPECT_EQ(least_memory(4096 * mebi, folder_).bytes, 2 * mebi);
    is_in("3:memory:/job\n");
    write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1048576\n");
    EXPECT_EQ(limit(2 * mebi), "control group, version 1");
    EXPECT_EQ(limit(mebi - 1), "the option memory");
}

TEST(RequiredMemory, BeyondTheFreeMemoryIsRefusedWhateverIsAllowed) {
    constexpr std::uint64_t petabyte = 1'000'000'000'000'000;
    const std::string free =
        refusal(Fault::out_of_memory, [] { require_memory({.memory = petabyte}, petabyte, "it"); });
    EXPECT_NE(free.find("are free ("), std::string::npos) << free;
    const std::string allowed = refusal(Fault::out_of_memory, [] { require_memory({.memory = 1000}, 1001, "it"); });
    EXPECT_NE(allowed.find("are allowed; raise memory"), std::string::npos) << allowed;
}

}  // namespace
}  // namespace dunlin::device
