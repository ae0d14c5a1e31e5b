// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <system_error>

#include "annotated.hpp"
#include "io/hdf5_module.hpp"

namespace dunlin::hdf5 {

namespace {

namespace fs = std::filesystem;

io::Points read_points_of(const std::string& path, const io::ReadOptions& options) {
    if (!fs::is_regular_file(path)) io::bad_file("cannot open '{}'", path);
    const Locked locked;
    return read_points(open_file(path, false), options);
}

/// Removes the file unless it was moved to its place.
struct Temporary {
    fs::path path;
    explicit Temporary(fs::path file) : path(std::move(file)) {}
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() {
        std::error_code ignored;
        fs::remove(path, ignored);
    }
};

void write_obsm_of(const std::string& path, const std::string& source, const std::string& name, const Map& map) {
    if (!fs::is_regular_file(source)) io::bad_file("cannot open '{}'", source);
    const fs::path target = fs::exists(path) ? fs::canonical(path) : fs::path(path);
    const Temporary copy(target.string() + ".tmp");
    std::error_code error;
    fs::copy_file(source, copy.path, fs::copy_options::overwrite_existing, error);
    if (error) io::bad_file("cannot write '{}': {}", path, error.message());
    {
        const Locked locked;
        write_obsm(open_file(copy.path.string(), true), name, map);
    }
    fs::rename(copy.path, target, error);
    if (error) io::bad_file("cannot write '{}': {}", path, error.message());
}

}  // namespace

}  // namespace dunlin::hdf5

extern "C" __attribute__((visibility("default"))) const dunlin::io::Hdf5Module* dunlin_hdf5_module() {
    static const dunlin::io::Hdf5Module module{DUNLIN_VERSION, dunlin::hdf5::read_points_of,
                                               dunlin::hdf5::write_obsm_of};
    return &module;
}
