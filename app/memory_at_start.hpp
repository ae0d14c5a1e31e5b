// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/memory_limit.hpp>

namespace dunlin::app {

/// Remembers what limits the memory of the command, before it takes any. allowed: --memory; 0: none given.
void note_memory_at_start(std::uint64_t allowed);

MemoryLimit memory_at_start();

}  // namespace dunlin::app
