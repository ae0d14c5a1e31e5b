// SPDX-License-Identifier: Apache-2.0
#include "device/memory.hpp"

#include <fmt/format.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <dunlin/error.hpp>

namespace dunlin::device {

namespace {

std::uint64_t available_in_system() {
    std::ifstream file("/proc/meminfo");
    std::string key, unit;
    for (std::uint64_t kib = 0; file >> key >> kib; std::getline(file, unit)) {
        if (key == "MemAvailable:") return kib * 1024;
    }
    struct sysinfo system{};  // no /proc is mounted: all memory is a bound of what is available
    if (sysinfo(&system) == 0) return std::uint64_t{system.totalram} * system.mem_unit;
    return std::numeric_limits<std::uint64_t>::max();
}

/// Version 2 control groups; the file contains "max" if there is no limit.
std::uint64_t available_in_group() {
    std::uint64_t limit = 0, used = 0;
    if (!(std::ifstream("/sys/fs/cgroup/memory.max") >> limit)) return std::numeric_limits<std::uint64_t>::max();
    if (!(std::ifstream("/sys/fs/cgroup/memory.current") >> used)) return limit;
    return limit > used ? limit - used : 0;
}

std::string readable(std::uint64_t bytes) {
    const auto value = static_cast<double>(bytes);
    return value < 1e8 ? fmt::format("{:.3f} MB", value / 1e6) : fmt::format("{:.2f} GB", value / 1e9);
}

}  // namespace

std::uint64_t free_memory() { return std::min(available_in_system(), available_in_group()); }

void require_memory(const Run& run, std::uint64_t bytes, std::string_view what, std::string_view remedy) {
    constexpr std::uint64_t small = 16 << 20;  // reading what is free takes longer than small inputs
    if (run.memory == 0 && bytes < small) return;
    const std::uint64_t limit = run.memory > 0 ? run.memory : free_memory();
    if (bytes <= limit) return;
    const std::string help =
        run.memory > 0 ? fmt::format("raise memory or {}", remedy) : fmt::format("{} or a larger machine", remedy);
    throw Error(Fault::out_of_memory,
                fmt::format("{} needs {} of memory and {} are {}; {}", what, readable(bytes), readable(limit),
                            run.memory > 0 ? "allowed" : "free", help),
                {.option = run.memory > 0 ? "memory" : ""});
}

}  // namespace dunlin::device
