// SPDX-License-Identifier: Apache-2.0
#include "device/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include <dunlin/error.hpp>

#include "device/control_groups.hpp"
#include "device/memory_limit.hpp"

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

/// Leaves out the groups of the other version.
double unlimited(const fs::path& /*group*/) { return no_limit; }

}  // namespace

std::uint64_t free_memory(const fs::path& root) { return least_memory(0, root).bytes; }

MemoryLimit least_memory(std::uint64_t allowed, const fs::path& root) {
    const std::pair<double, const char*> limits[] = {
        {allowed > 0 ? static_cast<double>(allowed) : no_limit, "the option memory"},
        {free_in_system(root), "free memory of the system"},
        {least_group_limit(root, "memory", unlimited, free_in_v2), "control group, version 2"},
        {least_group_limit(root, "memory", free_in_v1, unlimited), "control group, version 1"},
        {free_in_address_space(root), "address space (ulimit -v)"}};
    const auto& [bytes, by] = *std::min_element(std::begin(limits), std::end(limits),
                                                [](const auto& a, const auto& b) { return a.first < b.first; });
    return {static_cast<std::uint64_t>(std::min(bytes, 0x1p63)), by};
}

void require_allowed(const Run& run, std::uint64_t bytes, std::string_view what, std::string_view remedy) {
    if (run.memory == 0 || bytes <= run.memory) return;
    throw Error(Fault::out_of_memory,
                fmt::format("{} needs {} of memory and {} are allowed; raise memory or {}", what, size_text(bytes),
                            size_text(run.memory), remedy),
                {.option = "memory"});
}

void require_free(std::uint64_t bytes, std::string_view what, std::string_view remedy) {
    constexpr std::uint64_t small = 16 << 20;  // reading what is free takes longer than small inputs
    if (bytes < small) return;
    const MemoryLimit limit = least_memory();
    if (bytes <= limit.bytes) return;
    throw Error(Fault::out_of_memory, fmt::format("{} needs {} of memory and {} are free ({}); {} or a larger machine",
                                                  what, size_text(bytes), size_text(limit.bytes), limit.by, remedy));
}

void require_memory(const Run& run, std::uint64_t bytes, std::string_view what, std::string_view remedy) {
    require_allowed(run, bytes, what, remedy);
    require_free(bytes, what, remedy);
}

}  // namespace dunlin::device

namespace dunlin {

MemoryLimit memory_limit(std::uint64_t allowed) { return device::least_memory(allowed); }

std::string size_text(std::uint64_t bytes) {
    const auto value = static_cast<double>(bytes);
    return value < 1e8 ? fmt::format("{:.3f} MB", value / 1e6) : fmt::format("{:.2f} GB", value / 1e9);
}

}  // namespace dunlin
