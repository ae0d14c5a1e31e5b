// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include <dunlin/run.hpp>

/// Memory is estimated before it is allocated.
namespace dunlin::device {

/// Bytes of host memory that the process can still allocate: the least of what the system has (MemAvailable), what its
/// control groups leave, and what its address space leaves (RLIMIT_AS). It may refuse work, but must not choose how
/// work is done, or results would depend on it. root: the folder that holds proc and sys.
std::uint64_t free_memory(const std::filesystem::path& root = "/");

/// Throws Error{out_of_memory} if `bytes` for `what` exceed run.memory, if that is given, or the free memory. The
/// sentence states the needed and the available memory and the remedy: `remedy`, or more memory.
void require_memory(const Run& run, std::uint64_t bytes, std::string_view what,
                    std::string_view remedy = "use fewer points");

}  // namespace dunlin::device
