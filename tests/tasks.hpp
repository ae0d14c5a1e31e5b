// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>

namespace dunlin {

inline constexpr const char* tasks_folder = "/proc/self/task";

/// False where /proc is not mounted.
inline bool tasks_are_told() { return std::filesystem::exists(tasks_folder); }

inline std::ptrdiff_t tasks_of_this_process() {
    return std::distance(std::filesystem::directory_iterator(tasks_folder), std::filesystem::directory_iterator());
}

}  // namespace dunlin
