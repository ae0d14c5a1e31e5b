// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <dunlin/run.hpp>

/// Memory is estimated before it is taken.
namespace dunlin::device {

/// Bytes of host memory that a process could still take (MemAvailable, or the control group's limit if lower).
std::uint64_t free_memory();

/// Throws Error{out_of_memory} if `bytes` for `what` are more than run.memory, or than is free when run.memory is 0;
/// the sentence says how much is wanted, how much there is, and what would help: `remedy`, beside more memory.
void require_memory(const Run& run, std::uint64_t bytes, std::string_view what,
                    std::string_view remedy = "use fewer points");

}  // namespace dunlin::device
