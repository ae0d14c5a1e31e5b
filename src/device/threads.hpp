// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

/// Limits of the CPU threads of this process; <dunlin/threads.hpp> has the resulting number.
namespace dunlin::device {

/// CPUs in the calling thread's affinity mask, at least 1.
int affinity_threads();

/// CPU quota of the control groups of this process, rounded up, at least 1; 0: no quota. The quotas of a group and of
/// its ancestors all apply, so the smallest counts. `root` contains proc/self/cgroup and sys/fs/cgroup; tests pass
/// their own folder.
int quota_threads(const std::filesystem::path& root = "/");

}  // namespace dunlin::device
