// SPDX-License-Identifier: Apache-2.0
#include "memory_at_start.hpp"

namespace dunlin::app {

namespace {

MemoryLimit noted;

}  // namespace

void note_memory_at_start(std::uint64_t allowed) { noted = memory_limit(allowed); }

MemoryLimit memory_at_start() { return noted; }

}  // namespace dunlin::app
