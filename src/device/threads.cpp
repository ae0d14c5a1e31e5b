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
#include <sstream>
#include <string>
#include <thread>

#include <dunlin/error.hpp>

namespace dunlin::device {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// CPUs of a version 2 group: cpu.max holds "QUOTA PERIOD" in microseconds, or "max PERIOD".
double quota_v2(const std::filesystem::path& group) {
    std::ifstream file(group / "cpu.max");
    double quota = 0, period = 0;
    return file >> quota >> period && quota > 0 && period > 0 ? quota / period : unlimited;
}

/// CPUs of a version 1 group; a quota of -1 means none.
double quota_v1(const std::filesystem::path& group) {
    double quota = 0, period = 0;
    const bool read = std::ifstream(group / "cpu.cfs_quota_us") >> quota && quota > 0 &&
                      std::ifstream(group / "cpu.cfs_period_us") >> period && period > 0;
    return read ? quota / period : unlimited;
}

/// The smallest quota of a group and its ancestors. In a container the path may be that of the host; its folders do not
/// exist then, and only `top`, the container's own group, counts.
template <class Quota>
double min_quota(const std::filesystem::path& top, std::filesystem::path group, const Quota& quota) {
    double least = quota(top);
    for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
        least = std::min(least, quota(top / group));
    }
    return least;
}

bool names_cpu(const std::string& controllers) {
    std::istringstream list(controllers);
    for (std::string one; std::getline(list, one, ',');) {
        if (one == "cpu") return true;
    }
    return false;
}

}  // namespace

int affinity_threads() {
    // EINVAL: the mask has more CPUs than cpu_set_t; the number of cores is then used
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof(mask), &mask) != 0) return std::numeric_limits<int>::max();
    return std::max(1, CPU_COUNT(&mask));
}

int quota_threads(const std::filesystem::path& root) {
    const std::filesystem::path groups = root / "sys/fs/cgroup";
    double least = unlimited;
    // Lines "ID:CONTROLLERS:PATH"; version 2 has the only line without controllers
    std::ifstream memberships(root / "proc/self/cgroup");
    for (std::string line; std::getline(memberships, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
        if (controllers.empty()) least = std::min(least, min_quota(groups, path, quota_v2));
        if (!names_cpu(controllers)) continue;
        for (const std::string& folder : {controllers, std::string("cpu")}) {
            least = std::min(least, min_quota(groups / folder, path, quota_v1));
        }
    }
    if (least == unlimited) return 0;
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

int usable_threads(int wanted) {
    const int most = thread_limit();
    int threads = wanted;
    if (threads <= 0) {
        threads =
            std::min(std::max(1, static_cast<int>(std::thread::hardware_concurrency())), device::affinity_threads());
        static const int quota = device::quota_threads();  // reads files, so only once
        if (quota > 0) threads = std::min(threads, quota);
    }
    return most > 0 ? std::min(threads, most) : threads;
}

}  // namespace dunlin
