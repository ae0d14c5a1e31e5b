// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace dunlin::io {

/// Throws Error{out_of_memory} if `bytes` for `what` cannot be had. Requests of up to 64 MiB are not checked, unless a
/// limit is set.
void require_memory(std::uint64_t bytes, const std::string& what);

/// Sets the largest request that require_memory grants, for fuzzers; 0: the free memory of the machine.
void set_memory_limit(std::uint64_t bytes);

}  // namespace dunlin::io
