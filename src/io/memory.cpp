// SPDX-License-Identifier: Apache-2.0
#include "io/memory.hpp"

#include <atomic>

#include <dunlin/run.hpp>

#include "device/memory.hpp"
#include "device/memory_limit.hpp"
#include "io/read_progress.hpp"

namespace dunlin::io {

namespace {

constexpr std::uint64_t always_granted = std::uint64_t{64} << 20;
std::atomic<std::uint64_t> limit{0};

/// The limit of the reader of this thread; 0: none.
std::uint64_t memory_of_reader() { return ReadScope::memory() != 0 ? ReadScope::memory() : limit.load(); }

}  // namespace

void require_memory(std::uint64_t bytes, const std::string& what, std::uint64_t held) {
    Run run;
    run.memory = memory_of_reader();
    constexpr const char* remedy = "use a smaller file";
    device::require_allowed(run, held + bytes, what, remedy);
    if (bytes > always_granted) device::require_free(bytes, what, remedy);
}

bool leaves_most_memory(std::uint64_t bytes) {
    constexpr std::uint64_t share = 4;
    const std::uint64_t most = memory_of_reader();
    if (most == 0 && bytes <= always_granted) return true;
    return bytes <= (most != 0 ? most : device::free_memory()) / share;
}

void set_memory_limit(std::uint64_t bytes) { limit = bytes; }

}  // namespace dunlin::io
