// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>

namespace dunlin {

/// Real files, where they are at hand: the environment's DUNLIN_DATA, else the build's; where neither is set, a folder
/// that is not there.
inline std::filesystem::path data_folder() {
    const char* folder = std::getenv("DUNLIN_DATA");
    if (folder == nullptr || *folder == '\0') folder = DUNLIN_DATA_OF_BUILD;
    return *folder != '\0' ? folder : "DUNLIN_DATA-is-not-set";
}

}  // namespace dunlin
