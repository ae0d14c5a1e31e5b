// SPDX-License-Identifier: Apache-2.0
#include "io/memory.hpp"

#include <atomic>

#include <dunlin/run.hpp>

#include "device/memory.hpp"
#include "io/read_progress.hpp"

namespace dunlin::io {

namespace {

constexpr std::uint64_t always_granted = std::uint64_t{64} << 20;
std::atomic<std::uint64_t> limit{0};

}  // namespace

void require_memory(std::uint64_t bytes, const std::string& what, std::uint64_t held) {
    Run run;
    run.memory = ReadScope::memory() != 0 ? ReadScope::memory() : limit.load();
    if (run.memory == 0 && bytes <= always_granted) return;
    device::require_memory(run, run.memory == 0 ? bytes : held + bytes, what, "use a smaller file");
}

void set_memory_limit(std::uint64_t bytes) { limit = bytes; }

}  // namespace dunlin::io
