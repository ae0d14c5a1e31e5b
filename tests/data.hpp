// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>

namespace dunlin {

/// Folder of real data: DUNLIN_DATA of the environment, else of the build; if neither is set, a folder that does not
/// exist.
inline std::filesystem::path data_folder() {
    const char* folder = std::getenv("DUNLIN_DATA");
    if (folder == nullptr || *folder == '\0') folder = DUNLIN_DATA_OF_BUILD;
    return *folder != '\0' ? folder : "DUNLIN_DATA-is-not-set";
}

}  // namespace dunlin
