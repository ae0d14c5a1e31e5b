// SPDX-License-Identifier: Apache-2.0
#include "device/threads.hpp"

#include <dunlin/threads.hpp>

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include <dunlin/error.hpp>

#include "device/address_space.hpp"
#include "device/control_groups.hpp"

namespace dunlin::device {

namespace {

/// CPUs of a version 2 group: cpu.max holds "QUOTA PERIOD" in microseconds, or "max PERIOD".
double quota_v2(const std::filesystem::path& group) {
    std::ifstream file(group / "cpu.max");
    double quota = 0, period = 0;
    return file >> quota >> period && quota > 0 && period > 0 ? quota / period : no_limit;
}

/// CPUs of a version 1 group; a quota of -1 means none.
double quota_v1(const std::filesystem::path& group) {
    double quota = 0, period = 0;
    const bool read = std::ifstream(group / "cpu.cfs_quota_us") >> quota && quota > 0 &&
                      std::ifstream(group / "cpu.cfs_period_us") >> period && period > 0;
    return read ? quota / period : no_limit;
}

}  // namespace

int affinity_threads() {
    // EINVAL: the mask has more CPUs than cpu_set_t; the number of cores is then used
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof(mask), &mask) != 0) return std::numeric_limits<int>::max();
    return std::max(1, CPU_COUNT(&mask));
}

int quota_threads(const std::filesystem::path& root) {
    const double least = least_group_limit(root, "cpu", quota_v1, quota_v2);
    if (least == no_limit) return 0;
    return std::max(1, static_cast<int>(std::min(std::ceil(least), 1e6)));
}

}  // namespace dunlin::device

namespace dunlin {

namespace {

int limit_of_environment() {
    const char* text = std::getenv("DUNLIN_THREADS");
    if (text == nullptr || *text == '\0') return 0;
    const std::string value = text;
    int most = 0;
    const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), most);
    if (fault == std::errc{} && end == value.data() + value.size() && most >= 1) return most;
    throw Error(Fault::bad_input,
                fmt::format("the environment variable DUNLIN_THREADS is '{}'; it must be a whole number of at least 1, "
                            "or unset",
                            value));
}

constexpr int not_set = -1;
std::atomic<int> limit{not_set};

}  // namespace

int thread_limit() {
    const int set = limit;
    if (set != not_set) return set;
    static const int from_environment = limit_of_environment();
    return from_environment;
}

void set_thread_limit(int most) {
    if (most < 0) {
        throw Error(Fault::bad_input,
                    fmt::format("the limit of threads is {}; it must be at least 1, or 0 for none", most));
    }
    limit = most;
}

namespace {

int default_threads() {
    static const int quota = device::quota_threads();  // reads files, so only once
    const int cores =
        std::min(std::max(1, static_cast<int>(std::thread::hardware_concurrency())), device::affinity_threads());
    return quota > 0 ? std::min(cores, quota) : cores;
}

}  // namespace

int usable_threads(int wanted) {
    // Threads that wait for a core spin before they sleep: thousands would never end, and none of them is of use
    constexpr int per_core = 4, enough = 16;
    const int usual = default_threads(), most = thread_limit();
    int threads = wanted > 0 ? std::min(wanted, std::max(enough, per_core * usual)) : usual;
    if (most > 0) threads = std::min(threads, most);
    const int room = std::min(usual, device::threads_in_address_space());
    if (threads <= room || !device::limits_address_space()) return threads;
    if (room < usual) device::note_missing_threads(room, threads);
    return room;
}

}  // namespace dunlin
