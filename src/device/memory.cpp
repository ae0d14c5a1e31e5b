// SPDX-License-Identifier: Apache-2.0
#include "device/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#include <dunlin/error.hpp>

#include "device/control_groups.hpp"

namespace dunlin::device {

namespace {

namespace fs = std::filesystem;

/// The number after a name in a file of lines "NAME: NUMBER" or "NAME NUMBER"; none if the name is not there.
std::optional<double> number_of(const fs::path& path, std::string_view name) {
    std::ifstream file(path);
    std::string word;
    for (double number = 0; file >> word >> number; std::getline(file, word)) {
        if (word == name) return number;
    }
    return {};
}

std::optional<double> number_in(const fs::path& path) {
    std::ifstream file(path);
    double number = 0;
    return file >> number ? std::optional(number) : std::nullopt;
}

double free_in_system(const fs::path& root) {
    if (const auto kib = number_of(root / "proc/meminfo", "MemAvailable:")) return *kib * 1024;
    struct sysinfo system{};  // no /proc is mounted: all memory is a bound of what is available
    if (sysinfo(&system) == 0) return static_cast<double>(system.totalram) * system.mem_unit;
    return no_limit;
}

/// What a group leaves. Copies of files that are not in use are given up where memory is needed.
double free_in_group(const fs::path& group, const char* limit, const char* used, std::string_view copies) {
    const auto most = number_in(group / limit), now = number_in(group / used);
    if (!most) return no_limit;
    return std::max(0.0, *most - now.value_or(0) + number_of(group / "memory.stat", copies).value_or(0));
}

double free_in_v1(const fs::path& group) {
    return free_in_group(group, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file");
}

/// memory.max holds "max" if there is no limit.
double free_in_v2(const fs::path& group) {
    return free_in_group(group, "memory.max", "memory.current", "inactive_file");
}

double free_in_address_space(const fs::path& root) {
    rlimit most{};
    if (getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur == RLIM_INFINITY) return no_limit;
    const double pages = number_in(root / "proc/self/statm").value_or(0);
    return std::max(0.0, static_cast<double>(most.rlim_cur) - pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
}

std::string readable(std::uint64_t bytes) {
    const auto value = static_cast<double>(bytes);
    return value < 1e8 ? fmt::format("{:.3f} MB", value / 1e6) : fmt::format("{:.2f} GB", value / 1e9);
}

}  // namespace

std::uint64_t free_memory(const fs::path& root) {
    const double least = std::min(
        {free_in_system(root), least_group_limit(root, "memory", free_in_v1, free_in_v2), free_in_address_space(root)});
    return static_cast<std::uint64_t>(std::min(least, 0x1p63));
}

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
