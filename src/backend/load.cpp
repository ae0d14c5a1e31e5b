// SPDX-License-Identifier: Apache-2.0
#include "backend/load.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "device/own_folder.hpp"
#include "interface.hpp"

namespace dunlin::backend {

namespace {

constexpr const char* file_name = "libdunlin_cuda.so";

struct Loaded {
    const Table* table = nullptr;
    std::string why_not;
};

/// File of the backend; the system's loader searches for a name without a folder.
std::filesystem::path backend_file() {
    const char* const named = std::getenv("DUNLIN_CUDA_LIBRARY");
    if (named != nullptr && *named != '\0') return std::filesystem::absolute(named);
    std::error_code none;
    const std::filesystem::path beside = device::own_folder() / file_name;
    return std::filesystem::exists(beside, none) ? beside : file_name;
}

Loaded open_backend() {
    const std::filesystem::path file = backend_file();
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const std::string said = dlerror();
        if (file.has_parent_path()) return {nullptr, fmt::format("the CUDA backend cannot be loaded: {}", said)};
        return {nullptr,
                fmt::format("the CUDA backend is not installed: it is not beside libdunlin ({}), nor where the "
                            "system's loader looks ({}); ./dev cuda builds it",
                            device::own_folder().string(), said)};
    }
    const auto table_of = reinterpret_cast<const Table* (*)()>(dlsym(library, table_symbol));
    if (table_of == nullptr) return {nullptr, fmt::format("{} is not a CUDA backend of Dunlin", file.string())};
    const std::string_view theirs = table_of()->interface;
    if (theirs != DUNLIN_INTERFACE) {
        return {nullptr, fmt::format("the CUDA backend {} is of another version ({}) than libdunlin ({}); build and "
                                     "install both together",
                                     file.string(), theirs, DUNLIN_INTERFACE)};
    }
    return {table_of(), {}};
}

std::atomic<const Table*> in_use{nullptr};

const Loaded& loaded_once() {
    static const Loaded result = open_backend();
    in_use = result.table;
    return result;
}

}  // namespace

const Table* load() { return loaded_once().table; }

const Table* loaded() { return in_use; }

const std::string& why_not_loaded() { return loaded_once().why_not; }

}  // namespace dunlin::backend
