// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5_module.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>

#include <dunlin/h5ad.hpp>

#include "device/own_folder.hpp"
#include "io/fail.hpp"
#include "io/readers.hpp"
#include "io/run_reader.hpp"

namespace dunlin::io {

namespace {

constexpr const char* file_name = "libdunlin_hdf5.so";

struct Loaded {
    const Hdf5Module* module = nullptr;
    std::string why_not;
};

Loaded open_module() {
    std::error_code none;
    const std::filesystem::path beside = device::own_folder() / file_name;
    const std::filesystem::path file = std::filesystem::exists(beside, none) ? beside : file_name;
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return {nullptr, dlerror()};
    const auto module_of = reinterpret_cast<const Hdf5Module* (*)()>(dlsym(library, hdf5_module_symbol));
    if (module_of == nullptr) return {nullptr, file.string() + " is not that of Dunlin"};
    if (std::string_view(module_of()->version) != DUNLIN_VERSION)
        return {nullptr, file.string() + " is of another version than libdunlin"};
    return {module_of(), {}};
}

}  // namespace

const Hdf5Module& hdf5_module(const std::string& path) {
    static const Loaded loaded = open_module();
    if (loaded.module != nullptr) return *loaded.module;
    bad_file(
        "'{}' is HDF5, which this build cannot read ({}); install libhdf5 and build again with its headers, or save "
        "the "
        "matrix as .npy",
        path, loaded.why_not);
}

bool is_hdf5_name(const std::string& name) {
    const std::string extension = extension_of(name);
    return extension == ".h5ad" || extension == ".h5" || extension == ".hdf5";
}

std::vector<std::string> write_obsm(const std::filesystem::path& path, const std::filesystem::path& source,
                                    const ObsmMap& map) {
    const ErrorLocation whole{.file = path.string()};
    try {
        return hdf5_module(path.string()).write_obsm(path.string(), source.string(), map);
    } catch (const Error& error) {
        throw Error(error.fault(), error.what(), whole);
    }
}

}  // namespace dunlin::io
