#pragma once

#include <cstdlib>
#include <filesystem>

namespace dunlin {

/// Real files, where they are at hand: DUNLIN_DATA, or shared/data beside the sources.
inline std::filesystem::path data_folder() {
    const char* folder = std::getenv("DUNLIN_DATA");
    return folder != nullptr ? folder : DUNLIN_DEFAULT_DATA;
}

}  // namespace dunlin
