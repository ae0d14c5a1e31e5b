// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

/// What limits the CPU threads of this process; <dunlin/threads.hpp> has the number that follows.
namespace dunlin::device {

/// CPUs in the calling thread's affinity mask, at least 1.
int affinity_threads();

/// CPUs that the control groups of this process grant, rounded up, at least 1; 0: no quota. `root` holds
/// proc/self/cgroup and sys/fs/cgroup; tests give a folder of their own. The quotas of a group and of those above it
/// hold together, so the least one counts.
int quota_threads(const std::filesystem::path& root = "/");

}  // namespace dunlin::device
