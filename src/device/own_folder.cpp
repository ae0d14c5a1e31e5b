// SPDX-License-Identifier: Apache-2.0
#include "device/own_folder.hpp"

#include <dlfcn.h>

namespace dunlin::device {

std::filesystem::path own_folder() {
    Dl_info found{};
    if (dladdr(reinterpret_cast<const void*>(&own_folder), &found) == 0 || found.dli_fname == nullptr) return {};
    return std::filesystem::path(found.dli_fname).parent_path();
}

}  // namespace dunlin::device
