// SPDX-License-Identifier: Apache-2.0
#include "device/address_space.hpp"

#include <dunlin/fewer_threads.hpp>

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>

#include "device/memory.hpp"

namespace dunlin::device {

namespace {

std::atomic<int> had_threads{0}, wanted_threads{0};

int measure() {
    constexpr std::size_t stack = std::size_t{8} << 20;
    if (!limits_address_space()) return no_thread_limit;
    const std::uint64_t threads = free_memory() / 2 / (blas_buffer + stack);
    return static_cast<int>(std::clamp<std::uint64_t>(threads, 1, no_thread_limit));
}

}  // namespace

bool limits_address_space() {
    rlimit most{};
    return getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur != RLIM_INFINITY;
}

int threads_in_address_space() {
    static const int threads = measure();
    return threads;
}

void note_missing_threads(int had, int wanted) {
    had_threads = had;
    wanted_threads = wanted;
}

}  // namespace dunlin::device

namespace dunlin {

std::string why_fewer_threads() {
    using namespace device;
    if (const int wanted = wanted_threads; wanted > 0)
        return fmt::format("{} of {} threads could be had (ulimit -v, ulimit -u or a control group)",
                           had_threads.load(), wanted);
    return {};
}

}  // namespace dunlin
