// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <dunlin/run.hpp>

/// Memory is estimated before it is allocated.
namespace dunlin::device {

/// Bytes of host memory that a process can still allocate (MemAvailable, or the control group's limit if lower).
std::uint64_t free_memory();

/// Throws Error{out_of_memory} if `bytes` for `what` exceed run.memory, or the free memory if run.memory is 0. The
/// sentence states the needed and the available memory and the remedy: `remedy`, or more memory.
void require_memory(const Run& run, std::uint64_t bytes, std::string_view what,
                    std::string_view remedy = "use fewer points");

}  // namespace dunlin::device
